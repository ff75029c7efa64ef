"""The order to give up a connection, which every wait on the way to it listens to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from remote.errors import Cancelled

_TICK_S = 0.05


class Stop:
    """Set once, from any thread; callbacks then run at once, so that blocked calls return."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    def set(self) -> None:
        with self._lock:
            if self._event.is_set():
                return
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in reversed(callbacks):  # the innermost wait ends first
            callback()

    def is_set(self) -> bool:
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Sleep, but not longer than until it is set; True when it is."""
        return self._event.wait(seconds)

    def check(self, node: str) -> None:
        """Raises :class:`~remote.errors.Cancelled` when it is set."""
        if self._event.is_set():
            raise Cancelled("connecting was stopped", node=node)

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        """Call ``callback`` when it is set meanwhile, or at once when it is already."""
        with self._lock:
            late = self._event.is_set()
            if not late:
                self._callbacks.append(callback)
        if late:
            callback()
        try:
            yield
        finally:
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)

    @contextmanager
    def holding(self, lock: threading.Lock, node: str) -> Iterator[None]:
        """Hold ``lock``; raises Cancelled when it is set while waiting for it."""
        self.check(node)
        while not lock.acquire(timeout=_TICK_S):
            self.check(node)
        try:
            yield
        finally:
            lock.release()
