"""The board's items as a list that views, screen readers and tests can ask."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from gui.board_layout import TRAY, TRAY_TITLE, BoardLayout, Item, chip_label
from gui.board_state import Board, Card, Cell, CellKey, is_chief
from gui.language import tr
from gui.said import said

_NOWHERE = QModelIndex()
_Index = QModelIndex | QPersistentModelIndex


class BoardModel(QAbstractListModel):
    """Items of a :class:`BoardLayout` in reading order: nodes, their cells, the chips in them."""

    def __init__(self) -> None:
        super().__init__()
        self.board = Board()
        self.layout_ = BoardLayout()
        self.uses: Mapping[CellKey, str] = {}
        self.cells: dict[CellKey, Cell] = {}

    @property
    def items(self) -> list[Item]:
        return self.layout_.items

    def show_board(self, board: Board, uses: Mapping[CellKey, str]) -> None:
        """Show another board; its layout comes separately."""
        self.board, self.uses = board, uses
        self.cells = {cell.key: cell for card in board.cards for cell in card.cells}

    def take_layout(self, layout: BoardLayout) -> None:
        """Take the items of a new layout; a list of the same items only moves them."""
        same = [_key(item) for item in layout.items] == [_key(item) for item in self.items]
        if same:
            self.layout_ = layout
            return
        self.beginResetModel()
        self.layout_ = layout
        self.endResetModel()

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.items)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.items):
            return None
        item = self.items[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(item)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.spoken(item)
        if role == Qt.ItemDataRole.ToolTipRole:
            # Always rich text, and escaped: Qt would guess, and take a name for markup.
            lines = self.tip(item).split("\n")
            return f"<qt>{'<br>'.join(map(escape, lines))}</qt>"
        return None

    def row_of(self, kind: str, cell: CellKey | None, task: str) -> int:
        """The row of that chip (wherever it is), cell or node; -1: there is none."""
        for row, item in enumerate(self.items):
            if item.kind != kind:
                continue
            if (item.task == task) if kind == "chip" else (item.cell == cell):
                return row
        return -1

    def card(self, item: Item) -> Card | None:
        return self.board.cards[item.card] if item.card >= 0 else None

    def text(self, item: Item) -> str:
        """What the board shows of it."""
        if item.kind == "chip":
            return chip_label(item.task)
        card = self.card(item)
        if item.kind == "node":
            return card.node if card is not None else ""
        return self.cells[item.cell].title if item.cell in self.cells else TRAY_TITLE

    def spoken(self, item: Item) -> str:
        """What a screen reader says: enough to know where one is."""
        if item.kind == "node":
            card = self.card(item)
            assert card is not None
            words = [
                tr("node {node}", node=card.node),
                tr("address {address}", address=card.address),
                card.facts,
                said(card.fault),
            ]
            return ", ".join(word for word in words if word)
        if item.kind == "chip":
            faults = self.board.task_faults or {}
            words = [item.task, tr("chief") if is_chief(item.task) else "", self.where(item)]
            return ", ".join(word for word in (*words, said(faults.get(item.task, ""))) if word)
        return f"{self.where(item)}, {self._state(item)}"

    def where(self, item: Item) -> str:
        """``on GPU 0 of gpu001``, for a cell without ``on``."""

        if item.cell is None or item.cell == TRAY:
            return tr("without a place") if item.kind == "chip" else tr("Tasks without a place")
        names = {"cpu": "CPU", "all": tr("all GPUs")}
        device = names.get(item.cell.kind, f"GPU {item.cell.gpu}")
        where = {"device": device, "node": item.cell.node}
        if item.kind == "chip":
            return tr("on {device} of {node}", **where)
        return tr("{device} of {node}", **where)

    def _state(self, item: Item) -> str:
        if item.cell is None or item.cell not in self.cells:
            return ", ".join(self.board.tray)
        cell = self.cells[item.cell]
        holds = ", ".join(cell.tasks) or (tr("not used") if cell.blocked else tr("free"))
        words = [cell.detail, holds, cell.blocked, self.uses.get(cell.key, ""), said(cell.fault)]
        return ", ".join(word for word in words if word)

    def tip(self, item: Item) -> str:
        """All of what may be cut off on the board."""
        if item.kind == "chip":
            faults = self.board.task_faults or {}
            return f"{item.task} {self.where(item)}\n{faults.get(item.task, '')}".strip()
        card = self.card(item)
        if item.kind == "node" and card is not None:
            return "\n".join(filter(None, (card.node, card.address, card.facts, card.fault)))
        return f"{self.where(item)}\n{self._state(item)}"


def _key(item: Item) -> tuple[object, ...]:
    return item.kind, item.card, item.cell, item.task
