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


def _naive(date: re.Match[str]) -> float:
    parts = tuple(int(date[i]) for i in range(1, 7))
    fraction = float(f"0.{date[7]}") if date[7] else 0.0
    return calendar.timegm((*parts, 0, 0, 0)) + fraction


def _offset_s(text: str) -> int:
    sign = -1 if text[0] == "-" else 1
    return sign * (int(text[1:3]) * 3600 + int(text[-2:]) * 60)
