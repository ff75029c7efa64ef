"""Runs with the points that a test wants to see drawn."""

from __future__ import annotations

from gui.run_model import RunModel
from remote.updates import StepsUpdate
from trainer.spec import TaskId, TrainingSpec

T0 = 1_700_000_000.0


def run_of(losses: list[float], t0: float = T0) -> RunModel:
    run = RunModel("r", training=TrainingSpec(steps=100), started_at=t0, live=False)
    run.apply(
        StepsUpdate(
            run_id="r",
            task=TaskId("worker", 0),
            steps=tuple(range(1, len(losses) + 1)),
            losses=tuple(losses),
            times=tuple(t0 + i for i in range(len(losses))),
        )
    )
    return run
