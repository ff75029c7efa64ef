"""Beside the board: what the plan means for one task, or for all; to be read and copied."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from gui.consequences import TABS
from gui.elided import ElidedLabel
from gui.language import tr
from gui.theme import UNIT, mono_font, scaled


class ConsequencesPanel(QWidget):
    """Shows texts that it is given; ``all_button`` asks for those of all tasks."""

    def __init__(self) -> None:
        super().__init__()
        self.title = ElidedLabel()
        self.title.setFont(scaled(self.title.font(), 1.0, bold=True))
        self.all_button = QPushButton(tr("All tasks"))
        self.copy_button = QPushButton(tr("Copy"))
        self.tabs = QTabBar()
        self.text = QPlainTextEdit()
        self._texts: tuple[str, ...] = ("",) * len(TABS)
        self._build()

    def _build(self) -> None:
        self.all_button.setCheckable(True)
        self.all_button.setToolTip(tr("Show all tasks instead of the chosen one"))
        self.copy_button.setToolTip(tr("Copy what is shown  (Ctrl+C on the board)"))
        for button in (self.all_button, self.copy_button):
            button.setProperty("kind", "quiet")
        self.copy_button.clicked.connect(self.copy)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.all_button)
        head.addWidget(self.copy_button)
        for name in TABS:
            self.tabs.addTab(name)
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(True)
        self.text.setAccessibleName(tr("What the plan means"))
        self.tabs.setAccessibleName(tr("What is shown of the plan"))
        self.tabs.currentChanged.connect(lambda _: self._show())
        self.text.setReadOnly(True)
        self.text.setFont(mono_font())
        self.text.setMinimumHeight(90)
        self.text.setTabChangesFocus(True)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT // 2)
        layout.addLayout(head)
        layout.addWidget(self.tabs)
        layout.addWidget(self.text, 1)

    def show_texts(self, title: str, texts: tuple[str, ...]) -> None:
        """Show one text for each of TABS under ``title``."""
        self.title.setText(title)
        self._texts = texts
        self._show()

    def copy(self) -> None:
        """Put what is shown into the clipboard."""
        QGuiApplication.clipboard().setText(self.text.toPlainText())

    def _show(self) -> None:
        text = self._texts[self.tabs.currentIndex()]
        if text != self.text.toPlainText():
            self.text.setPlainText(text)
        self.text.setAccessibleName(
            tr("{tab} of {title}", tab=TABS[self.tabs.currentIndex()], title=self.title.text())
        )
