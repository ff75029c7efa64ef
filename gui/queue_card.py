"""The card of a job that waits in a queue: why, for how long, and the way out."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gui.chip import StateChip
from gui.language import tr
from gui.pages import muted, plain, set_tone
from gui.queue_words import (
    CLOSE,
    STUCK,
    empty_words,
    facts,
    headline,
    is_stuck,
    limit_words,
    reason,
    waits,
)
from gui.run_model import RunModel
from gui.theme import UNIT, scaled


class QueueCard(QFrame):
    """Hidden while the run that is shown has its nodes, and its time limit is far."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self.chip = StateChip()
        self.name = plain("", wrap=True)
        self.words = plain("", wrap=True)
        self.stuck = plain(STUCK, wrap=True)
        self.facts = muted("")
        self.close_words = muted(CLOSE)
        self.cancel_button = QPushButton(tr("Cancel the job…"))
        self._build()
        self.hide()

    def show_run(self, run: RunModel | None, now: float) -> None:
        """Say how the job stands at ``now``, UTC epoch seconds."""
        limit = limit_words(run) if run is not None and run.live else ""
        waiting = waits(run) and run is not None and run.live
        self.setVisible(waiting or bool(limit))
        for widget in (self.chip, self.words, self.facts, self.close_words, self.cancel_button):
            widget.setVisible(waiting)
        stuck = waiting and run is not None and is_stuck(run.queue)
        self.stuck.setVisible(stuck)
        if run is not None and waiting:
            self.chip.set_state("unreachable" if stuck else "queued", run.state)
            _set(self.name, headline(run))
            _set(self.words, reason(run))
            self.words.setVisible(bool(reason(run)))
            _set(self.facts, " · ".join(facts(run, now)))
            self.close_words.setVisible(not stuck)
        else:
            _set(self.name, limit)

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(UNIT // 2)
        head = QHBoxLayout()
        head.setSpacing(UNIT)
        self.name.setFont(scaled(self.name.font(), 1.1, bold=True))
        self.name.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        head.addWidget(self.chip)
        head.addWidget(self.name, 1)
        head.addWidget(self.cancel_button)
        layout.addLayout(head)
        set_tone(self.stuck, "error")
        for widget in (self.words, self.stuck, self.facts, self.close_words):
            widget.setWordWrap(True)
            layout.addWidget(widget)


class EmptyWords(QLabel):
    """A sentence in the middle of a chart that has nothing to show."""

    def __init__(self, chart: QWidget) -> None:
        super().__init__(chart)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWordWrap(True)
        self.setProperty("tone", "muted")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setStyleSheet("background: transparent;")
        self._chart = chart
        chart.installEventFilter(self)
        self.hide()

    def show_run(self, run: RunModel | None) -> None:
        """Say that the job waits, or nothing."""
        words = empty_words(run)
        _set(self, words)
        if bool(words) != self.isVisibleTo(self._chart):
            self.setGeometry(self._chart.rect())
            self.setVisible(bool(words))
            self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._chart.rect())
        return False


def _set(label: QLabel, text: str) -> None:
    if label.text() != text:
        label.setText(text)
