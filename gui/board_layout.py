"""Where everything on the placement board is: cards in columns, cells in cards, chips in cells."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetrics

from gui.board_state import Board, Card, Cell, CellKey, is_chief, sorted_tasks
from gui.language import tr

CARD_WIDTH = 296
"""The least of a card; wider ones share the room."""
CELL_WIDTH = 130
GAP = 10
PAD = 10
TRAY = CellKey("", "tray")
TRAY_TITLE = tr("No place yet")


@dataclass(frozen=True, slots=True)
class Item:
    """Something that can be pointed at and read aloud; ``rect`` is in the board's own pixels."""

    kind: Literal["node", "cell", "chip"]
    rect: QRect
    card: int
    """Which card; -1: the tray."""
    cell: CellKey | None = None
    task: str = ""


@dataclass(slots=True)
class CardBox:
    """A card's place and its items: ``items[first:end]``."""

    card: Card
    rect: QRect
    head: QRect
    first: int
    cells: list[tuple[Cell, QRect]] = field(default_factory=list)
    end: int = 0


@dataclass(slots=True)
class BoardLayout:
    """All items in reading order."""

    boxes: list[CardBox] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    tray: QRect | None = None
    tray_end: int = 0
    height: int = 0
    _bottoms: list[int] = field(default_factory=list)

    def visible(self, area: QRect) -> list[CardBox]:
        """The cards of which something is within ``area``."""
        first = bisect_left(self._bottoms, area.top())
        found = []
        for box in self.boxes[first:]:
            if box.rect.top() > area.bottom():
                break
            found.append(box)
        return found

    def close(self) -> None:
        """To be called when all boxes are there, in rows."""
        self._bottoms = [box.rect.bottom() for box in self.boxes]


def chip_label(task: str) -> str:
    return tr("{task} · chief", task=task) if is_chief(task) else task


def lay_out(
    board: Board, width: int, metrics: QFontMetrics, uses: Mapping[CellKey, str]
) -> BoardLayout:
    """The board in that much width; rows of cards are as high as their highest."""
    found = BoardLayout()
    top = _tray(found, board.tray, width, metrics)
    columns = max(1, (width + GAP) // (CARD_WIDTH + GAP))
    columns = min(columns, max(1, len(board.cards)))
    card_width = (width - GAP * (columns - 1)) // columns
    for start in range(0, len(board.cards), columns):
        row: list[CardBox] = []
        for column, card in enumerate(board.cards[start : start + columns]):
            left = column * (card_width + GAP)
            row.append(
                _card(found, start + column, card, QRect(left, top, card_width, 0), metrics, uses)
            )
        height = max(box.rect.height() for box in row)
        for box in row:
            box.rect.setHeight(height)
        found.boxes += row
        top += height + GAP
    found.height = max(0, top - GAP)
    found.close()
    return found


def _tray(found: BoardLayout, tasks: Sequence[str], width: int, metrics: QFontMetrics) -> int:
    if not tasks:
        return 0
    title = metrics.height() + PAD // 2
    inner = QRect(PAD, PAD + title, width - 2 * PAD, 0)
    chips, height = _chips(sorted_tasks(tasks), inner, metrics)
    found.tray = QRect(0, 0, width, 2 * PAD + title + height)
    found.items.append(Item("cell", found.tray, -1, TRAY))
    found.items += [Item("chip", rect, -1, TRAY, task) for task, rect in chips]
    found.tray_end = len(found.items)
    return found.tray.height() + GAP


def _card(
    found: BoardLayout,
    number: int,
    card: Card,
    rect: QRect,
    metrics: QFontMetrics,
    uses: Mapping[CellKey, str],
) -> CardBox:
    line = metrics.height() + 1
    inner = rect.adjusted(PAD, PAD, -PAD, 0)
    head = QRect(inner.left(), inner.top(), inner.width(), 2 * line)
    box = CardBox(card, QRect(rect), head, len(found.items))
    found.items.append(Item("node", head, number))
    top = head.bottom() + PAD
    wide = [cell for cell in card.cells if cell.key.kind != "gpu"]
    for cell in wide:
        top = _strip(found, box, number, cell, QRect(inner.left(), top, inner.width(), 0), metrics)
    gpus = [cell for cell in card.cells if cell.key.kind == "gpu"]
    top = _grid(found, box, number, gpus, QRect(inner.left(), top, inner.width(), 0), metrics, uses)
    box.rect.setHeight(top - rect.top() + PAD - GAP // 2)
    box.end = len(found.items)
    return box


def _strip(
    found: BoardLayout, box: CardBox, number: int, cell: Cell, at: QRect, metrics: QFontMetrics
) -> int:
    """A cell over the whole width, its chips beside its title."""
    label = metrics.horizontalAdvance("GPUs") + 2 * PAD
    inner = QRect(at.left() + label, at.top() + PAD // 2, at.width() - label - PAD // 2, 0)
    chips, height = _chips(sorted_tasks(cell.tasks), inner, metrics)
    least = metrics.height() + 6
    rect = QRect(at.left(), at.top(), at.width(), max(height, least) + PAD)
    _enter(found, box, number, cell, rect, chips)
    return rect.bottom() + 1 + GAP // 2


def _grid(
    found: BoardLayout,
    box: CardBox,
    number: int,
    cells: Sequence[Cell],
    at: QRect,
    metrics: QFontMetrics,
    uses: Mapping[CellKey, str],
) -> int:
    """GPUs side by side, as many as the width has room for."""
    gap = GAP // 2
    columns = max(1, min(len(cells), (at.width() + gap) // (CELL_WIDTH + gap)))
    rows = -(-len(cells) // columns)
    columns = max(1, -(-len(cells) // max(1, rows)))  # rows of about equal length
    width = (at.width() - gap * (columns - 1)) // columns
    used = any(cell.key in uses for cell in cells)
    words = (3 if used else 2) * (metrics.height() + 1)
    top = at.top()
    for start in range(0, len(cells), columns):
        row = []
        least = metrics.height() + 6 if not any(c.key.kind == "all" for c, _ in box.cells) else 0
        for column, cell in enumerate(cells[start : start + columns]):
            left = at.left() + column * (width + gap)
            inner = QRect(left + 6, top + 6 + words + 3, width - 12, 0)
            row.append((cell, left, _chips(sorted_tasks(cell.tasks), inner, metrics)))
        height = words + 15 + max(least, *(chips[1] for _, _, chips in row))
        for cell, left, (chips, _) in row:
            _enter(found, box, number, cell, QRect(left, top, width, height), chips)
        top += height + gap
    return top


def _enter(
    found: BoardLayout,
    box: CardBox,
    number: int,
    cell: Cell,
    rect: QRect,
    chips: Sequence[tuple[str, QRect]],
) -> None:
    box.cells.append((cell, rect))
    found.items.append(Item("cell", rect, number, cell.key))
    found.items += [Item("chip", place, number, cell.key, task) for task, place in chips]


def _chips(
    tasks: Sequence[str], at: QRect, metrics: QFontMetrics
) -> tuple[list[tuple[str, QRect]], int]:
    """Chips one after another in rows, and how high all rows are."""
    height, gap = metrics.height() + 6, 4
    left, top = at.left(), at.top()
    found = []
    for task in tasks:
        width = min(metrics.horizontalAdvance(chip_label(task)) + 16, max(24, at.width()))
        if left > at.left() and left + width > at.left() + at.width():
            left, top = at.left(), top + height + gap
        found.append((task, QRect(left, top, width, height)))
        left += width + gap
    return found, top - at.top() + height if tasks else 0
