"""A line of text that ends in an ellipsis where there is no room; the whole is its tooltip."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel


class ElidedLabel(QLabel):
    """Plain text in one line, cut visibly. Takes the room that is left."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, text: str) -> None:
        if text == self.text():
            return
        super().setText(text)
        self.setAccessibleName(text)
        self._show_tip()

    def shown_text(self) -> str:
        """What is to be seen at the present width."""
        line = " ".join(self.text().split())
        return self.fontMetrics().elidedText(
            line, Qt.TextElideMode.ElideRight, self.contentsRect().width()
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(40, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), Qt.AlignmentFlag.AlignVCenter, self.shown_text())

    def _show_tip(self) -> None:
        # Always rich text, and escaped: Qt would guess, and take what a node wrote for markup.
        self.setToolTip(f"<qt>{escape(self.text())}</qt>" if self.text() else "")
