"""How the placement board is laid out and drawn, and what every item view has to answer."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QRegion, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView

from gui.board_layout import BoardLayout, Item, lay_out
from gui.board_model import BoardModel
from gui.board_paint import BoardPainter
from gui.board_state import CellKey
from gui.theme import theme

MARGIN = 4
Index = QModelIndex | QPersistentModelIndex


class BoardSurface(QListView):
    """Draws the cards that are to be seen, and the task that is carried.

    A list to screen readers, which know only Qt's own views; nothing of how a list looks is used.
    """

    def __init__(self) -> None:
        super().__init__()
        self.board_model = BoardModel()
        self.chosen = ""
        """The task whose consequences are shown."""
        self.carried = ""
        """The task that was picked up."""
        self._by_mouse = False
        self._cursor = QPoint()
        self._target: CellKey | None = None
        self._why_not = ""
        self.setModel(self.board_model)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setFrameShape(QAbstractItemView.Shape.NoFrame)
        theme().watch(self, self.viewport().update)

    def current_item(self) -> Item | None:
        """What has the keyboard."""
        row = self.currentIndex().row()
        items = self.board_model.items
        return items[row] if 0 <= row < len(items) else None

    def _lay_out(self) -> None:
        width = max(120, self.viewport().width() - 2 * MARGIN)
        model = self.board_model
        layout = lay_out(model.board, width, self.fontMetrics(), model.uses)
        model.take_layout(layout)
        self._range()

    def _range(self) -> None:
        bar, page = self.verticalScrollBar(), self.viewport().height()
        bar.setPageStep(page)
        bar.setSingleStep(40)
        bar.setRange(0, max(0, self._layout.height + 2 * MARGIN - page))

    @property
    def _layout(self) -> BoardLayout:
        return self.board_model.layout_

    def resizeEvent(self, event: QResizeEvent) -> None:
        QAbstractItemView.resizeEvent(self, event)
        self._lay_out()

    def sizeHint(self) -> QSize:
        return QSize(420, 320)

    def minimumSizeHint(self) -> QSize:
        return QSize(220, 150)

    def doItemsLayout(self) -> None:
        QAbstractItemView.doItemsLayout(self)

    def updateGeometries(self) -> None:
        self._range()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        offset = QPoint(MARGIN, MARGIN - self.verticalOffset())
        painter.translate(offset)
        area = event.rect().translated(-offset)
        paint = BoardPainter(painter, self.board_model, self.font())
        paint.carried, paint.target, paint.refused = self.carried, self._target, bool(self._why_not)
        paint.current, paint.focused = self.current_item(), self.hasFocus()
        paint.chosen = self.chosen
        if self._layout.tray is not None and self._layout.tray.intersects(area):
            paint.tray(self._layout.tray, self._layout.items[: self._layout.tray_end])
        for box in self._layout.visible(area):
            paint.card(box)
        if self.carried:
            self._paint_carried(paint)

    def _paint_carried(self, paint: BoardPainter) -> None:
        row = self.board_model.row_of("chip", None, self.carried)
        item = self.board_model.items[row]
        at = QRect(item.rect)
        if self._by_mouse:
            at.moveCenter(self._to_board(self._cursor))
        elif (cell := self._rect_of(self._target)) is not None:
            at.moveCenter(cell.center())
        paint.chip(item, at=at)

    def _rect_of(self, cell: CellKey | None) -> QRect | None:
        row = self.board_model.row_of("cell", cell, "") if cell is not None else -1
        return self.board_model.items[row].rect if row >= 0 else None

    def _to_board(self, at: QPoint) -> QPoint:
        return at - QPoint(MARGIN, MARGIN - self.verticalOffset())

    def visualRect(self, index: Index) -> QRect:
        items = self.board_model.items
        if not index.isValid() or index.row() >= len(items):
            return QRect()
        return items[index.row()].rect.translated(MARGIN, MARGIN - self.verticalOffset())

    def indexAt(self, point: QPoint) -> QModelIndex:
        """The innermost item there: a chip before its cell."""
        at = self._to_board(point)
        found = -1
        for first, end in self._spans(at):
            for row in range(first, end):
                if self.board_model.items[row].rect.contains(at):
                    found = row
        return self.board_model.index(found) if found >= 0 else QModelIndex()

    def _spans(self, at: QPoint) -> list[tuple[int, int]]:
        spans = [(0, self._layout.tray_end)]
        for box in self._layout.visible(QRect(at, QSize(1, 1))):
            if box.rect.contains(at):
                spans.append((box.first, box.end))
        return spans

    def scrollTo(
        self,
        index: Index,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        rect, bar = self.visualRect(index), self.verticalScrollBar()
        if rect.top() < MARGIN:
            bar.setValue(bar.value() + rect.top() - MARGIN)
        elif rect.bottom() > self.viewport().height() - MARGIN:
            bar.setValue(bar.value() + rect.bottom() - self.viewport().height() + MARGIN)

    def moveCursor(
        self,
        action: QAbstractItemView.CursorAction,
        modifiers: Qt.KeyboardModifier,
    ) -> QModelIndex:
        return self.currentIndex()

    def horizontalOffset(self) -> int:
        return 0

    def verticalOffset(self) -> int:
        return self.verticalScrollBar().value()

    def isIndexHidden(self, index: Index) -> bool:
        return False

    def setSelection(self, rect: QRect, command: object) -> None:
        """There is no selection beside the current item."""

    def visualRegionForSelection(self, selection: object) -> QRegion:
        return QRegion()
