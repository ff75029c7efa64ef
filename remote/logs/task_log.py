"""One task's log as rows that know when they were written, as far as that can be known."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from remote.logs.levels import LineLevel, level_of
from remote.logs.screen import Line, Screen, Span
from remote.logs.stamps import LineClock
from trainer.spec import TaskId

LIMIT = 100_000
"""Rows of one task that are kept."""


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

    @property
    def written(self) -> float | None:
        """When it was written; None: that is not known."""
        return self.t if self.exact else None


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
        self._clock = LineClock()
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
        self._clock.set(read_at, shift_s, begun)
        new = in_time([self._row(line) for line in self._screen.feed_text(text)], self._t)
        if new:
            self._t = new[-1].t
            self.rows.extend(new)
            self.total += len(new)
        return new

    def settle(self) -> None:
        """Bound the times of all rows by those of the rows after them, whenever those came."""
        self.rows = deque(in_time(list(self.rows), None), maxlen=self.rows.maxlen)

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

    def _row(self, line: Line) -> LogRow:
        written = self._clock.of(line.text)
        t, exact = (self._read_at, False) if written is None else (written, True)
        level = self._level(line.text)
        row = LogRow(self.task, self.added, line.text, line.spans, t, exact, level)
        self.added += 1
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


def in_time(rows: list[LogRow], floor: float | None) -> list[LogRow]:
    """``rows`` of one task with times that do not go back, the first not before ``floor``.

    Of a row that says none, only by when it was there is known: not after any that follows it.
    """
    if any(row.exact for row in rows):
        limit: float | None = None
        for position in range(len(rows) - 1, -1, -1):
            row = rows[position]
            if row.exact:
                limit = row.t if limit is None else min(limit, row.t or limit)
            elif limit is not None and (row.t is None or row.t > limit):
                rows[position] = row._replace(t=limit)
    for position, row in enumerate(rows):
        if floor is not None and (row.t is None or row.t < floor):
            rows[position] = row._replace(t=floor, exact=False)
        floor = rows[position].t
    return rows
