"""Tasks that are killed: the run goes on to its exact end once they are started again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.trainer.cluster import CHIEF, PS_0, WORKER_1, Cluster
from trainer.events import CheckpointSaved, Evaluated, Notice, PhaseChanged, Restored, Steps
from trainer.spec import OptimizerSpec, TrainingSpec

pytestmark = [pytest.mark.tf, pytest.mark.timeout(1500)]
STEPS = 300
LOST_WITH_A_PROCESS = 40
"""A killed worker takes the steps of its unwritten window with it: at most this many."""


@pytest.fixture
def cluster(weird_path: Path) -> Iterator[Cluster]:
    """A run whose steps are slow enough for a killed task to come back before its end.

    Each worker has two steps under way, and loses both when it is killed.
    """
    training = TrainingSpec(
        batch_size=512,
        steps=STEPS,
        checkpoint_every_s=1.0,
        calls_in_flight=2,
        optimizer=OptimizerSpec(name="sgd", learning_rate=0.01),
    )
    with Cluster(weird_path, training) as made:
        made.start()
        yield made


def steps_of_attempt(cluster: Cluster, attempt: int) -> list[int]:
    return [
        step
        for task in (CHIEF, WORKER_1)
        for event in cluster.events_of(task)
        if event.attempt == attempt and isinstance(event.body, Steps)
        for step in event.body.steps
    ]


def assert_each_step_at_most_once(steps: list[int], missing: int) -> None:
    assert len(steps) == len(set(steps))
    assert set(steps) <= set(range(1, STEPS + 1))
    assert max(steps) == STEPS
    assert len(steps) >= STEPS - missing


def test_that_a_killed_worker_rejoins_at_the_current_step(cluster: Cluster) -> None:
    cluster.wait_until(lambda: bool(cluster.steps(WORKER_1)))
    cluster.kill(WORKER_1)
    at_the_kill = max(cluster.steps(WORKER_1))
    with cluster.held(CHIEF):  # or it might take all steps alone before the worker is back
        cluster.start(WORKER_1)
        cluster.wait_until(lambda: bool(steps_of_attempt(cluster, 2)))
    assert set(cluster.wait().values()) == {0}
    again = steps_of_attempt(cluster, 2)
    assert min(again) > at_the_kill
    for task in (CHIEF, WORKER_1):
        assert cluster.steps(task) == sorted(cluster.steps(task))
    assert_each_step_at_most_once(cluster.steps(), LOST_WITH_A_PROCESS)


def test_that_a_killed_chief_goes_on_with_what_the_ps_hold(cluster: Cluster) -> None:
    cluster.wait_until(lambda: bool(cluster.bodies(CHIEF, CheckpointSaved)))
    cluster.kill(CHIEF)
    cluster.start(CHIEF)
    assert set(cluster.wait().values()) == {0}
    assert not cluster.bodies(CHIEF, Restored)
    texts = [body.text for body in cluster.bodies(CHIEF) if isinstance(body, Notice)]
    assert any("with the variables that the ps hold" in text for text in texts)
    assert_each_step_at_most_once(cluster.steps(), LOST_WITH_A_PROCESS)
    (result,) = cluster.bodies(CHIEF, Evaluated)
    assert isinstance(result, Evaluated)
    assert result.step == STEPS


def test_that_a_killed_ps_gets_the_last_checkpoint_and_the_run_its_last_step(
    cluster: Cluster,
) -> None:
    cluster.wait_until(lambda: bool(cluster.bodies(CHIEF, CheckpointSaved)))
    cluster.kill(PS_0)
    waits = PhaseChanged(phase="waiting", detail=f"waiting for ps:0 at {cluster.spec.ps[0]}")
    cluster.wait_until(lambda: cluster.bodies(CHIEF)[-1] == waits)
    cluster.wait_until(lambda: cluster.bodies(WORKER_1)[-1] == waits)
    cluster.start(PS_0)
    assert set(cluster.wait().values()) == {0}
    (restored,) = (e for e in cluster.events_of(CHIEF) if isinstance(e.body, Restored))
    assert isinstance(restored.body, Restored)
    assert restored.body.step > 0
    after = [
        step
        for task in (CHIEF, WORKER_1)
        for event in cluster.events_of(task)
        if isinstance(event.body, Steps) and event.t > restored.t
        for step in event.body.steps
    ]
    assert sorted(after) == list(range(restored.body.step + 1, STEPS + 1))
