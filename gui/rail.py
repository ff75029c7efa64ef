"""The rail on the left: the way from cluster to logs, each stop with its present state."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
)

from gui.icons import app_icon, glyph
from gui.language import tr
from gui.theme import UNIT, colors, scaled

PAGES = (
    ("cluster", tr("Cluster")),
    ("training", tr("Training")),
    ("live", tr("Live")),
    ("logs", tr("Logs")),
    ("runs", tr("Runs")),
)
WIDTH = 176


class RailButton(QAbstractButton):
    """Icon, title and a quiet line about the state."""

    def __init__(self, key: str, title: str, number: int) -> None:
        super().__init__()
        self.key = key
        self._title = title
        self._state = ""
        self._ring = False
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFixedHeight(56)
        self.setToolTip(tr("{title}  (Ctrl+{number})", title=title, number=number))
        self.setAccessibleName(title)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_state(self, text: str) -> None:
        if text != self._state:
            self._state = text
            self.setAccessibleDescription(text)
            self.setToolTip(f"{self._title}: {text}" if text else self._title)
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 56)

    def focusInEvent(self, event: QFocusEvent) -> None:
        keys = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self._ring = event.reason() in keys
        super().focusInEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        c = colors()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(UNIT, 2, -UNIT, -2)
        ring = self._ring and self.hasFocus()
        if self.isChecked() or (self.underMouse() and self.isEnabled()) or ring:
            painter.setPen(c.color("accent") if ring else Qt.PenStyle.NoPen)
            painter.setBrush(c.color("selection" if self.isChecked() else "raised"))
            painter.drawRoundedRect(area, 6, 6)
        usable = self.isEnabled()
        shade = c["faint"] if not usable else c["accent" if self.isChecked() else "muted"]
        glyph(self.key, shade).paint(painter, int(area.x()) + 10, int(area.y()) + 16, 20, 20)
        text = area.adjusted(42, 0, -6, 0)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(c.color("text" if usable else "faint"))
        if not self._state:
            painter.drawText(text, middle, self._title)
            return
        painter.drawText(text.adjusted(0, 6, 0, -text.height() / 2 + 4), middle, self._title)
        painter.setFont(scaled(self.font(), 0.86))
        painter.setPen(c.color("muted"))
        below = text.adjusted(0, text.height() / 2 - 2, 0, -6)
        words = painter.fontMetrics().elidedText(
            self._state, Qt.TextElideMode.ElideRight, int(below.width())
        )
        painter.drawText(below, middle, words)


class Rail(QFrame):
    """The five pages; ``chosen`` with the key of the one that was asked for."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("rail")
        self.setFixedWidth(WIDTH)
        self.buttons: dict[str, RailButton] = {}
        group = QButtonGroup(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 12, 0, 12)
        layout.setSpacing(2)
        layout.addWidget(self._brand())
        layout.addSpacing(UNIT)
        for number, (key, title) in enumerate(PAGES, start=1):
            if key == "runs":
                layout.addStretch(1)
            button = RailButton(key, title, number)
            button.clicked.connect(lambda _=False, k=key: self.chosen.emit(k))
            group.addButton(button)
            self.buttons[key] = button
            layout.addWidget(button)
        self._group = group

    def show_page(self, key: str) -> None:
        """Mark the page that is open; an unknown key marks none."""
        self._group.setExclusive(False)
        for name, button in self.buttons.items():
            button.setChecked(name == key)
        self._group.setExclusive(True)

    def _brand(self) -> QFrame:
        frame = QFrame()
        row = QHBoxLayout(frame)
        row.setContentsMargins(2 * UNIT, 0, UNIT, 0)
        row.setSpacing(10)
        mark = QLabel()
        mark.setPixmap(app_icon().pixmap(24, 24))
        name = QLabel("Clew")
        name.setFont(scaled(name.font(), 1.2, bold=True))
        row.addWidget(mark)
        row.addWidget(name, 1)
        return frame
