"""Which runs are listed: words, a state, a span of time."""

from __future__ import annotations

import time

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QPushButton, QWidget

from gui.language import tr
from gui.said import said
from gui.theme import UNIT

DAY_S = 86400.0
_STATES = ("finished", "failed", "stopped", "training", "starting", "queued", "preparing",
           "stopping")  # fmt: skip
_SPANS = ((tr("Any time"), 0.0), (tr("Last day"), DAY_S), (tr("Last week"), 7 * DAY_S),
          (tr("Last month"), 30 * DAY_S), (tr("Last year"), 365 * DAY_S))  # fmt: skip


class RunsFilter(QWidget):
    """A line of words, two choices and a button that clears them all."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.text = QLineEdit()
        self.state = QComboBox()
        self.span = QComboBox()
        self.clear_button = QPushButton(tr("Clear"))
        self.text.setPlaceholderText(tr("Filter by name, model, state, tag or note  (Ctrl+F)"))
        self.text.setClearButtonEnabled(True)
        self.text.setAccessibleName(tr("Filter runs"))
        self.state.setAccessibleName(tr("State of the runs"))
        self.state.addItem(tr("Any state"), "")
        for state in _STATES:
            self.state.addItem(said(state).capitalize(), state)
        self.span.setAccessibleName(tr("When the runs were started"))
        for name, seconds in _SPANS:
            self.span.addItem(name, seconds)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        row.addWidget(self.text, 1)
        for widget in (self.state, self.span, self.clear_button):
            row.addWidget(widget)
        self.text.textChanged.connect(self._tell)
        self.state.currentIndexChanged.connect(self._tell)
        self.span.currentIndexChanged.connect(self._tell)
        self.clear_button.clicked.connect(self.clear)
        self._tell()

    @property
    def active(self) -> bool:
        """Whether it leaves anything out."""
        return bool(self.text.text().strip() or self.state.currentData() or self.span.currentData())

    @property
    def since(self) -> float:
        """UTC epoch seconds from which on runs are shown."""
        seconds = float(self.span.currentData())
        return time.time() - seconds if seconds else 0.0

    def clear(self) -> None:
        """Let everything through."""
        self.text.clear()
        self.state.setCurrentIndex(0)
        self.span.setCurrentIndex(0)

    def _tell(self) -> None:
        self.clear_button.setEnabled(self.active)
        self.changed.emit()
