"""The tables of a check: findings, the matrix, the devices, and how far each node is."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from gui.check_model import STEPS, CheckModel
from gui.language import tr
from gui.said import said
from gui.theme import colors
from remote.wording import Cell, Shared, few

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
LEVELS = {
    "ok": (tr("✓ ok"), "ok"),
    "warning": (tr("! warning"), "warn"),
    "problem": (tr("✗ problem"), "error"),
}
"""Words (with a sign) and the palette's colour for each level."""
TINT = 36
"""Of 255: how strong the colour behind a cell of the matrix is."""


class CheckTable(QAbstractTableModel):
    """A table over a :class:`CheckModel`; ``reload`` after it has changed."""

    headers: tuple[str, ...] = ()

    def __init__(self, check: CheckModel) -> None:
        super().__init__()
        self.check = check

    def reload(self) -> None:
        self.beginResetModel()
        self.load()
        self.endResetModel()

    def load(self) -> None:
        """Take the rows from the check."""

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.headers)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self.headers[section]
        return None

    def data(self, index: Index, role: int = 0) -> Any:
        if not index.isValid():
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.text(index.row(), index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.tip(index.row(), index.column())
        if role == Qt.ItemDataRole.ForegroundRole:
            tone = self.tone(index.row(), index.column())
            return colors().color(tone) if tone else None
        return None

    def text(self, row: int, column: int) -> str:
        raise NotImplementedError

    def tip(self, row: int, column: int) -> str:
        return self.text(row, column)

    def tone(self, row: int, column: int) -> str:
        return ""


class FindingsTable(CheckTable):
    """What was found, worst first."""

    headers = (tr("Level"), tr("Nodes"), tr("About"), tr("What"), tr("What to do"))

    def __init__(self, check: CheckModel) -> None:
        super().__init__(check)
        self.rows: list[Shared] = []
        self.everything = False

    def load(self) -> None:
        self.rows = self.check.shared(self.everything)

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def text(self, row: int, column: int) -> str:
        one = self.rows[row]
        found = one.finding
        nodes = few(one.nodes) if one.nodes else tr("all together")
        return (
            LEVELS[found.level][0],
            nodes,
            said(found.topic),
            said(found.what),
            said(found.remedy),
        )[column]

    def tone(self, row: int, column: int) -> str:
        return LEVELS[self.rows[row].finding.level][1] if column == 0 else ""


class MatrixTable(CheckTable):
    """Rows dial columns. Colour and words say the same."""

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._nodes())

    def columnCount(self, parent: Index = _ROOT) -> int:
        return self.rowCount(parent)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        name = self._nodes()[section]
        return (
            tr("to {name}", name=name)
            if orientation == Qt.Orientation.Horizontal
            else tr("from {name}", name=name)
        )

    def data(self, index: Index, role: int = 0) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignCenter
        if role == Qt.ItemDataRole.BackgroundRole and index.isValid():
            tone = self.tone(index.row(), index.column())
            if tone in ("ok", "error"):
                tint = QColor(colors().color(tone))
                tint.setAlpha(TINT)
                return tint
        return super().data(index, role)

    def text(self, row: int, column: int) -> str:
        return said(self._cell(row, column).words)

    def tip(self, row: int, column: int) -> str:
        return said(self._cell(row, column).detail) or tr("No task of this run uses this way.")

    def tone(self, row: int, column: int) -> str:
        good = self._cell(row, column).good
        return "faint" if good is None else "ok" if good else "error"

    def _cell(self, row: int, column: int) -> Cell:
        nodes = self._nodes()
        return self.check.cell(nodes[row], nodes[column])

    def _nodes(self) -> list[str]:
        return self.check.nodes if self.check.has_pairs else []


class TintDelegate(QStyledItemDelegate):
    """Paints the colour behind a cell, which a style sheet for items leaves out."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tint = index.data(Qt.ItemDataRole.BackgroundRole)
        if isinstance(tint, QColor):
            painter.fillRect(option.rect.adjusted(2, 2, -2, -3), tint)
        super().paint(painter, option, index)


class DevicesTable(CheckTable):
    """The vector addition on every device."""

    headers = (tr("Result"), tr("Node"), tr("Device"), tr("Name"), tr("What"))

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.check.devices)

    def text(self, row: int, column: int) -> str:
        one = self.check.devices[row]
        level = LEVELS["ok" if one.good else "problem"][0]
        return (level, one.node, one.device, one.name, said(one.text))[column]

    def tone(self, row: int, column: int) -> str:
        return ("ok" if self.check.devices[row].good else "error") if column == 0 else ""


class StepsTable(CheckTable):
    """How far the check is on each node."""

    headers = (tr("Node"), *STEPS.values())

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.check.nodes)

    def text(self, row: int, column: int) -> str:
        node = self.check.nodes[row]
        return node if column == 0 else self.check.step_text(node, list(STEPS)[column - 1])

    def tone(self, row: int, column: int) -> str:
        text = self.text(row, column)
        return {tr("done"): "ok", "–": "faint"}.get(text, "") if column else ""
