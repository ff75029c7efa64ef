"""One task's log as rows that know when they were written, as far as that can be known."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from remote.logs.levels import LineLevel, level_of
from remote.logs.screen import Line, Screen, Span
from remote.logs.stamps import epoch_stamp, local_stamp, zone_s
from trainer.spec import TaskId

LIMIT = 100_000
"""Rows of one task that are kept."""
_EARLY_S = 1.0
"""A line's own time may be so much later than it was read: clocks are not that exact."""


class LogRow(NamedTuple):
    """One line of one task.

    ``t`` is UTC epoch seconds on this computer's clock and never goes back within a task. It is
    when the line was written where ``exact``; otherwise the line was there by then, and not before
    the row before it. None: nothing is known.
    """

    task: TaskId
    number: int
    """Counts the task's lines from 0, also those that are not kept any more."""
    text: str
    spans: tuple[Span, ...]
    t: float | None
    exact: bool
    level: LineLevel


def time_text(row: LogRow) -> str:
    """``14:02:31.250``; ``by 14:02:31`` where only that is known; empty where nothing is."""
    if row.t is None:
        return ""
    clock = time.strftime("%H:%M:%S", time.localtime(row.t))
    return f"{clock}.{int(row.t % 1 * 1000):03d}" if row.exact else f"by {clock}"


class TaskLog:
    """Takes the text of one task's log; its newest ``limit`` rows are in ``rows``."""

    def __init__(self, task: TaskId, limit: int | None = LIMIT) -> None:
        self.task = task
        self.rows: deque[LogRow] = deque(maxlen=limit)
        self.added = 0
        """How many lines were ever completed."""
        self.total = 0
        """The same, and what was noted between them: how many rows there ever were."""
        self._screen = Screen()
        self._zone: int | None = None
        self._t: float | None = None
        self._read_at: float | None = None
        self._in_traceback = False

    @property
    def current(self) -> Line:
        """The line that is not ended yet, such as a progress bar, as it stands."""
        return self._screen.current

    def feed(
        self,
        text: str,
        read_at: float | None = None,
        *,
        shift_s: float = 0.0,
        begun: float | None = None,
    ) -> list[LogRow]:
        """Take text; gives the rows that it completes.

        Args:
            text: decoded, any cut.
            read_at: when it had been read, UTC epoch seconds of this computer; None: not known.
            shift_s: what to add to the node's times for this computer's clock.
            begun: when the task's first attempt began, on this computer's clock.
        """
        self._read_at = read_at
        lines = self._screen.feed_text(text)
        return [self._add(line, read_at, shift_s, begun) for line in lines]

    def note(self, text: str, t: float) -> None:
        """Put a word about the task between its lines; those are not counted on by it."""
        self._t = self._later(t)
        self.rows.append(LogRow(self.task, self.added, text, (), self._t, True, "info"))
        self.total += 1

    def tail(self) -> LogRow | None:
        """The unfinished line as a row; None: there is nothing in it."""
        text, spans = self._screen.current
        if not text:
            return None
        t = self._later(self._read_at)
        return LogRow(self.task, self.added, text, spans, t, False, level_of(text))

    def newest(self, count: int) -> list[LogRow]:
        """The last ``count`` rows, of those that are kept."""
        return list(islice(reversed(self.rows), max(0, count)))[::-1]

    def all(self) -> Iterator[LogRow]:
        """Every kept row, and the unfinished line if there is something in it."""
        yield from self.rows
        tail = self.tail()
        if tail is not None:
            yield tail

    def _add(
        self, line: Line, read_at: float | None, shift_s: float, begun: float | None
    ) -> LogRow:
        own = self._own_time(line.text, read_at, shift_s, begun)
        self._t = self._later(own if own is not None else read_at)
        exact = own is not None and self._t == own
        level = self._level(line.text)
        row = LogRow(self.task, self.added, line.text, line.spans, self._t, exact, level)
        self.rows.append(row)
        self.added += 1
        self.total += 1
        return row

    def _later(self, t: float | None) -> float | None:
        return t if self._t is None else self._t if t is None else max(self._t, t)

    def _level(self, text: str) -> LineLevel:
        """All of a traceback is an error, not only its first line and its last."""
        level = level_of(text)
        if text.startswith("Traceback (most recent call last)"):
            self._in_traceback = True
        elif self._in_traceback and text[:1] not in ("", " "):
            self._in_traceback = False
            return "error"
        return "error" if self._in_traceback else level

    def _own_time(
        self, text: str, read_at: float | None, shift_s: float, begun: float | None
    ) -> float | None:
        if not text[:1].isdigit() and text[:1] not in "[IWEF":
            return None
        t = epoch_stamp(text)
        if t is None:
            local = local_stamp(text)
            if local is None:
                return None
            if self._zone is None and begun is not None:
                self._zone = zone_s(local, begun - shift_s)
            if self._zone is None:
                return None
            t = local - self._zone
        t += shift_s
        too_early = begun is not None and t < begun - 2.0
        too_late = read_at is not None and t > read_at + _EARLY_S
        return None if too_early or too_late else t
