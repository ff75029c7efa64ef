"""How fast something goes and how long it will still take."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

_WINDOW_S = 8.0
_LEAST_S = 0.5


class Pace:
    """The rate over the last seconds, from how much was done at which moment."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._points: deque[tuple[float, int]] = deque()

    def rate(self, done: int) -> float | None:
        """Take in what is done; units per second, or None while that cannot be told."""
        now = self._clock()
        self._points.append((now, done))
        while len(self._points) > 2 and self._points[1][0] <= now - _WINDOW_S:
            self._points.popleft()
        since, before = self._points[0]
        if now - since < _LEAST_S or done < before:
            return None
        return (done - before) / (now - since)
