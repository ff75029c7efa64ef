"""Deleting runs: gone from the list at once, from the history when nobody takes it back."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from gui.background import run_in_background
from gui.controller import Controller
from gui.language import plural, tr
from gui.notices import Notice
from remote.errors import ClewError

UNDO_MS = 10_000
"""So long a run can be brought back."""
BRING_BACK = tr("Bring back")


class Deleting(QObject):
    """Runs on their way out. ``changed`` when there are others, ``gone`` with ids of the past."""

    changed = Signal()
    gone = Signal(object)

    def __init__(self, controller: Controller, parent: QObject) -> None:
        super().__init__(parent)
        self._controller = controller
        self._waiting: list[str] = []
        self._going: set[str] = set()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(UNDO_MS)
        self._timer.timeout.connect(self.go_on)
        app = QApplication.instance()
        if app is not None:
            app.aboutToQuit.connect(self.finish)

    @property
    def hidden(self) -> frozenset[str]:
        """Runs that are not to be shown any more."""
        return frozenset(self._waiting) | frozenset(self._going)

    def delete(self, run_ids: Iterable[str]) -> None:
        """Let these runs go, after the time in which they can be brought back."""
        self.go_on()  # those before them have had theirs
        self._waiting = list(run_ids)
        if not self._waiting:
            return
        count = len(self._waiting)
        text = plural(
            "Run {run} is deleted from this computer; files on nodes stay as they are.",
            "{n} runs are deleted from this computer; files on nodes stay as they are.",
            count,
            run=self._waiting[0],
        )
        self._controller.notices.add(
            Notice("info", text, action=BRING_BACK, run_action=self.undo, topic=BRING_BACK)
        )
        self._timer.start()
        self.changed.emit()

    def undo(self) -> None:
        """Bring the last ones back, if it is not too late."""
        self._timer.stop()
        self._waiting = []
        self._controller.notices.dismiss_topic(BRING_BACK)
        self.changed.emit()

    @property
    def can_undo(self) -> bool:
        return bool(self._waiting)

    def go_on(self) -> None:
        """Remove what waits from the history now, in the background."""
        self._timer.stop()
        going, self._waiting = self._waiting, []
        self._controller.notices.dismiss_topic(BRING_BACK)
        if not going:
            return
        self._going |= set(going)

        def over() -> None:
            self._going -= set(going)
            self.changed.emit()

        def done(_: None) -> None:
            self.gone.emit(frozenset(going))
            over()

        def failed(error: ClewError) -> None:
            over()
            self._controller.notices.error(error)

        run_in_background(
            self._controller.bridge, self._removal(going), done, failed, name="delete runs"
        )

    def finish(self) -> None:
        """The window has closed: nobody takes anything back now."""
        self._timer.stop()
        going, self._waiting = self._waiting, []
        try:
            self._removal(going)()
        except ClewError:
            return  # nobody is there to be told; the runs are still there next time

    def _removal(self, run_ids: list[str]) -> Callable[[], None]:
        history = self._controller.history

        def work() -> None:
            for run_id in run_ids:
                history().delete(run_id)

        return work
