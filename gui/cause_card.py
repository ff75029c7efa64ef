"""The first failure of a run, pinned: what happened, what it usually means, what followed."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from gui.icons import glyph
from gui.language import tr
from gui.pages import muted, plain
from gui.said import said
from gui.theme import UNIT, colors, scaled, theme
from remote.updates import Cause

_SHOWN = 4


class CauseCard(QFrame):
    """Hidden while nothing is wrong; ``asked`` when the log is to show the place."""

    asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self.cause: Cause | None = None
        self.icon = QLabel()
        self.title = plain("")
        self.title.setFont(scaled(self.title.font(), 1.0, bold=True))
        self.text = plain("", wrap=True)
        self.advice = muted("")
        self.followed = muted("")
        self.show_button = QPushButton(tr("Show in the log"))
        self.copy_button = QPushButton(tr("Copy"))
        for label in (self.text, self.advice, self.followed):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._build()
        theme().watch(self, self._paint)
        self._paint()
        self.hide()

    def show_cause(self, cause: Cause | None) -> None:
        """Show ``cause``; None hides the card."""
        if cause == self.cause:
            return
        self.cause = cause
        self.setVisible(cause is not None)
        if cause is None:
            return
        self.title.setText(title_of(cause))
        self.text.setText(said(cause.text))
        self.advice.setText(" ".join(said(part) for part in (cause.meaning, cause.remedy) if part))
        self.advice.setVisible(bool(self.advice.text()))
        self.followed.setText(followed_text(cause))
        self.followed.setVisible(bool(cause.consequences))
        self.setAccessibleName(f"{self.title.text()}: {self.text.text()}")
        self._paint()

    def _build(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 8, 8)
        row.setSpacing(UNIT)
        words = QVBoxLayout()
        words.setSpacing(2)
        for label in (self.title, self.text, self.advice, self.followed):
            words.addWidget(label)
        buttons = QVBoxLayout()
        for button in (self.show_button, self.copy_button):
            button.setProperty("kind", "quiet")
            buttons.addWidget(button)
        buttons.addStretch(1)
        row.addWidget(self.icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addLayout(buttons)
        self.show_button.clicked.connect(self.asked)
        self.copy_button.clicked.connect(self._copy)

    def _copy(self) -> None:
        labels = (self.title, self.text, self.advice, self.followed)
        text = "\n".join(label.text() for label in labels if label.text())
        QGuiApplication.clipboard().setText(text)

    def _paint(self) -> None:
        found = self.cause is None or self.cause.found
        tone = colors()["error" if found else "warn"]
        self.setStyleSheet(f"QFrame#card {{ border-left: 3px solid {tone}; }}")
        self.icon.setPixmap(glyph("error" if found else "warning", tone).pixmap(18, 18))
        self.icon.setAccessibleName(tr("first failure"))


def title_of(cause: Cause) -> str:
    """``First failure · 14:02:31 · gpu out of memory · train.py line 12``."""
    parts = [tr("First failure") if cause.found else tr("Cause not found")]
    if cause.t is not None:
        parts.append(time.strftime("%H:%M:%S", time.localtime(cause.t)))
    parts += [part for part in (said(cause.kind), cause.place) if part]
    return " · ".join(parts)


def followed_text(cause: Cause) -> str:
    """The tasks that broke because of it, or in the same way."""
    same = [str(c.task) for c in cause.consequences if c.same]
    lost = [f"{c.task} ({said(c.text)})" for c in cause.consequences if not c.same]
    more = tr(", and {count} more", count=len(lost) - _SHOWN) if len(lost) > _SHOWN else ""
    parts = [tr("The same happened to {names}.", names=", ".join(same)) if same else ""]
    parts.append(
        tr("Because of it: {names}{more}.", names=", ".join(lost[:_SHOWN]), more=more)
        if lost
        else ""
    )
    return " ".join(part for part in parts if part)
