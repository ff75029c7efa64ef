"""Watches a log go by and remembers what may tell why its program ends."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from remote.causes.pattern import Known, Pattern
from remote.causes.table import PATTERNS, find_known
from remote.causes.tracebacks import BEGIN, Traceback

_ABOVE = 200
_MOST = 64
_Time = tuple[float | None, bool]
"""By when a line was written; whether just then."""
_LINE_PATTERNS = tuple(p for p in PATTERNS if p.where == "line")
_HINT_PATTERNS = tuple(p for p in PATTERNS if p.where == "hint")
_WATCHED = re.compile("|".join(f"(?:{p.message})" for p in (*_LINE_PATTERNS, *_HINT_PATTERNS)))
"""Almost every line is none of these: one search says so."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one place of a log says. ``row`` is the number of the line in the log."""

    row: int
    quote: str
    place: str = ""
    known: Known | None = None
    traceback: bool = False
    t: float | None = None
    exact: bool = False
    """Whether ``t`` is when it was written, not only by when."""
    in_log: bool = True
    """Whether ``row`` counts in the whole log; False: in a few lines of it."""
    tail: tuple[str, ...] = ()
    """The last lines of a message that has many."""

    def closing(self, lines: Sequence[str]) -> bool:
        """Whether ``lines``, the last of an attempt, are the rest of this message."""
        rest = {line.strip() for line in self.tail if line.strip()}
        return any(line.strip() in rest for line in lines)


class LogScan:
    """Takes a log's lines in order; remembers the newest tracebacks and fatal lines."""

    def __init__(self) -> None:
        self.rows = 0
        """Number of lines so far."""
        self._open: Traceback | None = None
        self._tracebacks: deque[tuple[Traceback, _Time]] = deque(maxlen=_MOST)
        self._fatal: deque[tuple[int, str, Pattern, _Time]] = deque(maxlen=_MOST)
        self._hints: deque[tuple[int, str, Pattern]] = deque(maxlen=_MOST)

    def take(self, number: int, text: str, t: float | None = None, *, exact: bool = False) -> None:
        """One line; ``t`` is by when it was written."""
        self.rows = number + 1
        time = (t, exact)
        if text.startswith(BEGIN):
            self._open = Traceback()
            self._tracebacks.append((self._open, time))
            return
        if self._open is not None:
            self._open.take(number, text)
            if self._open.closed:
                self._open = None
        if not _WATCHED.search(text):
            return
        for pattern in _LINE_PATTERNS:
            if pattern.expression.search(text):
                self._fatal.append((number, text, pattern, time))
                return
        for pattern in _HINT_PATTERNS:
            if pattern.expression.search(text):
                self._hints.append((number, text, pattern))
                return

    def sightings(self) -> list[Sighting]:
        """All that is remembered, in order of the log."""
        found = [self._of(tb, time) for tb, time in self._tracebacks if tb.head_row >= 0]
        for number, text, pattern, (t, exact) in self._fatal:
            known = Known(pattern, text)
            found.append(Sighting(number, text.strip(), "", known, t=t, exact=exact))
        return sorted(found, key=lambda sighting: sighting.row)

    def _of(self, traceback: Traceback, time: _Time) -> Sighting:
        known = find_known(traceback.message)
        if known is not None and known.pattern.above:
            known = self._above(traceback.head_row) or known
        return Sighting(
            row=traceback.head_row,
            quote=traceback.head,
            place=traceback.place(),
            known=known,
            traceback=True,
            t=time[0],
            exact=time[1],
            tail=tuple(traceback.message[1:]),
        )

    def _above(self, row: int) -> Known | None:
        for number, text, pattern in reversed(self._hints):
            if row - _ABOVE <= number < row:
                return Known(pattern, text)
        return None


def sightings_in(lines: Iterable[str]) -> list[Sighting]:
    """What the last lines of an attempt say; rows count from the first of them.

    Where the beginning of a traceback is cut off, a line that can only be an exception's counts.
    """
    scan = LogScan()
    listed = list(lines)
    begun = False
    for number, text in enumerate(listed):
        if not begun and text.startswith(("  File ", BEGIN)):
            begun = True
            if not text.startswith(BEGIN):
                scan.take(number, BEGIN)
        scan.take(number, text)
    return [replace(sighting, in_log=False) for sighting in scan.sightings()]
