"""The table of runs: its keys, its columns, and which rows are chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFontMetrics, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from gui.language import tr
from gui.node_table import StateDelegate
from gui.runs_model import HEADERS, MODEL, NOTE, PROFILE, STARTED, STATE, TAGS, RunsModel
from gui.theme import UNIT, scaled

ROW = 32
ARROW = 22
"""Room for the arrow of the column that is sorted by."""
_FREE = (PROFILE, MODEL, TAGS, NOTE)
"""Columns of free text: they give way."""
_MOST, _LEAST = 220, 68
"""Widest and narrowest that such a column is made."""
_LOOKED_AT = 200
"""So many rows decide how wide columns are."""


class RunsTable(QTableView):
    """Several rows can be chosen; notes and tags are edited in their cells."""

    opened = Signal()
    deleted = Signal()
    undone = Signal()
    compared = Signal()
    menu_asked = Signal()
    vertical = Qt.Orientation.Vertical

    def __init__(self, model: RunsModel) -> None:
        super().__init__()
        self._runs = model
        self._menu_at: QPoint | None = None
        self.can_undo: Callable[[], bool] = lambda: False
        self.setModel(model)
        self.setShowGrid(False)
        self.setAccessibleName(tr("Runs"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.EditKeyPressed | triggers.DoubleClicked)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setItemDelegateForColumn(STATE, StateDelegate(self))
        self.setMinimumHeight(4 * ROW)
        rows = self.verticalHeader()
        rows.hide()
        rows.setDefaultSectionSize(ROW)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(48)
        header.setStretchLastSection(True)
        header.setResizeContentsPrecision(_LOOKED_AT)
        header.sortIndicatorChanged.connect(lambda *_: self.fit())
        header.setSortIndicator(STARTED, Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        self.doubleClicked.connect(self._double_clicked)

    def choose_row(self, row: int) -> None:
        self.choose_rows([row])

    def choose_rows(self, rows: Sequence[int]) -> None:
        """Select whole rows; the first becomes the current one."""
        model, selection = self._runs, QItemSelection()
        for row in rows:
            if 0 <= row < model.rowCount():
                selection.select(model.index(row, 0), model.index(row, NOTE))
        if selection.isEmpty():
            return
        flags = QItemSelectionModel.SelectionFlag
        current = model.index(rows[0], STATE)
        self.selectionModel().setCurrentIndex(current, flags.NoUpdate)
        self.selectionModel().select(selection, flags.ClearAndSelect)
        self.scrollTo(current)

    def fit(self) -> None:
        """Columns as wide as what is in them; those of free text share what is left."""
        header = QFontMetrics(scaled(self.horizontalHeader().font(), 1.0, bold=True))
        sorted_by = self.horizontalHeader().sortIndicatorSection()
        needed = {
            # Not what the header asks for: it keeps room for the sort arrow in every column.
            column: max(
                self.sizeHintForColumn(column) + 1,
                header.horizontalAdvance(name) + 2 * UNIT + (ARROW if column == sorted_by else 2),
            )
            for column, name in enumerate(HEADERS)
        }
        wanted = {column: min(_MOST, needed.pop(column)) for column in _FREE}
        room = self.viewport().width() - sum(needed.values())
        for column, width in (needed | shared(wanted, room)).items():
            if self.columnWidth(column) != width:
                self.setColumnWidth(column, width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def edit_cell(self, column: int) -> None:
        """Edit the current run's note or tags."""
        index = self._runs.index(self.currentIndex().row(), column)
        if index.isValid():
            flags = QItemSelectionModel.SelectionFlag
            self.selectionModel().setCurrentIndex(index, flags.NoUpdate)
            self.edit(index)

    def menu_place(self) -> QPoint:
        """Where on the screen the menu belongs: at the mouse, or at the current row."""
        at = self._menu_at
        if at is None:
            at = self.visualRect(self.currentIndex()).center()
        return self.viewport().mapToGlobal(at)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        self._menu_at = event.pos() if by_mouse else None
        if self.currentIndex().isValid():
            self.menu_asked.emit()

    def event(self, event: QEvent) -> bool:
        undo = QKeySequence.StandardKey.Undo
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and (event.matches(undo) and self.can_undo())
        ):
            event.accept()  # else the profile would take an edit back
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, keys = event.key(), Qt.Key
        none = event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        )
        if event.matches(QKeySequence.StandardKey.Undo):
            self.undone.emit()
        elif none and key in (keys.Key_Return, keys.Key_Enter):
            self.opened.emit()
        elif none and key in (keys.Key_Delete, keys.Key_Backspace):
            self.deleted.emit()
        elif none and key == keys.Key_C:
            self.compared.emit()
        elif none and key == keys.Key_F2:
            self.edit_cell(TAGS if self.currentIndex().column() == TAGS else NOTE)
        elif none and key == keys.Key_T:
            self.edit_cell(TAGS)
        else:
            super().keyPressEvent(event)

    def _double_clicked(self) -> None:
        if self.currentIndex().column() not in (TAGS, NOTE):
            self.opened.emit()


def shared(wanted: Mapping[int, int], room: int) -> dict[int, int]:
    """Widths that fit into ``room``: who wants little gets it, the others share the rest alike."""
    widths, left, rest = {}, len(wanted), room
    for column, width in sorted(wanted.items(), key=lambda item: item[1]):
        widths[column] = max(_LEAST, min(width, rest // left))
        left, rest = left - 1, rest - widths[column]
    return widths
