"""When a run has reached what it was for."""

from __future__ import annotations

import math

from trainer.early_stop import EarlyStop
from trainer.events import Evaluated
from trainer.spec import EarlyStopSpec, TrainingSpec


def at(step: int, loss: float, accuracy: float = 0.5) -> Evaluated:
    return Evaluated(step=step, loss=loss, accuracy=accuracy, examples=10, seconds=0.1)


def test_that_nothing_wanted_never_stops() -> None:
    stop = EarlyStop(EarlyStopSpec())
    assert not any(stop.reason(at(n, 1.0, 1.0)) for n in range(50))


def test_that_a_target_is_reached_or_passed() -> None:
    assert EarlyStop(EarlyStopSpec(accuracy=0.9)).reason(at(7, 1.0, 0.89)) == ""
    reason = EarlyStop(EarlyStopSpec(accuracy=0.9)).reason(at(7, 1.0, 0.9))
    assert reason == "stopped early at step 7: the test accuracy is 0.9000, and 0.9 was wanted"
    assert "the test loss is 0.1" in EarlyStop(EarlyStopSpec(loss=0.2)).reason(at(7, 0.1))
    assert EarlyStop(EarlyStopSpec(loss=0.2)).reason(at(7, math.nan)) == ""


def test_that_no_progress_is_counted_anew_after_each_progress() -> None:
    stop = EarlyStop(EarlyStopSpec(patience=2))
    losses = [1.0, 1.1, 0.9, 0.9, 0.8, math.nan, 0.81]
    reasons = [stop.reason(at(n, loss)) for n, loss in enumerate(losses)]
    assert [bool(reason) for reason in reasons] == [False] * 6 + [True]
    assert "no lower than the 0.8 of step 4 in 2 evaluations" in reasons[-1]


def test_that_early_stop_without_evaluations_is_a_problem() -> None:
    spec = TrainingSpec(early_stop=EarlyStopSpec(patience=2))
    assert [p.path for p in spec.problems()] == ["evaluate_every"]
