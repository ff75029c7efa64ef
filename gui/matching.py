"""Finding things by a few letters: exact words before word starts before letters in order. No Qt.

Quick for tens of thousands of texts: they are searched as one text, in C.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import islice

MOST = 2000
"""So many matches are looked at: who has more of them types on."""


class Texts:
    """Many short texts, folded once, to be searched again and again."""

    def __init__(self, texts: Sequence[str]) -> None:
        lines = [" ".join(text.split()).casefold() for text in texts]
        self._starts: list[int] = []
        at = 0
        for line in lines:
            self._starts.append(at)
            at += len(line) + 1
        self._lines = lines
        self._all = "\n".join(lines)

    def find(self, query: str) -> list[tuple[int, int]]:
        """Places and ranks of the texts that match every word of ``query``; best rank first.

        Rank 0: each word begins a word of the text; 1: each is in it; 2: letters in that order.
        At most ``MOST``, from the first text on.
        """
        words = query.casefold().split()
        if not words:
            return [(place, 0) for place in range(min(MOST, len(self._lines)))]
        found = self._with(words)
        if not found:
            return [(place, 2) for place in self._with_letters("".join(words))]
        begin = [re.compile(rf"(?:^|[^\w]){re.escape(word)}") for word in words]
        ranks = [
            (place, 0 if all(start.search(self._lines[place]) for start in begin) else 1)
            for place in found
        ]
        return sorted(ranks, key=lambda pair: pair[1])

    def _with(self, words: Sequence[str]) -> list[int]:
        longest, *rest = sorted(words, key=len, reverse=True)
        places: list[int] = []
        at = self._all.find(longest)
        while at >= 0 and len(places) < MOST:
            place = bisect_right(self._starts, at) - 1
            if all(word in self._lines[place] for word in rest):
                places.append(place)
            at = self._all.find(longest, self._starts[place] + len(self._lines[place]))
        return places

    def _with_letters(self, letters: str) -> list[int]:
        # Each class leaves its letter out, so that a line is read once, whatever is in it.
        parts = (f"[^{re.escape(letter)}\\n]*{re.escape(letter)}" for letter in letters)
        pattern = re.compile(f"^{''.join(parts)}", re.MULTILINE)
        found = islice(pattern.finditer(self._all), MOST)
        return [bisect_right(self._starts, match.start()) - 1 for match in found]
