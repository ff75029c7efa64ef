"""A state as a coloured dot and a word: the colour alone never carries the meaning."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.said import said
from gui.theme import colors

STATE_TONES = {
    "disconnected": "idle",
    "connecting": "busy",
    "checking": "busy",
    "ready": "ok",
    "unusable": "warn",
    "unreachable": "error",
    "pending": "idle",
    "preparing": "busy",
    "queued": "busy",
    "starting": "busy",
    "waiting": "busy",
    "training": "ok",
    "stalled": "warn",
    "restarting": "warn",
    "stopping": "warn",
    "finished": "ok",
    "failed": "error",
    "stopped": "idle",
    "unknown": "idle",
}
DOT = 9


def tone_of(state: str) -> str:
    """The palette's name for ``state``."""
    return STATE_TONES.get(state, "idle")


def paint_dot(painter: QPainter, center: QPointF, state: str) -> None:
    """A disc for what is well, a ring for what is under way, a triangle for what needs a look, a
    cross for what is broken: forms that are told apart without their colours."""
    color = colors().color(tone_of(state))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    radius = DOT / 2
    if tone_of(state) == "error":
        painter.setPen(QPen(color, 2, c=Qt.PenCapStyle.RoundCap))
        arm = QPointF(radius * 0.75, radius * 0.75)
        painter.drawLine(center - arm, center + arm)
        other = QPointF(arm.x(), -arm.y())
        painter.drawLine(center - other, center + other)
        return
    if tone_of(state) == "warn":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        top, side = QPointF(0, -radius), QPointF(radius, radius * 0.8)
        left = QPointF(-side.x(), side.y())
        painter.drawPolygon([center + top, center + side, center + left])
        return
    ring = tone_of(state) in ("busy", "idle")
    painter.setPen(QPen(color, 2))
    painter.setBrush(Qt.BrushStyle.NoBrush if ring else QBrush(color))
    painter.drawEllipse(center, radius - 1, radius - 1)


class StateChip(QWidget):
    """Dot and word in one line."""

    def __init__(self, state: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = ""
        self._text = ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_state(state)

    @property
    def text(self) -> str:
        return self._text

    def show_state(self, state: str) -> None:
        """Show ``state`` by its word in the window's language."""
        self.set_state(state, said(state))

    def set_state(self, state: str, text: str | None = None) -> None:
        text = state if text is None else text
        if (state, text) == (self._state, self._text):
            return
        self._state, self._text = state, text
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        width = metrics.horizontalAdvance(self._text) + DOT + 8 if self._text else 0
        return QSize(width, max(20, metrics.height() + 4))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._text:
            return
        painter = QPainter(self)
        paint_dot(painter, QPointF(DOT / 2 + 1, self.height() / 2), self._state)
        painter.setPen(colors().color("text"))
        area = self.rect().adjusted(DOT + 8, 0, 0, 0)
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, self._text)
