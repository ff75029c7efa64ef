"""A study's rows as texts and as CSV: window and command line show the same table. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from remote.study.outcome import Outcome, Row
from remote.study.plan import StudyPlan

NOTHING = "–"


def heads(plan: StudyPlan) -> list[str]:
    """The titles of a study's table."""
    found = ["size", "runs", "examples/s", "lowest", "highest", "speedup", "of ideal"]
    return found if plan.target is None else [*found, f"to {plan.target:.1%}"]


def cells(row: Row, plan: StudyPlan) -> list[str]:
    """A row's texts, one for each of :func:`heads`."""
    failed = f" ({row.failed} failed)" if row.failed else ""
    ideal = row.efficiency is not None and not row.point.is_single
    found = [
        str(row.point),
        f"{row.runs}{failed}",
        _number(row.rate),
        _number(row.low),
        _number(row.high),
        NOTHING if row.speedup is None else f"{row.speedup:.2f}x",
        f"{row.efficiency:.0%}" if ideal else NOTHING,
    ]
    if plan.target is not None:
        found.append(NOTHING if row.to_target_s is None else f"{row.to_target_s:.1f} s")
    return found


def as_csv(rows: Sequence[Row]) -> str:
    """One line a size; numbers as they are, empty where there is none."""
    names = ["workers", "ps", "runs", "failed", "examples_per_second", "lowest", "highest"]
    names += ["speedup", "efficiency", "to_target_s"]
    lines = [
        [*r.point, r.runs, r.failed, r.rate, r.low, r.high, r.speedup, r.efficiency, r.to_target_s]
        for r in rows
    ]
    return _csv([names, *lines])


def runs_as_csv(outcomes: Sequence[Outcome]) -> str:
    """One line a run, in the order in which they were made."""
    names = ["workers", "ps", "repeat", "run", "state", "examples_per_second", "accuracy"]
    names += ["to_target_s"]
    lines = [
        [*o.turn.point, o.turn.repeat, o.run_id, o.state, o.rate, o.accuracy, o.to_target_s]
        for o in sorted(outcomes, key=lambda outcome: outcome.run_id)
    ]
    return _csv([names, *lines])


def _csv(lines: Sequence[Sequence[object]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(["" if cell is None else cell for cell in line] for line in lines)
    return out.getvalue()


def _number(value: float | None) -> str:
    if value is None:
        return NOTHING
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
