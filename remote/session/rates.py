"""Examples per second, for each worker on its own clock, and their sum. Pure.

The rate of a worker at time ``t`` is the number of examples that entered its model in the
``WINDOW_S`` seconds before ``t``, over ``WINDOW_S``: wall-clock, so time in which a worker did
something else counts. A reported window that lies across an edge counts in proportion. Times
inside one worker's series come from one clock, so no difference of two machines' clocks enters.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from trainer.spec import TaskId

WINDOW_S = 1.0
GRID_S = 0.25
"""Rates are given at whole multiples of this."""
_HOLD_S = 2.0
"""How long the others' rates wait for a worker that has not been heard from."""
_CATCH_UP_POINTS = 100_000


@dataclass(frozen=True, slots=True)
class Rate:
    """Examples per second at ``t``: in sum, and of each worker that is at work."""

    t: float
    total: float
    per_worker: dict[TaskId, float]


@dataclass(slots=True)
class _Worker:
    windows: deque[tuple[float, float, int]] = field(default_factory=deque)
    """Start, end (this computer's clock), examples; in order, not overlapping."""
    end: float = -math.inf
    heard: float = -math.inf
    hold_s: float = _HOLD_S

    def rate(self, t: float) -> float:
        examples = 0.0
        for start, end, count in self.windows:
            overlap = min(end, t) - max(start, t - WINDOW_S)
            if overlap > 0:
                examples += count * overlap / (end - start)
        return examples / WINDOW_S

    def forget(self, before: float) -> None:
        while self.windows and self.windows[0][1] <= before:
            self.windows.popleft()


class RateMeter:
    """Collects the workers' windows and gives the rates that have become certain."""

    def __init__(self) -> None:
        self._workers: dict[TaskId, _Worker] = {}
        self._next: float | None = None

    def add(
        self, worker: TaskId, *, end: float, window_s: float, examples: int, now: float
    ) -> None:
        """One window of ``worker``: ``examples`` in the ``window_s`` seconds before ``end``.

        ``end`` is on the worker's clock, shifted by its node's offset; ``now`` is monotonic. A
        window without length or without finite numbers is left out: a gap, not a rate.
        """
        if not (math.isfinite(end) and math.isfinite(window_s)) or window_s <= 0 or examples < 0:
            return
        state = self._workers.setdefault(worker, _Worker())
        state.heard, state.hold_s = now, max(_HOLD_S, 2 * window_s)
        if end <= state.end:  # the node's clock was set back: go on, without overlap
            state.windows.clear()
        state.windows.append((end - window_s, end, examples))
        state.end = end
        first = math.floor((end - window_s) / GRID_S) * GRID_S + GRID_S
        if self._next is None:
            self._next = first

    def done(self, worker: TaskId) -> None:
        """The worker makes no more steps: nobody waits for it."""
        if worker in self._workers:
            self._workers[worker].hold_s = 0.0

    def take(self, now: float) -> list[Rate]:
        """The rates up to where all workers have reported, or are not waited for any more."""
        if self._next is None:
            return []
        waited = [w for w in self._workers.values() if now - w.heard < w.hold_s]
        ends = [w.end for w in waited] or [w.end for w in self._workers.values()]
        limit = min(ends)
        if (limit - self._next) / GRID_S > _CATCH_UP_POINTS:  # a clock jumped by days
            self._next = math.floor(limit / GRID_S) * GRID_S
        rates = []
        while self._next <= limit:
            rates.append(self._at(self._next))
            self._next = round(self._next / GRID_S + 1) * GRID_S
        return rates

    def _at(self, t: float) -> Rate:
        per_worker = {}
        for task, worker in sorted(self._workers.items()):
            worker.forget(t - WINDOW_S)
            if worker.windows and worker.windows[0][0] < t:
                per_worker[task] = worker.rate(t)
        return Rate(t, sum(per_worker.values()), per_worker)
