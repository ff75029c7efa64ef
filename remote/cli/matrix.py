"""Who reaches whom, as a table of words: a row for each node that dials."""

from __future__ import annotations

from collections.abc import Sequence

from remote.checks import Pair
from remote.wording import cell


def matrix_lines(nodes: Sequence[str], pairs: Sequence[Pair]) -> list[str]:
    """The table's lines; a way that no run needs is a dash."""
    by_ends: dict[tuple[str, str], list[Pair]] = {}
    for pair in pairs:
        by_ends.setdefault((pair.source, pair.target), []).append(pair)
    rows = [["from \\ to", *nodes]]
    for source in nodes:
        rows.append([source, *(cell(by_ends.get((source, to), ())).words for to in nodes)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
