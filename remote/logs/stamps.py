"""The time that a line of a log carries itself.

absl's logger writes epoch seconds before it is set up (``I0000 00:00:1796073486.510480``);
TensorFlow, glog and Python's logging write the node's local time, without its zone. Which zone that
is follows from when the task began: the first such time cannot lie before that.
"""

from __future__ import annotations

import calendar
import re

_EPOCH = re.compile(r"[IWEF]0000 00:00:(\d{9,11}\.\d+) ")
_DATE = re.compile(
    r"\[?(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?"
)
_QUARTER_S = 900
"""Zones differ by whole quarters of an hour."""
_SLACK_S = 5.0
_EARLY_S = 2.0
"""Clocks that are compared may differ by this much."""
_FAR_S = 15 * 3600.0


def epoch_stamp(text: str) -> float | None:
    """The UTC epoch seconds that a line begins with, where it says them without doubt."""
    found = _EPOCH.match(text)
    if found:
        return float(found[1])
    date = _DATE.match(text)
    if date is None or not date[8]:
        return None
    return _naive(date) - (0 if date[8] == "Z" else _offset_s(date[8]))


def local_stamp(text: str) -> float | None:
    """A local time that a line begins with, as if it were UTC."""
    date = _DATE.match(text)
    return _naive(date) if date is not None and not date[8] else None


def zone_s(local: float, begun: float) -> int | None:
    """By how many seconds local times are ahead of UTC, from the first of them.

    Args:
        local: as :func:`local_stamp` gives it.
        begun: when the task began, UTC epoch seconds on the same clock.

    Returns:
        None: no zone on earth puts ``local`` at or after ``begun`` within a quarter of an hour.
    """
    ahead = local - begun
    if abs(ahead) > _FAR_S:
        return None
    return int((ahead + _SLACK_S) // _QUARTER_S) * _QUARTER_S


class LineClock:
    """Tells when the lines of one log were written, on this computer's clock."""

    def __init__(self) -> None:
        self._zone: int | None = None
        self._last: float | None = None
        self._read_at: float | None = None
        self._shift_s = 0.0
        self._begun: float | None = None

    def set(self, read_at: float | None, shift_s: float, begun: float | None) -> None:
        """What is known of the lines that come: by when they had been read, the node's clock."""
        self._read_at, self._shift_s, self._begun = read_at, shift_s, begun

    def of(self, text: str) -> float | None:
        """When the line was written; None: it does not say, or what it says cannot be."""
        if not text[:1].isdigit() and text[:1] not in "[IWEF":
            return None
        t = epoch_stamp(text)
        if t is not None:
            t += self._shift_s
        else:
            local = local_stamp(text)
            t = self._of_local(local) if local is not None else None
        if t is not None:
            self._last = t
        return t if self._can_be(t) else None

    def _of_local(self, local: float) -> float | None:
        """The zone is known from the first line, and found anew where the clocks were changed."""
        for after in (self._begun, self._last):
            if self._zone is None and after is not None:
                self._zone = zone_s(local, after - self._shift_s)
            t = local - self._zone + self._shift_s if self._zone is not None else None
            if self._can_be(t) and (self._last is None or t is None or t >= self._last - _EARLY_S):
                return t
            self._zone = None
        return None

    def _can_be(self, t: float | None) -> bool:
        if t is None:
            return False
        if self._begun is not None and t < self._begun - _EARLY_S:
            return False
        return self._read_at is None or t <= self._read_at + _EARLY_S


def _naive(date: re.Match[str]) -> float:
    parts = tuple(int(date[i]) for i in range(1, 7))
    fraction = float(f"0.{date[7]}") if date[7] else 0.0
    return calendar.timegm((*parts, 0, 0, 0)) + fraction


def _offset_s(text: str) -> int:
    sign = -1 if text[0] == "-" else 1
    return sign * (int(text[1:3]) * 3600 + int(text[-2:]) * 60)
