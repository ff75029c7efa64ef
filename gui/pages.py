"""What every page has: a margin, a heading, room for actions."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from gui.elided import ElidedLabel
from gui.theme import UNIT, scaled


class Page(QWidget):
    """A titled page. ``refresh`` is called each tick while the page is to be seen."""

    def __init__(self, title: str, subtitle: str = "") -> None:
        super().__init__()
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground, True)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(2 * UNIT, UNIT, 2 * UNIT, 2 * UNIT)
        self.body.setSpacing(UNIT)
        self.heading = heading(title)
        self.subtitle = ElidedLabel(subtitle)
        self.subtitle.setProperty("tone", "muted")
        self.head = QHBoxLayout()
        self.head.setSpacing(UNIT)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self.heading)
        words.addWidget(self.subtitle)
        self.head.addLayout(words, 1)
        self.body.addLayout(self.head)

    def refresh(self, now: float) -> None:
        """Show what the models say at ``now`` (UTC epoch seconds)."""


class Scrolled(QScrollArea):
    """A column of widgets that fills its place, and scrolls where that is too low for them.

    Without it Qt lays widgets over each other in a window that is smaller than they need.
    """

    def __init__(self) -> None:
        super().__init__()
        self.inner = inner = QWidget()
        self.column = QVBoxLayout(inner)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(UNIT)
        self.setWidget(inner)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """It scrolls up and down only: nothing in it may be wider than its place."""
        self.inner.setMaximumWidth(self.viewport().width())
        super().resizeEvent(event)


def heading(text: str) -> QLabel:
    label = plain(text)
    label.setFont(scaled(label.font(), 1.35, bold=True))
    return label


def muted(text: str) -> QLabel:
    label = plain(text)
    label.setProperty("tone", "muted")
    return label


def plain(text: str, *, wrap: bool = False) -> QLabel:
    """A label that never takes its text for rich text."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    return label


def set_tone(widget: QWidget, tone: str) -> None:
    """Colour a label by what its words mean."""
    if widget.property("tone") != tone:
        widget.setProperty("tone", tone)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
