"""What a chart shows, in words, for those who do not see it. No Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gui.language import tr
from gui.legend import Entry
from gui.texts import elapsed_text, value_text

MOST = 8
"""So many lines are told one by one."""


def chart_words(
    title: str, span: tuple[float, float], y_range: tuple[float, float], entries: Sequence[Entry]
) -> str:
    """One sentence: the time shown (elapsed seconds), where values lie, and each line's value."""
    low, high = span
    words = tr(
        "{title}, {time} to {time2}",
        title=title,
        time=elapsed_text(max(0.0, low)),
        time2=elapsed_text(max(0.0, high)),
    )
    told = [f"{e.label} {' '.join(text for _, text in e.cells)}" for e in entries]
    known = [text for text, e in zip(told, entries, strict=True) if _has_value(e)]
    if not known:
        return tr("{words}: no values yet.", words=words)
    if all(math.isfinite(value) for value in y_range):
        words += tr(
            ", values from {value} to {value2}",
            value=value_text(y_range[0]),
            value2=value_text(y_range[1]),
        )
    more = tr(", and {count} more lines", count=len(known) - MOST) if len(known) > MOST else ""
    return tr("{words}. Now: {names}{more}.", words=words, names=", ".join(known[:MOST]), more=more)


def _has_value(entry: Entry) -> bool:
    return any(text not in ("", "–") for _, text in entry.cells)
