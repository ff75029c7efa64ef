"""The node table: what the user says about each node beside what the node says."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.chip import DOT, STATE_TONES, paint_dot
from gui.document import Data, Document
from gui.fields import FieldLine
from gui.language import localized, plural, tr
from gui.node_model import STALE_S, NodeModel, NodeStatus, heard_text, progress_text
from gui.said import said
from gui.theme import colors
from remote.facts import NodeFacts

Index = QModelIndex | QPersistentModelIndex
HEADERS = (
    tr("State"), tr("Node"), tr("Host"), tr("Port"), tr("User"), tr("Address"), "GPUs",
    tr("Heard"), tr("Devices"), "CPU", tr("Memory"), tr("Detail"),
)  # fmt: skip
KEYS = {1: "name", 2: "host", 3: "port", 4: "user", 5: "address", 6: "gpus"}
"""Columns that the user edits, and their keys in the profile."""
HINTS = {3: tr("default"), 4: tr("default"), 5: tr("same"), 6: tr("all")}
NEW = tr("Type a host, or an SSH alias.")
WAITING = tr("waiting for your answer")
WRONG, UNTYPED, NOT_CONNECTED = tr("wrong"), tr("new"), tr("not connected")
_DOTS = {WRONG: "failed", UNTYPED: "disconnected", NOT_CONNECTED: "disconnected"}
_DOTS |= {said(state): state for state in STATE_TONES}
"""The state that a word stands for."""

HOST = 2
NAME, USER, ADDRESS, GPUS = 1, 4, 5, 6
STATE, HEARD, DEVICES, CPU, MEMORY, DETAIL = 0, 7, 8, 9, 10, 11
STATE_INDENT = DOT + 8
"""Pixels before the state's word: its dot."""
_RIGHT = (HEARD, CPU, MEMORY)


