"""A task's recorded log as lines of text, and by when which part of it had been read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from remote.logs import CUT_NOTE as CUT
from remote.logs import MAX_LINE, Screen

__all__ = ["CUT", "MAX_LINE", "LogText", "by_time", "rising"]


class LogText:
    """Takes pieces of a log's bytes, gives its lines as a terminal would show them.

    Args:
        limit: how many of the newest lines are kept; None: all.
    """

    def __init__(self, limit: int | None = 10_000) -> None:
        self._screen = Screen()
        self._lines: deque[str] = deque(maxlen=limit)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the log."""
        self._lines.extend(line.text for line in self._screen.feed(data))

    def lines(self) -> list[str]:
        """The lines so far; the last may still be growing."""
        last = self._screen.current.text
        return [*self._lines, last] if last else list(self._lines)


def rising(rows: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
    """Only those rows that say of more bytes than all before them."""
    found: list[tuple[int, float]] = []
    for offset, t in rows:
        if not found or offset > found[-1][0]:
            found.append((offset, t))
    return found


def by_time(
    start: int, data: bytes, times: Sequence[tuple[int, float]]
) -> Iterator[tuple[int, bytes, float | None]]:
    """Cut ``data``, which begins at byte ``start`` of the log, where another time holds.

    Gives offset, bytes and by when they had been read; None: that is not on record.
    """
    at, end = start, start + len(data)
    for offset, t in times:
        if at < offset:
            stop = min(offset, end)
            if at < stop:
                yield at, data[at - start : stop - start], t
            at = max(at, stop)
    if at < end:
        yield at, data[at - start :], None
