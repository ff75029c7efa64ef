"""The curves of one run by step, by elapsed time and by examples, for a comparison. No Qt."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from gui.series import Series, SmoothedSeries
from trainer.events import Evaluated, Steps

if TYPE_CHECKING:
    from remote.export.details import RunDetails
    from remote.history import History, StoredEvent
    from trainer.spec import TaskId

Array = NDArray[np.float64]
By = Literal["step", "time", "examples"]
BYS: tuple[By, ...] = ("step", "time", "examples")
_BLOCK = 4096


@dataclass
class RunCurves:
    """One run's series for each way to count; x ascending, y NaN at a gap."""

    details: RunDetails
    loss: dict[By, SmoothedSeries] = field(
        default_factory=lambda: {by: SmoothedSeries() for by in BYS}
    )
    accuracy: dict[By, Series] = field(default_factory=lambda: {by: Series() for by in BYS})
    rate: dict[By, Series] = field(default_factory=lambda: {by: Series() for by in BYS})

    def end(self, by: By) -> float:
        """The greatest x of all curves; 0: there is none."""
        every = (self.loss[by], self.accuracy[by], self.rate[by])
        return max((s.last_x for s in every if math.isfinite(s.last_x)), default=0.0)


def load_run_curves(history: History, run_id: str) -> RunCurves:
    """Read them, off the window's thread. Raises HistoryError: there is no such run."""
    from remote.export.details import load_details

    details = load_details(history, run_id)
    reader = _Reader(RunCurves(details), details.record.started_at)
    for t, task, stored in _in_time(history, run_id, details):
        body = stored.event.body
        if isinstance(body, Steps) and body.steps:
            reader.steps(task, body, stored.t - stored.event.t)
        elif isinstance(body, Evaluated):
            reader.evaluated(t, body)
    return reader.finish()


def _in_time(
    history: History, run_id: str, details: RunDetails
) -> Iterator[tuple[float, TaskId, StoredEvent]]:
    """The steps and evaluations of all tasks in order of time."""

    def labelled(task: TaskId, kind: str) -> Iterator[tuple[float, TaskId, StoredEvent]]:
        for stored in history.events(run_id, task, kind):
            yield stored.t, task, stored

    streams = [labelled(t.record.task, kind) for t in details.tasks for kind in ("steps", "eval")]
    return heapq.merge(*streams, key=lambda item: item[0])


class _Reader:
    """Takes events in order of time, counts examples, and fills series in blocks."""

    def __init__(self, curves: RunCurves, started_at: float) -> None:
        from remote.session.rates import RateMeter

        self._curves = curves
        self._t0 = started_at
        self._meter = RateMeter()
        self._examples = 0
        self._points: list[tuple[float, float, float, float]] = []
        self._known: list[tuple[float, float, float]] = []
        self._evals: list[tuple[float, float, float]] = []

    def steps(self, task: TaskId, body: Steps, shift_s: float) -> None:
        """Steps of a worker; its examples are spread evenly over them."""
        share = body.examples / len(body.steps)
        for number, (step, loss, t) in enumerate(
            zip(body.steps, body.losses, body.times, strict=True), start=1
        ):
            seen = self._examples + share * number
            self._points.append((float(step), t + shift_s - self._t0, seen, loss))
        self._examples += body.examples
        end = body.times[-1] + shift_s
        self._meter.add(task, end=end, window_s=body.window_s, examples=body.examples, now=end)
        self._known.append((end - self._t0, float(max(body.steps)), float(self._examples)))
        if len(self._points) >= _BLOCK:
            self._flush()

    def evaluated(self, t: float, body: Evaluated) -> None:
        self._evals.append((t - self._t0, float(body.step), body.accuracy))

    def finish(self) -> RunCurves:
        """All that is left, and the rates."""
        self._flush()
        if self._known:
            known = np.array(sorted(self._known)).T
            at, step, seen = known[0], np.maximum.accumulate(known[1]), known[2]
            rates = [(rate.t - self._t0, rate.total) for rate in self._meter.take(math.inf)]
            if rates:
                t, y = np.array(rates).T
                self._fill(self._curves.rate, np.interp(t, at, step), t, np.interp(t, at, seen), y)
            if self._evals:
                t, steps, y = np.array(self._evals).T
                self._fill(self._curves.accuracy, steps, t, np.interp(t, at, seen), y)
        elif self._evals:
            t, steps, y = np.array(self._evals).T
            self._fill(self._curves.accuracy, steps, t, np.full(t.size, np.nan), y)
        return self._curves

    def _flush(self) -> None:
        if self._points:
            step, t, seen, loss = np.array(self._points).T
            self._fill(self._curves.loss, step, t, seen, loss)
            self._points.clear()

    def _fill(
        self, into: dict[By, Series] | dict[By, SmoothedSeries],
        step: Array, t: Array, seen: Array, y: Array,
    ) -> None:  # fmt: skip
        for by, x in (("step", step), ("time", t), ("examples", seen)):
            into[by].extend(x, y)  # type: ignore[index]


def differing(runs: list[RunDetails]) -> list[tuple[str, list[str]]]:
    """Settings that are not the same in all runs: a name and each run's value."""
    keys: dict[str, None] = {}
    values = []
    for run in runs:
        own = {setting.key: setting.value for setting in run.settings}
        own["workers and ps"] = run.shape
        own["nodes"] = ", ".join(run.nodes)
        values.append(own)
        keys.update(dict.fromkeys(own))
    rows = [(key, [own.get(key, "–") for own in values]) for key in keys]
    return [(key, found) for key, found in rows if len(set(found)) > 1]
