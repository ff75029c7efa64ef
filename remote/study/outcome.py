"""From a study's runs to its table: speedup, efficiency, spread, and a recommendation. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from remote.study.plan import Point, Turn
from remote.updates import EvalUpdate, ResultUpdate

NEARLY = 0.95
"""Of two sizes that are this close, the smaller one is recommended."""
PAYS = 1.1
"""A cluster that is not faster than one process by this much is not worth it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """How one run of a study went. None: it gave no such number."""

    turn: Turn
    run_id: str
    state: str
    rate: float | None
    """Examples per second, from the first step to the last."""
    accuracy: float | None
    to_target_s: float | None
    """From its first step to the first evaluation that reached the target."""
    reason: str = ""
    start_s: float | None = None
    """From its launch to its first step."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """All runs of one size. Rates are examples per second.

    ``speedup`` is the median rate over that of one process, ``efficiency`` the part of the ideal
    line that this is; both None while there is nothing to compare with.
    """

    point: Point
    runs: int
    failed: int
    rate: float | None
    low: float | None
    high: float | None
    speedup: float | None
    efficiency: float | None
    to_target_s: float | None


def outcome_of(
    turn: Turn,
    result: ResultUpdate,
    *,
    started_at: float,
    evals: Iterable[EvalUpdate] = (),
    target: float | None = None,
) -> Outcome:
    """What a study keeps of a run; ``started_at`` is when it was launched, epoch seconds."""
    reached = [e.t for e in evals if target is not None and e.accuracy >= target]
    first_step_at = started_at + (result.time_to_first_step_s or 0.0)
    return Outcome(
        turn=turn,
        run_id=result.run_id,
        state=result.state,
        rate=result.examples_per_second if result.state == "finished" else None,
        accuracy=result.accuracy,
        to_target_s=max(0.0, min(reached) - first_step_at) if reached else None,
        reason=result.reason,
        start_s=result.time_to_first_step_s,
    )


def summarize(points: Sequence[Point], outcomes: Sequence[Outcome]) -> list[Row]:
    """A row for each point, in their order."""
    rates = {p: _rates(o for o in outcomes if o.turn.point == p) for p in points}
    base = _of_one_process(rates)
    rows = []
    for point in points:
        # One that was stopped says nothing of its size, and is made again.
        own = [o for o in outcomes if o.turn.point == point and o.state != "stopped"]
        found = rates[point]
        rate = statistics.median(found) if found else None
        speedup = rate / base if rate is not None and base else None
        times = [o.to_target_s for o in own if o.to_target_s is not None]
        rows.append(
            Row(
                point=point,
                runs=len(own),
                failed=sum(o.state != "finished" for o in own),
                rate=rate,
                low=min(found, default=None),
                high=max(found, default=None),
                speedup=speedup,
                efficiency=None if speedup is None else speedup / max(1, point.workers),
                to_target_s=statistics.median(times) if times else None,
            )
        )
    return rows


def recommend(rows: Sequence[Row]) -> str:
    """One or two sentences: which size to train with."""
    known = [row for row in rows if row.rate is not None and not row.point.is_single]
    if not known:
        return ""
    best = max(known, key=lambda row: row.rate or 0.0)
    enough = [row for row in known if (row.rate or 0.0) >= NEARLY * (best.rate or 0.0)]
    chosen = min(enough, key=lambda row: (row.point.workers, row.point.ps))
    if chosen.speedup is None:
        return f"{chosen.point} is the fastest that was tried."
    if any(row.point.is_single for row in rows) and chosen.speedup < PAYS:
        return (
            f"One process is as fast as a cluster here: {chosen.point} gave {chosen.speedup:.2f} "
            "times its examples. A larger batch_size or model gives workers more to do."
        )
    said = (
        f"{chosen.point}: {chosen.speedup:.2f} times one process, "
        f"{100 * (chosen.efficiency or 0.0):.0f}% of ideal."
    )
    larger = [r for r in known if r.point.workers > chosen.point.workers]
    if larger:
        most = max(larger, key=lambda row: row.rate or 0.0)
        gain = 100 * ((most.rate or 0.0) / (chosen.rate or 1.0) - 1)
        return f"{said} {most.point} changed that by {gain:+.0f}% only."
    return f"{said} It is the largest that was tried; more may be faster still."


def _rates(outcomes: Iterable[Outcome]) -> list[float]:
    return [o.rate for o in outcomes if o.rate is not None]


def _of_one_process(rates: dict[Point, list[float]]) -> float | None:
    """The rate to compare with: the baseline's, or what a worker of the smallest cluster did."""
    for point in sorted(rates):
        if rates[point]:
            return statistics.median(rates[point]) / max(1, point.workers)
    return None
