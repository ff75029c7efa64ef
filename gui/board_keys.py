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
    across = direction in ("left", "right")
    ahead = [row for row in rows if row != here and _ahead(start, items[row].rect, direction) > 0]
    level = [row for row in ahead if _aside(start, items[row].rect, across=across) == 0]

    def cost(row: int) -> int:
        rect = items[row].rect
        middle = rect.center() - start.center()
        off = abs(middle.y() if across else middle.x()) // 8
        aside = _ASIDE * _aside(start, rect, across=across)
        return _ahead(start, rect, direction) + aside + off

    return min(level or ahead, key=cost, default=here)


def beyond(items: Sequence[Item], rows: Sequence[int], here: int, step: int) -> int:
    """The stop nearest to ``step`` pixels below ``here`` (above it, if negative)."""
    middle = items[here].rect.center()
    x, y = middle.x(), middle.y() + step

    def far(row: int) -> int:
        center = items[row].rect.center()
        return abs(center.y() - y) * _ASIDE + abs(center.x() - x)

    return min(rows, key=far, default=here)


def _ahead(start: QRect, rect: QRect, direction: Direction) -> int:
    """How far the middle of ``rect`` lies in that direction; negative: the other way."""
    by = rect.center() - start.center()
    far = by.x() if direction in ("left", "right") else by.y()
    return -far if direction in ("left", "up") else far


def _aside(start: QRect, rect: QRect, *, across: bool) -> int:
    """How far ``rect`` is beside the way; 0: it lies on it."""
    if across:
        return max(0, rect.top() - start.bottom(), start.top() - rect.bottom())
    return max(0, rect.left() - start.right(), start.left() - rect.right())
