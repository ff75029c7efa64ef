"""Where an arrow key leads on the placement board. No state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QRect

from gui.board_layout import TRAY, Item

Direction = Literal["left", "right", "up", "down"]
_ASIDE = 3
"""How much dearer a pixel to the side is than one ahead."""


def stops(items: Sequence[Item], *, carrying: bool) -> list[int]:
    """The rows that arrow keys stop at: tasks and empty cells; all cells while one is carried."""
    if carrying:
        return [r for r, item in enumerate(items) if item.kind == "cell" and item.cell != TRAY]
    full = {item.cell for item in items if item.kind == "chip"}
    return [
        row
        for row, item in enumerate(items)
        if item.kind == "chip" or (item.kind == "cell" and item.cell not in full)
    ]


def nearest(items: Sequence[Item], rows: Sequence[int], here: int, direction: Direction) -> int:
    """The stop that lies next in that direction; ``here`` where there is none."""
    start = items[here].rect
    best, found = None, here
    for row in rows:
        if row == here:
            continue
        distance = _distance(start, items[row].rect, direction)
        if distance is not None and (best is None or distance < best):
            best, found = distance, row
    return found


def beyond(items: Sequence[Item], rows: Sequence[int], here: int, step: int) -> int:
    """The stop nearest to ``step`` pixels below ``here`` (above it, if negative)."""
    middle = items[here].rect.center()
    x, y = middle.x(), middle.y() + step

    def far(row: int) -> int:
        center = items[row].rect.center()
        return abs(center.y() - y) * _ASIDE + abs(center.x() - x)

    return min(rows, key=far, default=here)


def _distance(start: QRect, rect: QRect, direction: Direction) -> int | None:
    """How far it is to ``rect``; None: it does not lie in that direction."""
    across = direction in ("left", "right")
    a, b = start.center(), rect.center()
    ahead = (b.x() - a.x()) if across else (b.y() - a.y())
    if direction in ("left", "up"):
        ahead = -ahead
    if ahead <= 0:
        return None
    if across:
        aside = max(0, rect.top() - start.bottom(), start.top() - rect.bottom())
        aside += abs(b.y() - a.y()) // 8
    else:
        aside = max(0, rect.left() - start.right(), start.left() - rect.right())
        aside += abs(b.x() - a.x()) // 8
    if aside > ahead * 4:
        return None  # rather sideways than that way
    return ahead + _ASIDE * aside
