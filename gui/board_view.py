"""The placement board: tasks are moved with the mouse or with keys; only what is seen is drawn."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget

from gui.board_keys import Direction, beyond, nearest, stops
from gui.board_state import Board, CellKey
from gui.board_surface import BoardSurface, Index
from gui.language import tr

_EDGE = 28
"""So near to the upper or lower edge a dragged task scrolls the board."""
_SCROLL_MS = 30
_DIRECTIONS: dict[int, Direction] = {
    Qt.Key.Key_Left: "left",
    Qt.Key.Key_Right: "right",
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
}


class BoardView(BoardSurface):
    """Shows a :class:`BoardModel`. What is to be done is asked for by signals."""

    dropped = Signal(str, object)
    """A task, and the CellKey that it is to go to."""
    add_asked = Signal(str, object)
    """``worker`` or ``ps``, and the CellKey where, or None."""
    remove_asked = Signal(str)
    copy_asked = Signal()
    menu_asked = Signal(QPoint)
    chosen_changed = Signal(str)
    hinted = Signal(str)
    """A sentence about what a drop would do; empty: nothing is carried."""

    def __init__(self) -> None:
        super().__init__()
        self.refusal: Callable[[str, CellKey], str] = lambda task, cell: ""
        """Why a task cannot go to a cell, in a sentence; set by who knows the plan."""
        self._pressed: QPoint | None = None
        self.read_only = False
        self.setAccessibleName(tr("Placement board"))
        self.setAccessibleDescription(
            tr(
                "Arrow keys go from task to task; M picks one up, arrows choose its "
                "place, Enter drops it, Escape leaves it where it was."
            )
        )
        self._scroller = QTimer(self)
        self._scroller.setInterval(_SCROLL_MS)
        self._scroller.timeout.connect(self._scroll_on)

    # -- what is shown -------------------------------------------------------------------------

    def show_board(self, board: Board, uses: dict[CellKey, str]) -> None:
        """Show ``board``; ``uses`` says who else is on a GPU. The current item stays."""
        item, had_tray = self.current_item(), bool(self.board_model.board.tray)
        self.board_model.show_board(board, uses)
        self._lay_out()
        if self.carried and self.board_model.row_of("chip", None, self.carried) < 0:
            self.cancel()
        if item is not None and not self.currentIndex().isValid():
            row = self.board_model.row_of(item.kind, item.cell, item.task)
            self._go(row if row >= 0 else self._first_stop())
        if self.chosen and self.board_model.row_of("chip", None, self.chosen) < 0:
            self._choose("")
        if board.tray and not had_tray:
            self.verticalScrollBar().setValue(0)  # where the tasks without a place are
        self.viewport().update()

    def choose(self, task: str) -> None:
        """Make ``task`` the one whose consequences are shown, and go to it."""
        row = self.board_model.row_of("chip", None, task)
        if row >= 0:
            self._go(row)

    # -- the mouse -----------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if self.carried and not self._by_mouse:
            self.cancel()
        index = self.indexAt(event.position().toPoint())
        if index.isValid():
            self._go(index.row())
        item = self.current_item() if index.isValid() else None
        left = event.button() == Qt.MouseButton.LeftButton
        draggable = left and item is not None and item.kind == "chip" and not self.read_only
        self._pressed = event.position().toPoint() if draggable else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._cursor = event.position().toPoint()
        if self._pressed is not None and not self.carried:
            far = (self._cursor - self._pressed).manhattanLength()
            if far >= QApplication.startDragDistance():
                self._pick_up(by_mouse=True)
        if self._by_mouse:
            self._aim(self._cell_at(self._cursor))
            self.viewport().update()
            return
        index = self.indexAt(self._cursor)
        item = self.board_model.items[index.row()] if index.isValid() else None
        grabs = item is not None and item.kind == "chip" and not self.read_only
        shape = Qt.CursorShape.OpenHandCursor if grabs else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pressed = None
        if self._by_mouse and event.button() == Qt.MouseButton.LeftButton:
            self._aim(self._cell_at(event.position().toPoint()))
            self.drop()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        at = event.pos()
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            index = self.indexAt(at)
            if index.isValid():
                self._go(index.row())
        elif self.currentIndex().isValid():
            at = self.visualRect(self.currentIndex()).center()
        self.menu_asked.emit(self.viewport().mapToGlobal(at))

    def _cell_at(self, at: QPoint) -> CellKey | None:
        index = self.indexAt(at)
        item = self.board_model.items[index.row()] if index.isValid() else None
        if item is None:
            return None
        if item.kind == "node":  # a node as a whole means its first cell
            after = self.board_model.items[index.row() + 1 : index.row() + 2]
            return after[0].cell if after and after[0].kind == "cell" else None
        return item.cell

    def _scroll_on(self) -> None:
        y, bar = self._cursor.y(), self.verticalScrollBar()
        step = -18 if y < _EDGE else 18 if y > self.viewport().height() - _EDGE else 0
        if step:
            bar.setValue(bar.value() + step)
            self._aim(self._cell_at(self._cursor))

    # -- carrying ------------------------------------------------------------------------------

    def pick_up(self) -> None:
        """Take up the current task, to choose its place with the arrow keys."""
        item = self.current_item()
        if item is not None and item.kind == "chip" and not self.read_only:
            self._pick_up(by_mouse=False)

    def _pick_up(self, *, by_mouse: bool) -> None:
        item = self.current_item()
        if item is None:
            return
        self.carried, self._by_mouse = item.task, by_mouse
        self._target, self._why_not = None, ""
        if by_mouse:
            self._scroller.start()
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        self._aim(item.cell)
        if item.cell is not None:
            self.hinted.emit(
                tr("{task}: choose a place with the arrow keys, Enter drops it.", task=item.task)
            )

    def _aim(self, cell: CellKey | None) -> None:
        if cell == self._target:
            return
        self._target = cell
        self._why_not = self.refusal(self.carried, cell) if cell is not None else ""
        where = self._target_words(cell)
        self.hinted.emit(self._why_not or f"{self.carried}{where}")
        row = self.board_model.row_of("cell", cell, "") if cell is not None else -1
        if row >= 0 and not self._by_mouse:
            self._speak(row)
            self.scrollTo(self.board_model.index(row))
        self.viewport().update()

    def _target_words(self, cell: CellKey | None) -> str:
        row = self.board_model.row_of("cell", cell, "") if cell is not None else -1
        if row < 0 or cell not in self.board_model.cells:
            return tr(": no place here")
        there = self.board_model.cells[cell].tasks
        alone = self.carried.startswith("worker:") and cell.kind != "cpu"
        other = next((t for t in there if alone and t != self.carried), "")
        more = tr(", changing places with {other}", other=other) if other else ""
        return f" → {self.board_model.where(self.board_model.items[row])}{more}"

    def drop(self) -> None:
        """Leave the carried task where it is aimed at, if it may go there."""
        task, target, why_not = self.carried, self._target, self._why_not
        self._end_carrying()
        if why_not:
            self.hinted.emit(why_not)
        elif task and target is not None:
            self.hinted.emit("")
            self.dropped.emit(task, target)
        else:
            self.hinted.emit("")

    def cancel(self) -> None:
        """Leave the carried task where it was."""
        self._end_carrying()
        self.hinted.emit("")

    def _end_carrying(self) -> None:
        self.carried, self._by_mouse, self._target, self._why_not = "", False, None, ""
        self._scroller.stop()
        self._pressed = None
        self.viewport().unsetCursor()
        self.viewport().update()

    # -- keys ----------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        override = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        # Esc dismisses notices elsewhere; here, while a task is carried, it puts that back.
        if override and self.carried and event.key() == Qt.Key.Key_Escape:  # type: ignore[attr-defined]
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, control = event.key(), event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and key == Qt.Key.Key_C:
            self.copy_asked.emit()
        elif control:
            event.ignore()
        elif key in _DIRECTIONS:
            self._walk(_DIRECTIONS[key])
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._leap(0 if key == Qt.Key.Key_Home else -1)
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self._page(-1 if key == Qt.Key.Key_PageUp else 1)
        elif self.carried:
            self._carrying_key(event)
        else:
            self._plain_key(event)

    def _carrying_key(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_M):
            self.drop()
        elif event.key() == Qt.Key.Key_Escape:
            self.cancel()

    def _plain_key(self, event: QKeyEvent) -> None:
        key, item = event.key(), self.current_item()
        if key in (Qt.Key.Key_M, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.pick_up()
        elif key in (Qt.Key.Key_W, Qt.Key.Key_Plus, Qt.Key.Key_Insert):
            self.add_asked.emit("worker", self._free_cell())
        elif key == Qt.Key.Key_P:
            self.add_asked.emit("ps", item.cell if item is not None else None)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Minus):
            if item is not None and item.kind == "chip":
                self.remove_asked.emit(item.task)
        else:
            event.ignore()

    def _free_cell(self) -> CellKey | None:
        """The current cell, where it is empty: a worker that is added beside another finds room."""
        item = self.current_item()
        return item.cell if item is not None and item.kind == "cell" else None

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab goes from task to task, and beyond the last one out of the board."""
        if self.carried:
            return True
        rows = [row for row, item in enumerate(self.board_model.items) if item.kind == "chip"]
        here = self.currentIndex().row()
        ahead = [r for r in rows if r > here] if forward else [r for r in rows if r < here][::-1]
        if not ahead or not self.hasFocus():
            return bool(QWidget.focusNextPrevChild(self, forward))
        self._go(ahead[0])
        return True

    def _stops(self) -> list[int]:
        return stops(self.board_model.items, carrying=bool(self.carried))

    def _here(self) -> int:
        if self.carried and self._target is not None:
            return self.board_model.row_of("cell", self._target, "")
        return self.currentIndex().row()

    def _walk(self, direction: Direction) -> None:
        items, here = self.board_model.items, self._here()
        rows = self._stops()
        self._arrive(nearest(items, rows, here, direction) if here >= 0 else (rows or [-1])[0])

    def _leap(self, at: int) -> None:
        rows = self._stops()
        self._arrive(rows[at] if rows else -1)

    def _page(self, sign: int) -> None:
        items, here = self.board_model.items, self._here()
        if here >= 0:
            step = sign * max(60, self.viewport().height() - 60)
            self._arrive(beyond(items, self._stops(), here, step))

    def _arrive(self, row: int) -> None:
        if row < 0:
            return
        if self.carried:
            self._aim(self.board_model.items[row].cell)
        else:
            self._go(row)

    def _first_stop(self) -> int:
        return (self._stops() or [-1])[0]

    def _go(self, row: int) -> None:
        if row < 0:
            return
        self.setCurrentIndex(self.board_model.index(row))
        self.scrollTo(self.board_model.index(row))

    def currentChanged(self, current: Index, previous: Index) -> None:
        QAbstractItemView.currentChanged(self, current, previous)
        item = self.current_item()
        if item is not None and item.kind == "chip":
            self._choose(item.task)
        if current.isValid() and self.hasFocus():
            self._speak(current.row())
        self.viewport().update()

    def _choose(self, task: str) -> None:
        if task != self.chosen:
            self.chosen = task
            self.chosen_changed.emit(task)

    def _speak(self, row: int) -> None:
        if QAccessible.isActive():
            event = QAccessibleEvent(self, QAccessible.Event.Focus)
            event.setChild(row)
            QAccessible.updateAccessibility(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if not self.currentIndex().isValid():
            self._go(self._first_stop())
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.carried and not self._by_mouse:
            self.cancel()
        self.viewport().update()
