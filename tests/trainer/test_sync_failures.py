"""Tasks of sync and in-graph runs that are killed: the run goes on to its exact end."""

from __future__ import annotations

import itertools
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.trainer.cluster import CHIEF, PS_0, WORKER_1, Cluster
from trainer.events import (
    CheckpointSaved,
    Evaluated,
    Event,
    Notice,
    PhaseChanged,
    Restored,
    Steps,
)
from trainer.spec import TaskId, TrainingSpec

pytestmark = [pytest.mark.tf, pytest.mark.timeout(1500)]
STEPS = 120
WORKER_2 = TaskId("worker", 2)


def choices(**changes: Any) -> TrainingSpec:
    values: dict[str, Any] = {"batch_size": 128, "steps": STEPS, "update": "sync"}
    return TrainingSpec(**{**values, "checkpoint_every_s": 1.0, **changes})


@pytest.fixture(params=["between-graph", "in-graph"])
def cluster(request: pytest.FixtureRequest, weird_path: Path) -> Iterator[Cluster]:
    """A sync run with 2 ps that has saved a first checkpoint."""
    with Cluster(weird_path, choices(replication=request.param), ps=2) as made:
        made.start()
        made.wait_until(lambda: bool(made.bodies(CHIEF, CheckpointSaved)))
        yield made


def steps_after(cluster: Cluster, t: float) -> list[int]:
    return [
        step
        for event in cluster.events_of(CHIEF)
        if isinstance(event.body, Steps) and event.t > t
        for step in event.body.steps
    ]


def steps_of(cluster: Cluster, task: TaskId) -> list[Event]:
    return [event for event in cluster.events_of(task) if isinstance(event.body, Steps)]


def assert_it_ends_well(cluster: Cluster) -> None:
    assert set(cluster.wait().values()) == {0}
    (result,) = cluster.bodies(CHIEF, Evaluated)
    assert isinstance(result, Evaluated)
    assert result.step == STEPS
    for task in cluster.spec.tasks():
        assert "Traceback" not in cluster.log(task)


def test_that_a_killed_ps_gets_the_last_checkpoint(cluster: Cluster) -> None:
    ps_1 = TaskId("ps", 1)
    cluster.kill(ps_1)
    cluster.start(ps_1)
    assert_it_ends_well(cluster)
    (restored,) = (e for e in cluster.events_of(CHIEF) if isinstance(e.body, Restored))
    assert isinstance(restored.body, Restored)
    assert steps_after(cluster, restored.t) == list(range(restored.body.step + 1, STEPS + 1))


def test_that_a_killed_chief_goes_on_with_what_the_ps_hold(cluster: Cluster) -> None:
    killed_at = max(cluster.steps(CHIEF))
    cluster.kill(CHIEF)
    cluster.start(CHIEF)
    assert_it_ends_well(cluster)
    texts = [body.text for body in cluster.bodies(CHIEF) if isinstance(body, Notice)]
    assert any("with the variables that the ps hold" in text for text in texts)
    again = [
        step
        for event in cluster.events_of(CHIEF)
        if event.attempt == 2 and isinstance(event.body, Steps)
        for step in event.body.steps
    ]
    assert again == list(range(again[0], STEPS + 1))
    assert again[0] >= killed_at


def test_that_sync_waits_for_a_dead_worker_and_says_so(weird_path: Path) -> None:
    with Cluster(weird_path, choices(steps=10_000)) as cluster:
        cluster.start()
        cluster.wait_for_step(5)
        cluster.kill(WORKER_1)
        killed_at = time.time()
        whom = f"waiting for worker:1 at {cluster.spec.worker[1]} in step "
        cluster.wait_until(
            lambda: any(
                isinstance(event.body, PhaseChanged) and event.body.detail.startswith(whom)
                for event in cluster.events_of(CHIEF)
                if event.t > killed_at
            )
        )
        for task in (PS_0, CHIEF):
            cluster.processes[task].send_signal(signal.SIGTERM)
        assert cluster.status_of(CHIEF) == -signal.SIGTERM
        stood_at = max(cluster.steps(CHIEF))
        saved = cluster.bodies(CHIEF, CheckpointSaved)[-1]
        assert isinstance(saved, CheckpointSaved)
        assert saved.step in (stood_at, stood_at - 1)


def test_that_backup_workers_replace_a_dead_one_and_late_gradients_are_dropped(
    weird_path: Path,
) -> None:
    with Cluster(weird_path, choices(backup_workers=1), workers=3) as cluster:
        cluster.start()
        cluster.wait_until(lambda: all(cluster.steps(w) for w in (CHIEF, WORKER_1, WORKER_2)))
        cluster.kill(WORKER_2)
        at_the_kill = max(cluster.steps())
        cluster.wait_for_step(min(STEPS, at_the_kill + 20))
        with cluster.held(WORKER_1):  # two are needed for a step: the chief waits for the new one
            cluster.start(WORKER_2)
            cluster.wait_until(lambda: any(e.attempt == 2 for e in steps_of(cluster, WORKER_2)))
        assert_it_ends_well(cluster)
        bodies = [b for t in cluster.spec.tasks() for b in cluster.bodies(t, Steps)]
    windows = [body for body in bodies if isinstance(body, Steps)]
    assert sum(window.dropped for window in windows) > 0
    assert all(w.examples == 128 * len(w.steps) for w in windows)
    taken = sorted(step for window in windows for step in window.steps)
    counted = [len(list(same)) for _, same in itertools.groupby(taken)]
    assert max(counted) == 2  # two gradients make a step; the third is late
    assert sum(counted) >= 2 * STEPS - 40  # a killed worker takes its unwritten window with it
