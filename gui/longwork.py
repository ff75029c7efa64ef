"""Work that may take long: in the background, with progress and a way out once it is noticed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QLabel, QProgressBar, QProgressDialog, QWidget

from gui.background import run_in_background
from gui.bridge import Bridge
from gui.language import tr
from remote.errors import Cancelled, ClewError

T = TypeVar("T")
SHOW_AFTER_MS = 600
_LOOK_MS = 100
_PARTS = 1000
Work = Callable[[Callable[[int, int], None], Callable[[], bool]], T]


class LongWork(QObject):
    """One piece of work; keeps itself until it has ended.

    Args:
        window: where the dialog belongs.
        what: said above the bar.
        work: gets a function for progress (done, total) and one that says whether to end.
        done: takes the result, on the window's thread.
        failed: takes an error; a work that was cancelled tells nothing.
    """

    def __init__(
        self,
        bridge: Bridge,
        window: QWidget,
        what: str,
        work: Work[T],
        done: Callable[[T], None],
        failed: Callable[[ClewError], None],
    ) -> None:
        super().__init__(window)
        self._ended = threading.Event()
        self._part = 0
        self.dialog = QProgressDialog(window)
        self.dialog.setWindowTitle("Clew")
        label = QLabel(what)
        label.setTextFormat(Qt.TextFormat.PlainText)
        self.dialog.setLabel(label)
        bar = QProgressBar()
        bar.setTextVisible(False)
        bar.setAccessibleName(tr("Progress"))
        self.dialog.setBar(bar)
        self.dialog.setRange(0, 0)  # busy, until the work says how far it has come
        self.dialog.setMinimumDuration(SHOW_AFTER_MS)
        self.dialog.setMinimumWidth(360)
        self.dialog.setAutoReset(False)
        self.dialog.setAutoClose(False)
        self.dialog.canceled.connect(self._ended.set)
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._show)
        self._timer.start()

        def finish(result: T) -> None:
            self._close()
            done(result)

        def fail(error: ClewError) -> None:
            self._close()
            if not isinstance(error, Cancelled):
                failed(error)

        def body() -> T:
            return work(self._progress, self._ended.is_set)

        run_in_background(bridge, body, finish, fail, name=what.rstrip(" …"))

    def cancel(self) -> None:
        """End it as soon as it looks."""
        self._ended.set()

    def _show(self) -> None:
        if self._part:
            self.dialog.setMaximum(_PARTS)
            self.dialog.setValue(self._part)

    def _progress(self, done: int, total: int) -> None:
        self._part = done * _PARTS // max(1, total)

    def _close(self) -> None:
        self._timer.stop()
        self.dialog.canceled.disconnect(self._ended.set)
        self.dialog.close()
        self.dialog.deleteLater()
        self.deleteLater()
