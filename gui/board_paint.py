"""Draws the placement board: cards, cells and chips, in the theme's colours."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen

from gui.board_layout import PAD, TRAY, TRAY_TITLE, CardBox, Item, chip_label
from gui.board_model import BoardModel
from gui.board_state import Cell, CellKey, is_chief
from gui.theme import Colors, colors, scaled

_RADIUS = 7.0
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class BoardPainter:
    """One paint event's worth of state."""

    def __init__(self, painter: QPainter, model: BoardModel, font: QFont) -> None:
        self.painter, self.model = painter, model
        self.c: Colors = colors()
        self.plain, self.bold = font, scaled(font, 1.0, bold=True)
        self.metrics, self.bold_metrics = QFontMetrics(self.plain), QFontMetrics(self.bold)
        self.target: CellKey | None = None
        """The cell that a carried task would go to."""
        self.refused = False
        self.carried = ""
        self.current: Item | None = None
        self.focused = False
        self.chosen = ""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def tray(self, rect: QRect, items: list[Item]) -> None:
        """The tasks that have no place."""
        self._box(rect, "surface", "warn", dashed=True)
        head = QRect(rect.left() + PAD, rect.top() + PAD // 2, rect.width(), self.metrics.height())
        self._text(head, TRAY_TITLE, "warn", bold=True)
        for item in items:
            if item.kind == "chip":
                self.chip(item)
        self._ring(items[0])

    def card(self, box: CardBox) -> None:
        """A node with all that is on it."""
        card = box.card
        self._box(box.rect, "surface", "error" if card.fault else "border")
        line = box.head.height() // 2
        upper = QRect(box.head.left(), box.head.top(), box.head.width(), line)
        facts = self.metrics.horizontalAdvance(card.facts)
        room = upper.width() - facts - PAD
        if room > upper.width() // 3:
            self._text(upper, card.facts, "muted", right=True)
        else:
            room = upper.width()
        self._text(QRect(upper.left(), upper.top(), room, line), card.node, "text", bold=True)
        lower = upper.translated(0, line)
        words, tone = (card.fault, "error") if card.fault else (card.address, "muted")
        self._text(lower, words, tone, cut_end=bool(card.fault))
        for cell, rect in box.cells:
            self._cell(cell, rect)
        for item in self.model.items[box.first : box.end]:
            if item.kind == "chip":
                self.chip(item)
            else:
                self._ring(item)

    def _cell(self, cell: Cell, rect: QRect) -> None:
        edge = "error" if cell.fault else "border"
        self._box(rect, "surface" if cell.blocked else "raised", edge, dashed=bool(cell.blocked))
        if cell.key == self.target:
            self._box(rect, "", "error" if self.refused else "accent", width=2.0)
        line = self.metrics.height() + 1
        tone = "faint" if cell.blocked else "text"
        if cell.key.kind != "gpu":
            head = QRect(rect.left() + PAD - 2, rect.top(), rect.width() - PAD, rect.height())
            self._text(head, cell.title, "muted")
            if not cell.tasks and cell.detail:
                label = self.metrics.horizontalAdvance("GPUs") + 2 * PAD
                self._text(head.adjusted(label, 0, 0, 0), cell.detail, "faint")
            return
        at = QRect(rect.left() + 8, rect.top() + 6, rect.width() - 16, line)
        self._text(at, cell.title, tone, bold=True)
        second = cell.blocked or cell.detail
        tone = "warn" if cell.blocked else "muted"
        self._text(at.translated(0, line), second, tone, cut_end=bool(cell.blocked))
        use = self.model.uses.get(cell.key, "")
        if use:
            self._text(at.translated(0, 2 * line), use, "warn", cut_end=True)

    def chip(self, item: Item, *, at: QRect | None = None) -> None:
        """A task. The chief is filled and says so; a ps has another edge than a worker."""
        rect, task = at or item.rect, item.task
        faulty = task in (self.model.board.task_faults or {})
        chief = is_chief(task)
        fill = self.c.color("accent" if chief else "selection" if _works(task) else "surface")
        edge = self.c.color("error" if faulty else "accent" if _works(task) else "warn")
        if at is None and task == self.carried:
            fill.setAlpha(90)
        self.painter.setPen(QPen(edge, 2 if faulty else 1.2))
        self.painter.setBrush(fill)
        shape = QRectF(rect).adjusted(0.8, 0.8, -0.8, -0.8)
        self.painter.drawRoundedRect(shape, shape.height() / 2, shape.height() / 2)
        self.painter.setFont(self.plain)
        self.painter.setPen(self.c.color("accent_text" if chief else "text"))
        words = self.metrics.elidedText(
            chip_label(task), Qt.TextElideMode.ElideRight, rect.width() - 8
        )
        self.painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, words)
        if at is None:
            self._ring(item)

    def _ring(self, item: Item) -> None:
        """Around what has the keyboard, and around the task whose consequences are shown."""
        here = self.focused and item is self.current
        if not here and not (item.kind == "chip" and item.task == self.chosen):
            return
        radius = item.rect.height() / 2 + 2 if item.kind == "chip" else _RADIUS
        grown = QRectF(item.rect).adjusted(-2, -2, 2, 2)
        self.painter.setPen(QPen(self.c.color("text" if here else "muted"), 2 if here else 1.2))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.drawRoundedRect(grown, radius, radius)

    def _box(
        self, rect: QRect, fill: str, edge: str, *, dashed: bool = False, width: float = 1.0
    ) -> None:
        style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
        self.painter.setPen(QPen(self.c.color(edge), width, style))
        self.painter.setBrush(self.c.color(fill) if fill else QColor(0, 0, 0, 0))
        self.painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)

    def _text(
        self,
        rect: QRect,
        words: str,
        tone: str,
        *,
        bold: bool = False,
        right: bool = False,
        cut_end: bool = False,
    ) -> None:
        metrics = self.bold_metrics if bold else self.metrics
        line = " ".join(words.split())
        cut = Qt.TextElideMode.ElideRight if cut_end else Qt.TextElideMode.ElideMiddle
        shown = metrics.elidedText(line, cut, rect.width())
        self.painter.setFont(self.bold if bold else self.plain)
        self.painter.setPen(self.c.color(tone))
        # The side is the reading direction's of the window, not that of the name.
        align = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter if right else _LEFT
        self.painter.drawText(rect, align | Qt.AlignmentFlag.AlignAbsolute, shown)


def _works(task: str) -> bool:
    return task.startswith("worker:")


__all__ = ["TRAY", "BoardPainter"]
