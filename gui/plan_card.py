"""The plan on the Training page: the board, what it means, and why it may not be possible."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gui.board_view import BoardView
from gui.consequences_panel import ConsequencesPanel
from gui.elided import ElidedLabel
from gui.language import tr
from gui.pages import plain, set_tone
from gui.said import said
from gui.theme import UNIT, scaled

WIDE = 900
"""From this width on the texts are beside the board, below it otherwise."""
NARROW = 400
LOW = 480
"""In less height there is room for one of them."""
SHOWN_REASONS = 3


class PlanCard(QFrame):
    """Widgets only; who puts what into them is :class:`gui.placing.Placing`."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self.setMinimumWidth(290)
        self.board = BoardView()
        self.panel = ConsequencesPanel()
        self.mode = ElidedLabel()
        self.add_button = QPushButton(tr("Add"))
        self.add_menu = QMenu(self.add_button)
        self.details_button = QPushButton(tr("Details"))
        self.rest_button = QPushButton(tr("Place all"))
        self.automatic_button = QPushButton(tr("Automatic"))
        self.empty = plain("", wrap=True)
        self.connect_button = QPushButton(tr("Connect"))
        self.hint = ElidedLabel()
        self.warnings = plain("", wrap=True)
        self.reason = plain("", wrap=True)
        self.launch_button = QPushButton(tr("Launch"))
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.nothing = QWidget()
        self._sized = False
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
        name = plain(tr("Plan"))
        name.setFont(scaled(name.font(), 1.05, bold=True))
        head.addWidget(name)
        self.mode.setProperty("tone", "muted")
        head.addWidget(self.mode, 1)
        self.add_button.setMenu(self.add_menu)
        self.details_button.setCheckable(True)
        self.details_button.toggled.connect(lambda _: self._arrange())
        tips = {
            self.details_button: tr("Show what the plan means in place of the board"),
            self.add_button: tr("Add a worker  (W on the board) or a ps  (P)"),
            self.rest_button: tr("Give a place to every task that has none"),
            self.automatic_button: tr("Let Clew place all tasks"),
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
        for button in (self.add_button, self.rest_button, self.details_button):
            button.hide()

    def show_something(self) -> None:
        """The board again."""
        self.nothing.hide()
        self.splitter.show()
        self._arrange()

    def show_missing(self, missing: bool) -> None:
        """Whether tasks have no place: then these are placed before others are added."""
        self.rest_button.setVisible(missing)
        self.add_button.setVisible(not missing)

    def say(self, warnings: list[str], reason: str, *, impossible: bool) -> None:
        """Sentences below the board; of many reasons the first, for the board marks them all."""
        lines = reason.split("\n")
        if len(lines) > SHOWN_REASONS:
            more = len(lines) - SHOWN_REASONS
            lines = [*lines[:SHOWN_REASONS], tr("And {more} more, marked on the board.", more=more)]
        set_tone(self.reason, "error" if impossible else "muted")
        self.reason.setText("\n".join(map(said, lines)))
        self.reason.setVisible(bool(reason))
        shown = warnings[:SHOWN_REASONS]
        if len(warnings) > SHOWN_REASONS:
            shown.append(
                tr("And {count} more warnings: see All tasks.", count=len(warnings) - SHOWN_REASONS)
            )
        self.warnings.setText("\n".join(map(said, shown)))
        self.warnings.setVisible(bool(shown))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Board and texts side by side, one above the other, or one of them."""
        wide, low = self.width() >= WIDE, self.height() < LOW and self.width() < WIDE
        wanted = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        self.mode.setVisible(self.width() >= NARROW)
        self.details_button.setVisible(low and not self.splitter.isHidden())
        self.board.setVisible(not low or not self.details_button.isChecked())
        self.panel.setVisible(not low or self.details_button.isChecked())
        if self.splitter.orientation() != wanted or not self._sized:
            self._sized = True
            self.splitter.setOrientation(wanted)
            self.splitter.setSizes([480, 400] if wide else [380, 220])
