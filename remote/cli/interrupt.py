"""Ctrl-C, counted: the first asks, the second insists."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """Counts SIGINT; SIGTERM and SIGHUP (logout) count as insisting at once.

    Only the main thread may take signals; elsewhere nothing is taken.
    """

    def __init__(self) -> None:
        self.count = 0
        self.leaving = False
        """Somebody ends this process: leave the run as it is."""
        self._old: dict[signal.Signals, Any] = {}
        if threading.current_thread() is threading.main_thread():
            self._old = {number: signal.signal(number, self._take) for number in _SIGNALS}

    def close(self) -> None:
        """Restore what was there before."""
        for number, handler in self._old.items():
            signal.signal(number, handler)
        self._old = {}

    def _take(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        if number != signal.SIGINT or self.count > 1:
            self.leaving = True
