"""A list of log rows: colours, search marks, follows its end, copies what is selected."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QGuiApplication, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from gui.language import tr
from gui.log_model import ROW, LogModel, row_line
from gui.said import said
from gui.theme import colors, mono_font, theme
from remote.logs import LogRow, time_text
from remote.logs.colors import Style

_PAD = 6
_TIME = tr("by {at}", at="00:00:00.0")
_PALETTES = {
    "light": "3b3b3b b3261e 1a7f37 8a6100 0b57d0 8e24aa 00707f 5f6368 "
    "5f6368 d93025 188038 a56a00 1967d2 8430ce 007b83 202124",
    "dark": "9aa0a6 f28b82 81c995 fdd663 8ab4f8 d7aefb 78d9ec dadce0 "
    "bdc1c6 ff9a91 a8dab5 fde293 aecbfa e6c9ff a1e4f2 ffffff",
}
"""The sixteen colours of a terminal, each readable on the ground of its theme."""
_ANSI = {name: [f"#{part}" for part in text.split()] for name, text in _PALETTES.items()}


class LogDelegate(QStyledItemDelegate):
    """Paints one row: time, task, text. ``words`` (case-folded) are marked."""

    def __init__(self, view: LogView, model: LogModel) -> None:
        super().__init__(view)
        self._model = model
        self.words = ""
        self.current = -1
        self.set_font()

    def set_font(self) -> None:
        """Measure the font anew."""
        self.font = mono_font()
        self.metrics = QFontMetricsF(self.font)
        self.char = self.metrics.horizontalAdvance("0")
        self.time_width = self.metrics.horizontalAdvance(_TIME) + _PAD
        self.task_width = self.metrics.horizontalAdvance("worker:000") + _PAD

    def width(self) -> int:
        """Pixels that the longest row needs; wide characters count as two."""
        width = self.time_width + 3 * _PAD + self.char * (self._model.longest + 2)
        return int(width + (self.task_width if self._model.several else 0))

    def height(self) -> int:
        """Pixels of every row."""
        return int(self.metrics.height()) + 3

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        row = index.data(ROW)
        if not isinstance(row, LogRow):
            return
        c = colors()
        rect = QRectF(option.rect)
        selected = option.state & QStyle.StateFlag.State_Selected
        painter.save()
        painter.setFont(self.font)
        if selected:
            painter.fillRect(rect, QColor(c["selection"]))
        elif index.row() == self.current:
            painter.fillRect(rect, QColor(c["raised"]))
        base = rect.top() + (rect.height() + self.metrics.ascent() - self.metrics.descent()) / 2
        x = rect.left() + _PAD
        painter.setPen(QColor(c["muted"]))
        painter.drawText(
            QRectF(x, rect.top(), self.time_width, rect.height()), _RIGHT, said(time_text(row))
        )
        x += self.time_width + _PAD
        if self._model.several:
            shade = c.series[(row.task.index + (row.task.role == "ps") * 3) % len(c.series)]
            painter.setPen(QColor(shade))
            painter.drawText(int(x), int(base), str(row.task))
            x += self.task_width
        self._paint_text(painter, row, x, base, rect)
        painter.restore()

    def _paint_text(
        self, painter: QPainter, row: LogRow, x: float, base: float, rect: QRectF
    ) -> None:
        c = colors()
        tone = {"error": "error", "warning": "warn", "debug": "muted"}.get(row.level, "text")
        self._mark_words(painter, row.text, x, rect)
        at = 0
        for start, end, style in row.spans:
            x = self._piece(painter, row.text[at:start], x, base, c[tone], False)
            x = self._piece(
                painter, row.text[start:end], x, base, ansi(style, c[tone], c.name), style.bold
            )
            at = end
        self._piece(painter, row.text[at:], x, base, c[tone], False)

    def _piece(
        self, painter: QPainter, text: str, x: float, base: float, color: str, bold: bool
    ) -> float:
        if not text:
            return x
        font = self.font
        if bold:
            font = mono_font()
            font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(color))
        painter.drawText(int(x), int(base), text)
        return x + QFontMetricsF(font).horizontalAdvance(text)

    def _mark_words(self, painter: QPainter, text: str, x: float, rect: QRectF) -> None:
        if not self.words:
            return
        folded, at = text.casefold(), 0
        shade = QColor(colors()["warn"])
        shade.setAlpha(90)
        for _ in range(50):
            at = folded.find(self.words, at)
            if at < 0:
                return
            left = x + self.metrics.horizontalAdvance(text[:at])
            width = self.metrics.horizontalAdvance(text[at : at + len(self.words)])
            painter.fillRect(QRectF(left, rect.top() + 1, width, rect.height() - 2), shade)
            at += len(self.words)


_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def ansi(style: Style, plain: str, ground: str) -> str:
    """The colour of a piece of text, readable on the ground of a palette, ``light`` or ``dark``."""
    if not style.color:
        return plain
    if not style.color.startswith("#"):
        return _ANSI[ground][int(style.color)]
    color = QColor(style.color)
    light = color.lightnessF()
    if ground == "dark":
        color.setHslF(max(0.0, color.hslHueF()), color.hslSaturationF(), max(light, 0.65))
    else:
        color.setHslF(max(0.0, color.hslHueF()), color.hslSaturationF(), min(light, 0.4))
    return color.name()


class LogView(QTableView):
    """Follows the end of the log until the user scrolls up; ``following_changed`` tells."""

    following_changed = Signal(bool)

    def __init__(self, model: LogModel) -> None:
        super().__init__()
        self._model = model
        self._moving = False
        self.following = True
        self.delegate = LogDelegate(self, model)
        self.setModel(model)
        self.setItemDelegate(self.delegate)
        self._set_up_table()
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAutoScroll(False)
        self.setAccessibleName(tr("Log"))
        self.setFont(self.delegate.font)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        theme().watch(self, self._repaint)

    def _set_up_table(self) -> None:
        """A table of one column and rows of one height takes new rows in no time."""
        self.horizontalHeader().hide()
        rows = self.verticalHeader()
        rows.hide()
        rows.setMinimumSectionSize(1)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.delegate.height())
        self.horizontalHeader().setMaximumSectionSize(1 << 20)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)

    def settle(self) -> None:
        """After the model has changed: make room for longer rows, and stay at the end."""
        width = max(self.delegate.width(), self.viewport().width())
        if width != self.columnWidth(0):
            self.setColumnWidth(0, width)
        if self.following:
            self.go_to_end()

    def go_to_end(self) -> None:
        """Show the newest row."""
        self._moving = True
        self.scrollToBottom()
        self._moving = False

    def follow(self, on: bool) -> None:
        """Whether the newest row stays in sight."""
        if on != self.following:
            self.following = on
            self.following_changed.emit(on)
        if on:
            self.go_to_end()

    def show_position(self, position: int) -> None:
        """Bring a row into sight, mark it, and stay there."""
        self.follow(False)
        index = self._model.index(position)
        across = self.horizontalScrollBar().value()
        self._moving = True
        self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        self._moving = False
        self.horizontalScrollBar().setValue(across)  # it would go to the middle of a long row
        self.setCurrentIndex(index)
        self.delegate.current = position
        self.viewport().update()

    def mark_words(self, words: str) -> None:
        """Mark these words, case-folded, in every row."""
        self.delegate.words = words
        self.viewport().update()

    def selected_text(self) -> str:
        """The selected rows as text, in order; the text alone, as it was written."""
        positions = sorted(index.row() for index in self.selectedIndexes())
        rows = [row for row in map(self._model.row, positions) if row is not None]
        return "\n".join(row.text for row in rows)

    def copy(self) -> None:
        """Put the selected rows on the clipboard; all, if none is selected."""
        text = self.selected_text()
        if not text:
            shown = [*self._model.rows, *self._model.tails]
            text = "\n".join(row_line(row, task=self._model.several) for row in shown)
        QGuiApplication.clipboard().setText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            return
        if event.key() == Qt.Key.Key_End:
            self.follow(True)
        super().keyPressEvent(event)

    def _scrolled(self, value: int) -> None:
        """The user moved: at the end the newest row is followed again."""
        if self._moving:
            return
        bar = self.verticalScrollBar()
        on = value >= bar.maximum()
        if on != self.following and (bar.maximum() > 0 or on):
            self.following = on
            self.following_changed.emit(on)

    def _repaint(self) -> None:
        self.delegate.set_font()
        self.verticalHeader().setDefaultSectionSize(self.delegate.height())
        self.viewport().update()
