"""Finds words in rows of a log, and goes from one find to the next. No Qt."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from gui.language import tr
from remote.logs import LogRow


class LogSearch:
    """The rows that hold ``words``, whatever the case; positions count in the rows given."""

    def __init__(self) -> None:
        self.words = ""
        self.found: list[int] = []
        self._seen = 0

    def set_words(self, words: str, rows: Sequence[LogRow]) -> None:
        """Search for other words."""
        self.words = words.casefold()
        self.again(rows)

    def again(self, rows: Sequence[LogRow]) -> None:
        """The rows are others now."""
        self.found.clear()
        self._seen = 0
        self.extend(rows)

    def extend(self, rows: Sequence[LogRow]) -> None:
        """Rows were added at the end."""
        words = self.words
        if words:
            new = range(self._seen, len(rows))
            self.found += [i for i in new if words in rows[i].text.casefold()]
        self._seen = len(rows)

    def dropped(self, count: int) -> None:
        """The first ``count`` rows are gone."""
        self.found = [i - count for i in self.found if i >= count]
        self._seen -= count

    def step(self, position: int, *, back: bool) -> int | None:
        """The find after (or before) the row ``position``, round the end; None: there is none."""
        if not self.found:
            return None
        if back:
            return self.found[bisect_left(self.found, position) - 1]
        return self.found[bisect_right(self.found, position) % len(self.found)]

    def text(self, position: int) -> str:
        """``3 of 120``, ``120 found``, ``nothing found``; empty while nothing is searched for."""
        if not self.words:
            return ""
        count = len(self.found)
        at = bisect_left(self.found, position)
        if at < count and self.found[at] == position:
            return tr("{at:,} of {count:,}", at=at + 1, count=count)
        return tr("{count:,} found", count=count) if count else tr("nothing found")
