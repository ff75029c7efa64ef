"""Where the workers' time goes: the last seconds of each, and the parts of all over the run."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from gui.series import Series
from remote.limits import PARTS, Limit, Pace, Part, find_limit, shares, stragglers
from remote.updates import Spent
from trainer.spec import TaskId

RECENT_S = 10.0
"""What limits a run is judged by this much of it."""
ENOUGH_S = 2.0
"""A worker that has reported less than this much time is not judged yet."""
BIN_S = 1.0
LATE_BINS = 2
"""Bins that may still get windows: workers report at different moments."""


class SplitModel:
    """Filled window by window; times are UTC epoch seconds. No Qt."""

    def __init__(self) -> None:
        self.parts: dict[Part, Series] = {part: Series() for part in PARTS}
        """Percent of the time of all workers, on average; a gap where nobody made a step."""
        self._recent: dict[TaskId, deque[tuple[int, Pace]]] = {}
        """By the number of the bin."""
        self._all: dict[TaskId, Pace] = {}
        self._finished = False
        self._bins: dict[int, Spent] = {}
        self._newest = -math.inf
        self._last_bin: int | None = None

    def add(self, task: TaskId, t: float, spent: Spent, steps: int) -> None:
        """One window of ``task`` that ended at ``t``."""
        if spent.window_s <= 0 or not math.isfinite(t):
            return
        self._newest = max(self._newest, t)
        number = math.floor(t / BIN_S)
        pace = Pace(spent=spent, steps=steps)
        self._all[task] = self._all[task] + pace if task in self._all else pace
        recent = self._recent.setdefault(task, deque())
        if recent and recent[-1][0] == number:
            recent[-1] = (number, recent[-1][1] + pace)
        else:
            recent.append((number, pace))
        if self._last_bin is None or number > self._last_bin:
            self._bins[number] = self._bins.get(number, Spent()) + spent
        self._close(before=math.floor(self._newest / BIN_S) - LATE_BINS)

    def finish(self) -> None:
        """The run has ended: what is collected is shown, and the whole run is judged."""
        self._finished = True
        self._close(before=math.inf)

    def limit(self, *, sync: bool, gpu_percent: float | None = None) -> Limit | None:
        """What limits the run now, or limited all of it; None: it cannot be told."""
        return find_limit(self._paces(), sync=sync, gpu_percent=gpu_percent)

    def stragglers(self, *, sync: bool) -> list[TaskId]:
        """Workers that are, or were, slower than the others."""
        return stragglers(self._paces(), sync=sync)

    def _paces(self) -> dict[TaskId, Pace]:
        if self._finished:
            return dict(self._all)
        found = {}
        for task, recent in self._recent.items():
            while recent and recent[0][0] < (self._newest - RECENT_S) / BIN_S:
                recent.popleft()
            total = Pace(spent=Spent(), steps=0)
            for _, pace in recent:
                total += pace
            if total.spent.window_s >= ENOUGH_S:
                found[task] = total
        return found

    def _close(self, before: float) -> None:
        """Move the bins before number ``before`` into the series."""
        for number in sorted(n for n in self._bins if n < before):
            spent = self._bins.pop(number)
            if self._last_bin is not None and number > self._last_bin + 1 + LATE_BINS:
                self._append((self._last_bin + 1.5) * BIN_S, dict.fromkeys(PARTS, np.nan))
            self._append((number + 0.5) * BIN_S, shares(spent))
            self._last_bin = number

    def _append(self, t: float, values: dict[Part, float]) -> None:
        for part, series in self.parts.items():
            series.append(t, 100 * values[part])
