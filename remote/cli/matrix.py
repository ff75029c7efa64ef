"""Who reaches whom, as a table of words: a row for each node that dials."""

from __future__ import annotations

from collections.abc import Sequence

from remote.checks import Pair
from remote.preflight import rate_text

WORDS = {
    "open": "open",
    "refused": "refused",
    "silent": "no answer",
    "unreachable": "no route",
    "unresolved": "unknown name",
    "blocked": "blocked",
    "stranger": "another program",
    "other": "another node",
}


def matrix_lines(nodes: Sequence[str], pairs: Sequence[Pair]) -> list[str]:
    """The table's lines; a way that no run needs is a dot."""
    cells = {(source, target): _cell(source, target, pairs) for source in nodes for target in nodes}
    rows = [["from \\ to", *nodes]]
    rows += [[source, *(cells[source, target] for target in nodes)] for source in nodes]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _cell(source: str, target: str, pairs: Sequence[Pair]) -> str:
    here = [pair for pair in pairs if (pair.source, pair.target) == (source, target)]
    if not here:
        return "·"
    bad = next((pair for pair in here if not pair.open), None)
    if bad is not None:
        return WORDS[bad.how]
    trips = [pair.rtt_s for pair in here if pair.rtt_s is not None]
    rates = [pair.bytes_per_second for pair in here if pair.bytes_per_second]
    parts = [f"{min(trips) * 1000:.2f} ms" if trips else "open"]
    return ", ".join(parts + [rate_text(rate) for rate in rates[:1]])
