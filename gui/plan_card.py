"""The plan on the Training page: the board, what it means, and why it may not be possible."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gui.board_view import BoardView
from gui.consequences_panel import ConsequencesPanel
from gui.elided import ElidedLabel
from gui.pages import muted, plain, set_tone
from gui.theme import UNIT, scaled

WIDE = 900
"""From this width on the texts are beside the board, below it otherwise."""
SHOWN_REASONS = 3


class PlanCard(QFrame):
    """Widgets only; who puts what into them is :class:`gui.placing.Placing`."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self.setMinimumWidth(300)
        self.board = BoardView()
        self.panel = ConsequencesPanel()
        self.mode = muted("")
        self.worker_button = QPushButton("+ Worker")
        self.ps_button = QPushButton("+ ps")
        self.rest_button = QPushButton("Place the rest")
        self.automatic_button = QPushButton("Automatic")
        self.empty = plain("", wrap=True)
        self.connect_button = QPushButton("Connect")
        self.hint = ElidedLabel()
        self.warnings = plain("", wrap=True)
        self.reason = plain("", wrap=True)
        self.launch_button = QPushButton("Launch")
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.nothing = QWidget()
        self._build()

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 16)
        layout.setSpacing(UNIT)
        layout.addLayout(self._head())
        layout.addWidget(self._nothing(), 1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(UNIT)
        self.splitter.addWidget(self.board)
        self.splitter.addWidget(self.panel)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 1)
        layout.addWidget(self.splitter, 1)
        self.hint.setProperty("tone", "muted")
        set_tone(self.warnings, "warn")
        set_tone(self.reason, "muted")
        self.launch_button.setProperty("kind", "primary")
        self.launch_button.setMinimumHeight(36)
        self.launch_button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for widget in (self.hint, self.warnings, self.reason, self.launch_button):
            layout.addWidget(widget)

    def _head(self) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setSpacing(UNIT // 2)
        name = plain("Plan")
        name.setFont(scaled(name.font(), 1.05, bold=True))
        head.addWidget(name)
        head.addWidget(self.mode)
        head.addStretch(1)
        tips = {
            self.worker_button: "Add a worker  (W on the board)",
            self.ps_button: "Add a parameter server  (P on the board)",
            self.rest_button: "Give a place to every task that has none",
            self.automatic_button: "Let Clew place all tasks",
        }
        for button, tip in tips.items():
            button.setProperty("kind", "quiet")
            button.setToolTip(tip)
            head.addWidget(button)
        return head

    def _nothing(self) -> QWidget:
        layout = QVBoxLayout(self.nothing)
        layout.setContentsMargins(0, 3 * UNIT, 0, 0)
        set_tone(self.empty, "muted")
        layout.addWidget(self.empty)
        layout.addWidget(self.connect_button, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch(1)
        return self.nothing

    def show_nothing(self, words: str, *, connect: bool) -> None:
        """In place of the board: what to do next."""
        self.splitter.hide()
        self.nothing.show()
        self.empty.setText(words)
        self.connect_button.setVisible(connect)
        self.mode.setText("")
        for button in (self.worker_button, self.ps_button, self.rest_button):
            button.hide()

    def show_something(self) -> None:
        """The board again."""
        self.nothing.hide()
        self.splitter.show()
        self.worker_button.show()
        self.ps_button.show()

    def say(self, warnings: list[str], reason: str) -> None:
        """Sentences below the board; of many reasons the first, for the board marks them all."""
        lines = reason.split("\n")
        if len(lines) > SHOWN_REASONS:
            more = len(lines) - SHOWN_REASONS
            lines = [*lines[:SHOWN_REASONS], f"And {more} more, marked on the board."]
        self.reason.setText("\n".join(lines))
        self.reason.setVisible(bool(reason))
        shown = warnings[:SHOWN_REASONS]
        if len(warnings) > SHOWN_REASONS:
            shown.append(f"And {len(warnings) - SHOWN_REASONS} more warnings: see All tasks.")
        self.warnings.setText("\n".join(shown))
        self.warnings.setVisible(bool(shown))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= WIDE
        wanted = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self.splitter.orientation() != wanted:
            self.splitter.setOrientation(wanted)
            self.splitter.setSizes([600, 340] if wide else [400, 180])
