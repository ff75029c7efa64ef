"""From the session's queue to the window: one timer drains it in batches; no signal per event."""

from __future__ import annotations

import time
from collections.abc import Callable
from queue import Empty, SimpleQueue

from PySide6.QtCore import QObject, QTimer

from remote.updates import Update

ACTIVE_MS = 30
HIDDEN_MS = 400
BUDGET_S = 0.012
"""Time one tick may spend on taking updates in; the rest waits for the next tick."""
BATCH = 128


class Bridge(QObject):
    """Hands updates to ``take`` in order, many at a time, then calls ``tick`` once.

    Work that ran in the background comes back through the same timer (:meth:`later`), so that
    everything that touches widgets happens here. After :meth:`stop` nothing is delivered.
    """

    def __init__(
        self,
        take: Callable[[list[Update]], None],
        tick: Callable[[], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.updates: SimpleQueue[Update] = SimpleQueue()
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._take = take
        self._tick = tick
        self._stopped = False
        self._timer = QTimer(self)
        self._timer.setInterval(ACTIVE_MS)
        self._timer.timeout.connect(self.drain)

    def start(self) -> None:
        self._timer.start()

    def stop(self) -> None:
        """Deliver nothing more; safe to call twice."""
        self._stopped = True
        self._timer.stop()

    def set_hidden(self, hidden: bool) -> None:
        """Tick slower while nobody can see the window."""
        self._timer.setInterval(HIDDEN_MS if hidden else ACTIVE_MS)

    def replace_queue(self) -> SimpleQueue[Update]:
        """A fresh queue for a new session: late updates of the old one are dropped."""
        self.updates = SimpleQueue()
        return self.updates

    def later(self, call: Callable[[], None]) -> None:
        """Run ``call`` on the window's thread at the next tick. May be called from any thread."""
        self._calls.put(call)

    def drain(self) -> None:
        """One tick: calls, then updates within the time budget, then the tick function."""
        self._drain_calls()
        if self._stopped:
            return
        deadline = time.perf_counter() + BUDGET_S
        while self._drain_batch() and time.perf_counter() < deadline:
            pass
        if not self._stopped:
            self._tick()

    def _drain_calls(self) -> None:
        while not self._stopped:
            try:
                call = self._calls.get_nowait()
            except Empty:
                return
            call()

    def _drain_batch(self) -> bool:
        """Hand on up to BATCH updates; True when there may be more."""
        batch: list[Update] = []
        queue = self.updates
        try:
            while len(batch) < BATCH:
                batch.append(queue.get_nowait())
        except Empty:
            pass
        if batch:
            self._take(batch)
        return len(batch) == BATCH and not self._stopped
