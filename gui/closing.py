"""The way out: one question at most, the window gone at once, the process soon after."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QMessageBox, QWidget

from gui.controller import Controller
from gui.language import tr
from gui.practice import Practice

LAST_MS = 2000
"""The process ends after this, whatever a connection is waiting for."""
STOP_LAST_MS = 60_000


class CloseQuestion(Enum):
    """What to do with a run that goes on."""

    LEAVE = "leave"
    STOP = "stop"
    CANCEL = "cancel"


class Closing:
    """Asks, then lets go of everything without blocking the window's thread."""

    def __init__(self, window: QWidget, controller: Controller, practice: Practice) -> None:
        self._window = window
        self._controller = controller
        self._practice = practice
        self._answer = CloseQuestion.LEAVE
        self.begun = False

    def ask(self) -> bool:
        """Ask about a live run; False when the window shall stay."""
        if not self._controller.run_active:
            return True
        self._answer = self._question()
        return self._answer is not CloseQuestion.CANCEL

    def begin(self, quit_app: Callable[[], None]) -> None:
        """Hide the window and call ``quit_app`` when all is let go, or when time is up."""
        self.begun = True
        self._window.hide()
        stop = self._answer is CloseQuestion.STOP
        timer = QTimer(self._window)
        timer.setSingleShot(True)
        timer.timeout.connect(quit_app)
        timer.start(STOP_LAST_MS if stop else LAST_MS)

        def finished() -> None:
            self._controller.bridge.stop()
            quit_app()

        self._controller.close(finished, stop_run=stop)

    def _question(self) -> CloseQuestion:
        run = self._controller.models.run
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        practice = self._practice.running
        handle = self._controller.handle
        holder = handle.controlled_from if handle is not None else ""
        stopping = run is not None and run.state == "stopping"
        run_id = run.run_id if run is not None else ""
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(
            tr("Run {run_id} is being stopped.", run_id=run_id)
            if stopping
            else tr("Run {run_id} is still going on.", run_id=run_id)
        )
        box.setInformativeText(_what_follows(practice=practice, holder=holder, stopping=stopping))
        role = QMessageBox.ButtonRole
        words = tr("Close now") if stopping else tr("Leave it running")
        leave = None if practice else box.addButton(words, role.AcceptRole)
        words = tr("Close when it has stopped") if stopping else tr("Stop it and close")
        stop = None if holder else box.addButton(words, role.DestructiveRole)
        cancel = box.addButton(tr("Cancel"), role.RejectRole)
        box.setDefaultButton(leave or stop or cancel)
        box.setEscapeButton(cancel)
        box.exec()
        clicked = box.clickedButton()
        if leave is not None and clicked is leave:
            return CloseQuestion.LEAVE
        stopped = stop is not None and clicked is stop
        return CloseQuestion.STOP if stopped else CloseQuestion.CANCEL


def _what_follows(*, practice: bool, holder: str, stopping: bool) -> str:
    """What becomes of the run when the window is closed."""
    if practice:
        return tr("It would end with the practice nodes.")
    if holder:
        return tr("It is controlled from {holder}; here it is only watched.", holder=holder)
    if stopping:
        return tr(
            "The nodes go on with it; what they could not end is ended at the next connection."
        )
    return tr("Left running, its nodes look after it; follow it again from the Runs page.")
