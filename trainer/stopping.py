"""How a task is asked to end: SIGTERM, heard even while the main thread is inside TensorFlow."""

from __future__ import annotations

import json
import math
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from trainer.failures import StopRequested

SIGNALS = (signal.SIGTERM, signal.SIGINT)
STOP_ORDER = "stop.json"
"""In the task's folder once somebody has ordered a stop; ``grace_s`` is what the task gets."""
_MARGIN_S = 2.0
"""So long before it would be killed, a task gives up by itself and says so."""
_CHECKPOINT_S = 120.0
"""What an order to stop after a checkpoint gives where it names no time."""


class StopSignal:
    """Turns SIGTERM and SIGINT into :class:`StopRequested` at the next :meth:`check`.

    The signals are blocked and taken by a thread of their own, because Python runs a handler only
    when the main thread returns from C code, and a session call may take minutes. If the task has
    not ended :attr:`grace_s` after the signal, ``last_words`` is called and the process dies by
    it. Must be made on the main thread before TensorFlow starts any thread.

    Args:
        last_words: called when the process has to end in the middle of something.
        folder: the task's, in which a stop order may give it more time.
    """

    grace_s = 0.5
    """A role that may be in the middle of a call raises this."""
    saves = False
    """Whether it has something to save, for which a stop order may give more time."""

    def __init__(self, last_words: Callable[[], None], folder: Path | None = None) -> None:
        self._last_words = last_words
        self._folder = folder
        self._requested = threading.Event()
        self._wake = threading.Event()
        self._failure: BaseException | None = None
        self._ended = threading.Event()
        self._signal = signal.SIGTERM
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        threading.Thread(target=self._watch, name="stop-signal", daemon=True).start()

    @property
    def requested(self) -> bool:
        return self._requested.is_set()

    @property
    def interrupted(self) -> bool:
        """Whether :meth:`check` would raise."""
        return self._wake.is_set()

    def fail(self, failure: BaseException) -> None:
        """A thread of the task cannot go on: every other one meets ``failure`` at its check."""
        if self._failure is None:
            self._failure = failure
        self._wake.set()

    def check(self) -> None:
        """Raise :class:`StopRequested` once the process was asked to end."""
        if self._requested.is_set():
            raise StopRequested
        if self._failure is not None:
            raise self._failure

    def sleep(self, seconds: float) -> None:
        """Wait; a stop request ends the wait by :class:`StopRequested`."""
        if self._wake.wait(seconds):
            self.check()

    def lasting(self, usual_s: float) -> float:
        """Seconds that saving may take: ``usual_s``, or more where the stop order gives it."""
        if self._folder is None:
            return usual_s
        folders = (self._folder, self._folder.parent.parent)  # the task's, and its run's
        return max(usual_s, *(_given_s(folder / STOP_ORDER) - _MARGIN_S for folder in folders))

    def die(self) -> NoReturn:
        """End this process by the signal that it got, so that its status says so."""
        self._ended.set()
        signal.signal(self._signal, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        os.kill(os.getpid(), self._signal)
        raise SystemExit(128 + self._signal)

    def _watch(self) -> None:
        self._signal = signal.Signals(signal.sigwait(SIGNALS))
        self._requested.set()
        self._wake.set()
        grace_s = self.lasting(self.grace_s) if self.saves else self.grace_s
        if not self._ended.wait(grace_s):
            self._last_words()
            # Only the main thread may set a handler; without one of ours the default applies.
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
            os.kill(os.getpid(), self._signal)


def _given_s(order: Path) -> float:
    """How long a stop order lets a task take to end; 0: it does not say, or there is none."""
    try:
        document = json.loads(order.read_bytes())
        if document.get("depth") == "checkpoint" and document.get("grace_s") is None:
            return _CHECKPOINT_S
        given = float(document["grace_s"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return 0.0
    return given if math.isfinite(given) else 0.0
