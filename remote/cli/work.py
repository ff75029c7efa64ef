"""Something that blocks, beside the loop that shows updates and listens for Ctrl-C."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Work(Generic[T]):
    """Something that blocks, on a thread of its own, so that its progress can be shown."""

    def __init__(self, action: Callable[[Callable[[], bool]], T]) -> None:
        self._stop = threading.Event()
        self._results: list[T] = []
        self._error: BaseException | None = None
        self._action = action
        self._thread = threading.Thread(target=self._run, name="clew-work", daemon=True)
        self._thread.start()

    @property
    def ended(self) -> bool:
        return not self._thread.is_alive()

    def cancel(self) -> None:
        self._stop.set()

    def join(self, timeout_s: float) -> None:
        self._thread.join(timeout_s)

    def result(self) -> T:
        """What came of it; raises what it raised."""
        if self._error is not None:
            raise self._error
        return self._results[0]

    def _run(self) -> None:
        try:
            self._results.append(self._action(self._stop.is_set))
        except BaseException as error:  # raised again by whoever asks for the result
            self._error = error
