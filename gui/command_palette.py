"""The command palette: type a few letters, press Enter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
)

from gui.language import tr
from gui.matching import Texts
from gui.pages import muted
from gui.palette_entries import Entry, Runs, window_entries
from gui.theme import UNIT, colors, scaled

if TYPE_CHECKING:
    from gui.window import MainWindow

Index = QModelIndex | QPersistentModelIndex
MOST = 60
"""So many finds are listed; more letters lead to the others."""
ROW = 46
_MOVES = (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp)


class FoundModel(QAbstractListModel):
    """The finds, best first."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: list[Entry] = []

    def show(self, entries: Sequence[Entry]) -> None:
        self.beginResetModel()
        self.entries = list(entries)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: Index, role: int = 0) -> Any:
        if not 0 <= index.row() < len(self.entries):
            return None
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            state = tr("not now: {why}", why=entry.why) if entry.why else entry.detail
            return ", ".join(part for part in (entry.title, entry.kind, state, entry.keys) if part)
        return None


class EntryDelegate(QStyledItemDelegate):
    """Title and what it is about in two lines; the kind and the key on the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(200, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        if not isinstance(model, FoundModel):
            return
        entry, c = model.entries[index.row()], colors()
        rect = option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(c.color("accent"))
            painter.setBrush(c.color("selection"))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 6, 6)
        area = rect.adjusted(12, 4, -12, -4)
        font = option.font
        right = " · ".join(part for part in (entry.keys, entry.kind) if part)
        painter.setFont(scaled(font, 0.9))
        painter.setPen(c.color("muted"))
        top = Qt.AlignmentFlag.AlignTop
        painter.drawText(area, top | Qt.AlignmentFlag.AlignRight, right)
        used = painter.fontMetrics().horizontalAdvance(right) + 16
        low = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft
        about = tr("Not now: {why}", why=entry.why) if entry.why else entry.detail
        elide = Qt.TextElideMode.ElideRight
        words = painter.fontMetrics().elidedText(" ".join(about.split()), elide, area.width())
        painter.drawText(area, low, words)
        painter.setFont(font)
        painter.setPen(c.color("faint" if entry.why else "text"))
        title = painter.fontMetrics().elidedText(entry.title, elide, area.width() - used)
        painter.drawText(area, top | Qt.AlignmentFlag.AlignLeft, title)
        painter.restore()


class CommandPalette(QDialog):
    """A field and what matches it. The keyboard stays in the field."""

    def __init__(self, window: MainWindow, runs: Runs) -> None:
        super().__init__(window)
        self._window = window
        self.setWindowTitle(tr("Find anything"))
        self.setModal(True)
        self.field = QLineEdit()
        self.list = QListView()
        self.note = muted("")
        self.found = FoundModel()
        self._query = ""
        self._build()
        self._small = window_entries(window)
        self._small_texts = Texts([entry.text for entry in self._small])
        self._runs = runs
        self.search("")

    def show_runs(self, runs: Runs) -> None:
        """Take in the runs on record."""
        self._runs = runs
        self.search(self.field.text())

    def search(self, query: str) -> None:
        """List what matches ``query``: of equal rank actions and pages first, then runs."""
        kept = self.list.currentIndex().row()
        best = self.found.entries[kept] if 0 <= kept < len(self.found.entries) else None
        small = [(rank, self._small[at]) for at, rank in self._small_texts.find(query)]
        runs = self._runs.texts.find(query)
        listed = [(rank, self._runs.entries[at]) for at, rank in runs[:MOST]]
        ranked = sorted([*small, *listed], key=lambda pair: pair[0])
        if any(rank < 2 for rank, _ in ranked):  # letters in order are only for want of better
            ranked = [pair for pair in ranked if pair[0] < 2]
        shown = [entry for _, entry in ranked[:MOST]]
        self.found.show(shown)
        row = shown.index(best) if best in shown and query == self._query else 0
        self._query = query
        self.list.setCurrentIndex(self.found.index(row))
        more = len(small) + len(runs) - len(shown)
        words = tr("There is more like this: type more of it.") if more > 0 else ""
        self.note.setText(words if shown else tr("Nothing is called like this."))

    def run_current(self) -> None:
        """Do what the chosen entry says, if it can be done now."""
        row = self.list.currentIndex().row()
        if 0 <= row < len(self.found.entries) and not self.found.entries[row].why:
            entry = self.found.entries[row]
            self.accept()
            entry.do()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _MOVES:
            step = 1 if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_PageDown) else -1
            page = event.key() in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp)
            self._move(step * (max(1, self.list.height() // ROW - 1) if page else 1))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run_current()
        else:
            super().keyPressEvent(event)

    def _move(self, by: int) -> None:
        last = self.found.rowCount() - 1
        row = self.list.currentIndex().row() + by
        if abs(by) == 1:
            row %= max(1, last + 1)
        self.list.setCurrentIndex(self.found.index(min(last, max(0, row))))

    def _build(self) -> None:
        self.field.setPlaceholderText(
            tr("An action, a page, a profile, a task's log, a run or its tag")
        )
        self.field.setAccessibleName(tr("Find anything"))
        self.field.textChanged.connect(self.search)
        self.list.setAccessibleName(tr("Found"))
        self.list.setModel(self.found)
        self.list.setItemDelegate(EntryDelegate(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.clicked.connect(lambda _: self.run_current())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * UNIT, 2 * UNIT, 2 * UNIT, UNIT)
        layout.setSpacing(UNIT)
        layout.addWidget(self.field)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.note)
        self.resize(min(720, self._window.width() - 80), min(560, self._window.height() - 80))