class NodeTableModel(QAbstractTableModel):
    """Rows are the profile's nodes; edits go to the document, states come from the model.

    ``waiting`` names the nodes that wait for an answer of the user.
    """

    def __init__(
        self,
        document: Document,
        nodes: Callable[[], NodeModel],
        waiting: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        super().__init__()
        self._waiting = waiting
        self._document = document
        self._nodes = nodes
        self._rows: list[Data] = []
        self._issues: dict[str, str] = {}
        document.changed.connect(self.reload)
        self.reload()

    def reload(self) -> None:
        """Take the document's nodes anew."""
        rows = [*self._document.nodes(), *self._lent()]
        self._issues = dict(reversed(self._document.node_issues()))
        if len(rows) != len(self._rows):
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
            return
        self._rows = rows
        self._tell(STATE, DETAIL)

    def refresh(self) -> None:
        """Show the states of now.

        Only the columns that nodes fill are told to have changed: a view sets the text of an open
        editor anew when its cell has, and what was typed would be gone.
        """
        if self._document.slurm is not None and self._names() != self._lent_names():
            self.reload()
        self._tell(STATE, STATE)
        self._tell(HEARD, DETAIL)

    def is_lent(self, row: int) -> bool:
        """Whether a job has the node, so that the profile does not name it."""
        return self._document.slurm is not None and row > 0

    def _lent(self) -> list[Data]:
        return [{"name": name, "host": name} for name in self._lent_names()]

    def _names(self) -> list[str]:
        return [str(row.get("name", "")) for row in self._rows[1:]]

    def _lent_names(self) -> list[str]:
        """The nodes that a job of Slurm's has now."""
        if self._document.slurm is None:
            return []
        own = {str(row.get("name") or row.get("host")) for row in self._document.nodes()}
        found = self._nodes().nodes.items()
        return [n for n, status in found if n not in own and status.state != "disconnected"]

    def _tell(self, first: int, last: int) -> None:
        if self._rows:
            end = self.index(len(self._rows) - 1, last)
            self.dataChanged.emit(self.index(0, first), end)

    def name(self, row: int) -> str:
        """The node's name in the profile."""
        node = self._rows[row] if 0 <= row < len(self._rows) else {}
        return str(node.get("name") or node.get("host") or "")

    def uses(self, column: int) -> bool:
        """Whether any node has a value of its own in an editable column."""
        return any(node.get(KEYS[column]) for node in self._rows)

    def status(self, row: int) -> NodeStatus | None:
        return self._nodes().nodes.get(self.name(row))

    def waits(self, row: int) -> bool:
        """Whether the node waits for an answer of the user."""
        return bool(self.name(row)) and self.name(row) in self._waiting()

    def is_new(self, row: int) -> bool:
        """Whether nothing was typed into the row yet."""
        return 0 <= row < len(self._rows) and not any(self._rows[row].values())

    def issue(self, row: int) -> str:
        """What is wrong with the row as typed, with its column; empty: nothing."""
        if self.is_new(row):
            return ""
        start = f"{row}."
        for key, message in self._issues.items():
            if key == str(row) or key.startswith(start):
                return f"{key.removeprefix(start)}: {message}" if key != str(row) else message
        return ""

    def add(self) -> int:
        """Append an empty row and return its number."""
        nodes = self._document.nodes()
        nodes.append({"host": ""})
        self._document.set_nodes(nodes, f"add {len(nodes)}")
        return len(nodes) - 1

    def remove(self, rows: list[int]) -> list[str]:
        """Remove rows; returns the names that went."""
        names = [self.name(row) or tr("a node") for row in sorted(rows)]
        kept = [node for row, node in enumerate(self._document.nodes()) if row not in set(rows)]
        self._document.set_nodes(kept, f"remove {' '.join(names)} {len(kept)}")
        return names

    # -- Qt's interface ------------------------------------------------------------------------

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return HEADERS[section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(section)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        fixed = self.is_lent(index.row()) or (
            self._document.slurm is not None and index.column() in (ADDRESS, GPUS)
        )
        if index.column() in KEYS and not self._document.read_only and not fixed:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def data(self, index: Index, role: int = 0) -> Any:
        row, column = index.row(), index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            if column in KEYS:
                return self._own(row, column, editing=role == Qt.ItemDataRole.EditRole)
            return self._seen(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._foreground(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(row, column)
        return None

    def setData(self, index: Index, value: Any, role: int = 0) -> bool:
        if role != Qt.ItemDataRole.EditRole or index.column() not in KEYS:
            return False
        nodes = self._document.nodes()
        node, key = nodes[index.row()], KEYS[index.column()]
        text = str(value).strip()
        if text == str(node.get(key, "")):
            return False
        if text or key == "host":
            node[key] = text
        else:
            node.pop(key, None)
        self._document.set_nodes(nodes, f"{index.row()} {key} {text}")
        return True

    def _own(self, row: int, column: int, *, editing: bool) -> str:
        value = self._rows[row].get(KEYS[column], "")
        text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        if text or editing:
            return text
        return self.name(row) if KEYS[column] == "name" else HINTS.get(column, "")

    def _seen(self, row: int, column: int) -> str:
        issue = self.issue(row)
        if issue:
            return {STATE: WRONG, DETAIL: said(issue)}.get(column, "")
        if self.is_new(row):
            return {STATE: UNTYPED, DETAIL: NEW}.get(column, "")
        if column == DETAIL and self.waits(row):
            return WAITING
        status = self.status(row)
        if status is None:
            return NOT_CONNECTED if column == STATE else ""
        return node_text(status, column, time.time())

    def _foreground(self, row: int, column: int) -> QColor | None:
        c = colors()
        if column in KEYS and KEYS[column] not in self._rows[row]:
            return c.color("faint")
        if column == DETAIL and self.issue(row):
            return c.color("error")
        if column == DETAIL and self.waits(row):
            return c.color("warn")
        status = self.status(row)
        if column == HEARD and status is not None:
            old = status.heard is None or time.time() - status.heard > STALE_S
            return c.color("faint" if old else "text")
        return c.color("muted") if column == DETAIL else None

    def _tip(self, row: int, column: int) -> str | None:
        if column == DEVICES:
            status = self.status(row)
            facts = status.update.facts if status is not None else None
            return "\n".join(f"{g.index}: {g.name}" for g in facts.gpus) if facts else None
        text = self._own(row, column, editing=True) if column in KEYS else self._seen(row, column)
        return text or None


def node_text(status: NodeStatus, column: int, now: float) -> str:
    """The text of one of the columns that the node fills."""
    facts, sample = status.update.facts, status.sample
    if column == STATE:
        return NOT_CONNECTED if status.state == "disconnected" else said(status.state)
    if column == HEARD:
        return heard_text(status.heard, now)
    if column == DEVICES:
        return device_text(facts) if facts is not None else ""
    if column == CPU:
        known = sample is not None and sample.cpu_percent is not None
        return f"{sample.cpu_percent:.0f}%" if known and sample is not None else ""
    if column == MEMORY:
        return _memory(status)
    progress = status.progress
    if progress is not None:
        return progress_text(progress)
    return said(status.update.detail)


def device_text(facts: NodeFacts) -> str:
    """``4 × A100``, or the CPUs where there is no GPU."""
    if not facts.gpus:
        return plural("{n} CPU", "{n} CPUs", facts.cpus)
    names = {gpu.name.removeprefix("NVIDIA ") for gpu in facts.gpus}
    name = names.pop() if len(names) == 1 else "GPUs"
    return f"{len(facts.gpus)} × {name}"


def _memory(status: NodeStatus) -> str:
    sample = status.sample
    if sample is not None and sample.memory_used_bytes is not None and sample.memory_total_bytes:
        return localized(
            f"{sample.memory_used_bytes / 2**30:.1f} / {sample.memory_total_bytes / 2**30:.0f} GiB"
        )
    facts = status.update.facts
    return f"{facts.memory_bytes / 2**30:.0f} GiB" if facts is not None else ""


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _RIGHT else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


class CellDelegate(QStyledItemDelegate):
    """Edits a cell in a line that takes back what is typed, and then the profile's edits."""

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        line = FieldLine(parent, own_first=True)
        line.setFrame(False)
        return line

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if index.column() in (HOST, NAME):  # names often differ at their ends only
            option.textElideMode = Qt.TextElideMode.ElideMiddle


class StateDelegate(QStyledItemDelegate):
    """Paints the state's dot before its word."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return super().sizeHint(option, index) + QSize(STATE_INDENT, 0)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        text = str(index.data())
        shifted = QStyleOptionViewItem(option)
        shifted.rect = option.rect.adjusted(STATE_INDENT, 0, 0, 0)
        super().paint(painter, shifted, index)
        word = text.partition(" · ")[0]
        state = _DOTS.get(word, word)
        painter.save()
        rect = option.rect
        painter.setPen(colors().color("border"))
        painter.drawLine(rect.bottomLeft(), rect.bottomLeft() + QPoint(STATE_INDENT, 0))
        paint_dot(painter, QPointF(rect.x() + 8 + DOT / 2, rect.center().y() + 0.5), state)
        painter.restore()
