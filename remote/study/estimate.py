"""How long a study takes, from rates that are known. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from remote.study.plan import Point, StudyPlan, Turn, training_at
from trainer.spec import DEFAULT_STEPS


def estimate_s(
    plan: StudyPlan, turns: Iterable[Turn], rates: Mapping[Point, float], start_s: float = 0.0
) -> float | None:
    """Seconds that ``turns`` take; None: it cannot be told.

    A size without a rate of its own is taken to be as fast as its workers are one by one, so the
    truth is rather longer.

    Args:
        rates: examples per second of sizes that are known.
        start_s: from a run's launch to its first step.
    """
    known = {point: rate for point, rate in rates.items() if rate > 0}
    if plan.training.epochs is not None or not known:
        return None
    smallest = min(known)
    of_one = known[smallest] / max(1, smallest.workers)
    total = 0.0
    for turn in turns:
        rate = known.get(turn.point, of_one * max(1, turn.point.workers))
        total += start_s + _examples(plan, turn.point) / rate
    return total


def _examples(plan: StudyPlan, point: Point) -> int:
    training = training_at(plan, point)
    batches = max(1, point.workers - training.backup_workers) if training.is_sync else 1
    return (training.steps or DEFAULT_STEPS) * training.batch_size * batches
