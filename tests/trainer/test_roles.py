"""A run of real processes, from start to end, that nobody helps."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.trainer.cluster import CHIEF, PS_0, WORKER_1, Cluster
from trainer.events import (
    CheckpointSaved,
    Evaluated,
    Finished,
    PhaseChanged,
    Started,
    Steps,
)
from trainer.net import is_listening
from trainer.spec import DatasetSpec, OptimizerSpec, TrainingSpec

pytestmark = [pytest.mark.tf, pytest.mark.timeout(1500)]
STEPS = 500
BATCH = 32


@pytest.fixture(scope="module")
def finished(
    tmp_path_factory: pytest.TempPathFactory, digits_folder: Path
) -> Iterator[tuple[Cluster, dict[str, int]]]:
    """A run on the digits with 2 ps and 2 workers, and the exit statuses of its tasks."""
    training = TrainingSpec(
        dataset=DatasetSpec(name="digits", path=str(digits_folder)),
        batch_size=BATCH,
        steps=STEPS,
        optimizer=OptimizerSpec(name="momentum", learning_rate=0.02),
    )
    folder = tmp_path_factory.mktemp("Ana's run 数据")
    with Cluster(folder, training, ps=2) as cluster:
        cluster.start()
        statuses = cluster.wait()
        yield cluster, {str(task): status for task, status in statuses.items()}


Run = tuple[Cluster, dict[str, int]]


def test_that_all_tasks_end_by_themselves_and_free_their_ports(finished: Run) -> None:
    cluster, statuses = finished
    assert statuses == {"ps:0": 0, "ps:1": 0, "worker:0": 0, "worker:1": 0}
    assert not any(map(is_listening, (*cluster.spec.ps, *cluster.spec.worker)))


def test_that_every_step_is_reported_exactly_once(finished: Run) -> None:
    cluster, _ = finished
    assert sorted(cluster.steps()) == list(range(1, STEPS + 1))
    for worker in (CHIEF, WORKER_1):
        assert cluster.steps(worker) == sorted(cluster.steps(worker))
        assert len(cluster.steps(worker)) > STEPS // 5


def test_that_windows_count_the_examples_and_follow_each_other(finished: Run) -> None:
    cluster, _ = finished
    for worker in (CHIEF, WORKER_1):
        windows = [body for body in cluster.bodies(worker) if isinstance(body, Steps)]
        assert all(len(w.steps) * BATCH == w.examples for w in windows)
        for before, after in itertools.pairwise(windows):
            assert after.times[-1] - before.times[-1] == pytest.approx(after.window_s, abs=0.05)
        done = cluster.bodies(worker)[-1]
        assert isinstance(done, Finished)
        assert done.examples == sum(w.examples for w in windows)
        assert done.step == STEPS


def test_that_the_times_of_steps_are_no_more_than_their_windows(finished: Run) -> None:
    cluster, _ = finished
    for worker in (CHIEF, WORKER_1):
        windows = [body for body in cluster.bodies(worker) if isinstance(body, Steps)]
        spent = sum(w.input_s + w.compute_s + w.exchange_s for w in windows)
        assert 0 < spent <= sum(w.window_s for w in windows) + 0.05
        assert not any(w.wait_s for w in windows)


def test_that_the_chief_evaluates_on_the_whole_test_split_and_learned_it(finished: Run) -> None:
    cluster, _ = finished
    (result,) = cluster.bodies(CHIEF, Evaluated)
    assert isinstance(result, Evaluated)
    assert (result.step, result.examples) == (STEPS, 359)
    assert result.accuracy >= 0.95
    assert not cluster.bodies(WORKER_1, Evaluated)


def test_that_phases_come_in_order_and_the_last_line_says_finished(finished: Run) -> None:
    cluster, _ = finished
    for task in cluster.spec.tasks():
        bodies = cluster.bodies(task)
        assert isinstance(bodies[0], Started)
        assert bodies[0].task == str(task)
        assert bodies[0].tensorflow.startswith("2.")
        assert isinstance(bodies[-1], Finished)
    changes = [b for b in cluster.bodies(CHIEF) if isinstance(b, PhaseChanged)]
    assert {b.total_steps for b in changes if b.phase == "training"} == {STEPS}
    phases = [b.phase for b in changes]
    assert [p for p in phases if p != "waiting"] == [
        "starting",
        "training",
        "evaluating",
        "finished",
    ]
    first = cluster.bodies(PS_0)[-1]
    assert isinstance(first, Finished)
    assert (first.step, first.first_step_seconds) == (STEPS, None)


def test_that_the_last_checkpoint_is_of_the_last_step(finished: Run) -> None:
    cluster, _ = finished
    saved = cluster.bodies(CHIEF, CheckpointSaved)[-1]
    assert isinstance(saved, CheckpointSaved)
    assert saved.step == STEPS
    manifest = json.loads(Path(saved.path).with_suffix(".json").read_bytes())
    assert manifest["step"] == STEPS
    assert manifest["arrays"] == ["parameters", "velocity"]
    assert len(manifest["layout"]) == 2
    assert sum(len(bucket) for bucket in manifest["layout"]) == 8
    assert Path(saved.path).stat().st_size == saved.bytes == manifest["bytes"]


def test_that_the_logs_hold_no_trace(finished: Run) -> None:
    cluster, _ = finished
    for task in cluster.spec.tasks():
        assert "Traceback" not in cluster.log(task)


def test_that_mnist_is_learned_within_two_epochs(tmp_path: Path, mnist_folder: Path) -> None:
    training = TrainingSpec(
        dataset=DatasetSpec(name="mnist", path=str(mnist_folder)),
        epochs=2,
        batch_size=64,
        optimizer=OptimizerSpec(name="momentum", learning_rate=0.02),
    )
    with Cluster(tmp_path, training) as cluster:
        cluster.start()
        statuses = cluster.wait()
        (result,) = cluster.bodies(CHIEF, Evaluated)
    assert set(statuses.values()) == {0}
    assert isinstance(result, Evaluated)
    assert (result.step, result.examples) == (1875, 10000)
    assert result.accuracy >= 0.97
