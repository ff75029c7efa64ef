"""The curves of a recorded run, for a drawing: sorted, and no more points than can be seen."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from remote.errors import Cancelled
from remote.history import History
from remote.session import replay
from remote.updates import EvalUpdate, MarkUpdate, NodeSample, RateUpdate, StepsUpdate

KEEP = 0.95
"""Of the running mean's last value goes into its next, as on the live page."""
COLUMNS = 400
"""Spans of time that a curve is thinned to: each keeps its least and its greatest value."""
Points = list[tuple[float, float]]


@dataclass
class Curves:
    """Elapsed seconds and values; NaN is a gap."""

    loss: Points = field(default_factory=list)
    mean: Points = field(default_factory=list)
    evals: Points = field(default_factory=list)
    accuracy: Points = field(default_factory=list)
    rate: Points = field(default_factory=list)
    gpus: Points = field(default_factory=list)
    """Mean utilization of all GPUs, percent."""
    marks: list[tuple[float, str, str]] = field(default_factory=list)
    """Elapsed seconds, kind, text."""
    not_finite: int = 0


def load_curves(
    history: History,
    run_id: str,
    started_at: float,
    cancelled: Callable[[], bool] = lambda: False,
) -> Curves:
    """Read all numbers of a run. Takes a while for long runs. Raises HistoryError, Cancelled."""
    curves = Curves()
    for update in replay(history, run_id):
        if cancelled():
            raise Cancelled("nothing was written")
        if isinstance(update, StepsUpdate):
            at = (t - started_at for t in update.times)
            curves.loss.extend(zip(at, update.losses, strict=True))
        elif isinstance(update, RateUpdate):
            curves.rate.append((update.t - started_at, update.total))
        elif isinstance(update, EvalUpdate):
            curves.evals.append((update.t - started_at, update.loss))
            curves.accuracy.append((update.t - started_at, update.accuracy))
        elif isinstance(update, MarkUpdate):
            curves.marks.append((update.t - started_at, update.kind, update.text))
        elif isinstance(update, NodeSample):
            used = [g.utilization_percent for g in update.gpus if g.utilization_percent is not None]
            if used:
                curves.gpus.append((update.t - started_at, sum(used) / len(used)))
    curves.loss.sort(key=lambda point: point[0])
    curves.gpus.sort(key=lambda point: point[0])
    curves.not_finite = sum(not math.isfinite(y) for _, y in curves.loss)
    curves.mean = thinned(running_mean(curves.loss))
    for name in ("loss", "rate", "gpus"):
        setattr(curves, name, thinned(getattr(curves, name)))
    return curves


def running_mean(points: Sequence[tuple[float, float]]) -> Points:
    """``m += max(1 - KEEP, 1 / n) * (y - m)`` over finite values; gaps stay gaps."""
    found: Points = []
    mean, count = 0.0, 0
    for x, y in points:
        if math.isfinite(y):
            count += 1
            mean += max(1 - KEEP, 1 / count) * (y - mean)
        found.append((x, mean if math.isfinite(y) else math.nan))
    return found


def thinned(points: Points, columns: int = COLUMNS) -> Points:
    """Per column of x the least and the greatest value and one gap, in their order."""
    if len(points) <= 3 * columns:
        return points
    low, high = points[0][0], points[-1][0]
    width = (high - low) / columns or 1.0
    found: Points = []
    column: list[int] = []
    before = 0
    for at, (x, _) in enumerate(points):
        now = int((x - low) / width)
        if now != before and column:
            found.extend(points[i] for i in _kept(points, column))
            column.clear()
        before = now
        column.append(at)
    found.extend(points[i] for i in _kept(points, column))
    return found


def _kept(points: Points, column: Sequence[int]) -> list[int]:
    finite = [i for i in column if math.isfinite(points[i][1])]
    kept = (
        {min(finite, key=lambda i: points[i][1]), max(finite, key=lambda i: points[i][1])}
        if finite
        else set()
    )
    gap = next((i for i in column if not math.isfinite(points[i][1])), None)
    if gap is not None:
        kept.add(gap)
    return sorted(kept)
