"""What a task refuses: one sentence as its last event and in its log, and a status that says so."""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.waiting import PATIENCE_S, within
from tests.trainer.cluster import CHIEF, PS_0, REPOSITORY, WORKER_1, Cluster
from trainer.events import CheckpointSaved, Failed, Notice, PhaseChanged, Started, Steps
from trainer.spec import (
    EXIT_BAD_DATA,
    EXIT_BAD_SPEC,
    EXIT_UNAVAILABLE,
    DatasetSpec,
    OptimizerSpec,
    TaskId,
    TrainingSpec,
)

pytestmark = pytest.mark.timeout(1500)


def reason(cluster: Cluster, task: TaskId) -> str:
    """The sentence of the task's last event; the log ends with the same and has no trace."""
    bodies = cluster.bodies(task)
    last = bodies[-1]
    assert isinstance(bodies[0], Started)
    assert bodies[0].task == str(task)
    assert isinstance(last, Failed)
    assert last.reason in cluster.log(task)
    assert "Traceback" not in cluster.log(task)
    assert "\n" not in last.reason
    return last.reason


def run_one(cluster: Cluster, task: TaskId, **environment: str) -> int:
    cluster.start(task, **environment)
    return cluster.wait()[task]


def start_chief_last(cluster: Cluster) -> None:
    """The others wait for the chief already, so that they hear how it ends, however soon."""
    cluster.start(PS_0, WORKER_1)
    waits = PhaseChanged(phase="waiting", detail="waiting for worker:0 to set up the variables")
    cluster.wait_until(lambda: waits in cluster.bodies(WORKER_1))
    cluster.start(CHIEF)


def test_that_a_port_in_use_is_named_before_tensorflow_is_loaded(weird_path: Path) -> None:
    (weird_path / "tensorflow.py").write_text("raise SystemExit('it was imported')")
    with Cluster(weird_path / "run", TrainingSpec()) as cluster:
        port = int(cluster.spec.ps[0].rpartition(":")[2])
        with socket.create_server(("127.0.0.1", port)):
            assert run_one(cluster, PS_0, PYTHONPATH=str(weird_path)) == EXIT_UNAVAILABLE
        assert f"port {port} is in use" in reason(cluster, PS_0)


@pytest.mark.parametrize(
    ("name", "words"),
    [("mnist", "train-images-idx3-ubyte.gz is missing"), ("digits", "digits.csv.gz is missing")],
)
def test_that_missing_data_is_named(weird_path: Path, name: str, words: str) -> None:
    training = TrainingSpec(dataset=DatasetSpec(name=name, path=str(weird_path)))
    with Cluster(weird_path / "run", training) as cluster:
        assert run_one(cluster, CHIEF) == EXIT_BAD_DATA
        assert words in reason(cluster, CHIEF)


def test_that_a_missing_tensorflow_is_one_sentence(weird_path: Path) -> None:
    (weird_path / "tensorflow.py").write_text("raise ImportError(\"No module named 'tensorflow'\")")
    with Cluster(weird_path / "run", TrainingSpec()) as cluster:
        for task in (PS_0, CHIEF):
            assert run_one(cluster, task, PYTHONPATH=str(weird_path)) == EXIT_UNAVAILABLE
            text = reason(cluster, task)
            assert "TensorFlow cannot be imported" in text
            assert "install tensorflow" in text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read"),
        (b"", "not a task's spec"),
        (b"[1]", "not a mapping"),
        (b'{"task": "chief"}', "'chief' is not a task"),
        (b'{"run_id": "r", "surprise": 1}', "unknown key surprise"),
        (b"[" * 100_000, "not a task's spec"),
    ],
)
def test_that_a_bad_spec_is_refused(weird_path: Path, content: bytes | None, words: str) -> None:
    with Cluster(weird_path, TrainingSpec()) as cluster:
        path = cluster.task_dir(PS_0) / "spec.json"
        path.unlink()
        if content is not None:
            path.write_bytes(content)
        assert run_one(cluster, PS_0) == EXIT_BAD_SPEC
        assert words in reason(cluster, PS_0)


def test_that_every_problem_of_a_spec_is_told_at_once(weird_path: Path) -> None:
    training = TrainingSpec(batch_size=0, optimizer=OptimizerSpec(learning_rate=-1.0))
    with Cluster(weird_path, training) as cluster:
        cluster.change(PS_0, index=3)
        assert run_one(cluster, PS_0) == EXIT_BAD_SPEC
        text = reason(cluster, PS_0)
        for words in ("batch_size must", "optimizer.learning_rate must", "no ps:3"):
            assert words in text


def test_that_a_wrong_call_is_refused() -> None:
    for arguments in ([], ["/nowhere/at/all"]):
        done = subprocess.run(
            [sys.executable, "-m", "trainer", *arguments],
            cwd=REPOSITORY,
            capture_output=True,
            timeout=PATIENCE_S,
        )
        assert done.returncode == EXIT_BAD_SPEC
        assert done.stderr.count(b"\n") == 1


@pytest.fixture(scope="module")
def saved_by_run_a(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkpoints of a run that took two steps with momentum."""
    folder = tmp_path_factory.mktemp("run a")
    with Cluster(folder, TrainingSpec(steps=2), run_id="run A") as cluster:
        cluster.start()
        assert set(cluster.wait().values()) == {0}
    return cluster.checkpoints


@pytest.mark.tf
def test_that_a_checkpoint_of_another_model_ends_the_whole_run_before_a_step(
    weird_path: Path, saved_by_run_a: Path
) -> None:
    kept = sorted(os.listdir(saved_by_run_a))
    training = TrainingSpec(steps=9, optimizer=OptimizerSpec(name="adam"))
    with Cluster(weird_path, training, run_id="run B", checkpoints=saved_by_run_a) as cluster:
        start_chief_last(cluster)
        statuses = cluster.wait()
        assert statuses == {
            CHIEF: EXIT_BAD_SPEC,
            WORKER_1: EXIT_UNAVAILABLE,
            PS_0: EXIT_UNAVAILABLE,
        }
        for task in (CHIEF, WORKER_1, PS_0):
            text = reason(cluster, task)
            assert "run A at step 2" in text
            assert "optimizer is momentum there and adam here" in text
        assert not cluster.steps()
    assert sorted(os.listdir(saved_by_run_a)) == kept


@pytest.mark.tf
def test_that_a_loss_that_is_not_finite_ends_the_run(
    weird_path: Path, saved_by_run_a: Path
) -> None:
    folder = weird_path / "checkpoints"
    shutil.copytree(saved_by_run_a, folder)
    path = folder / "step-000000000002.npz"
    with np.load(path) as arrays:
        spoilt = {name: np.full_like(arrays[name], np.nan) for name in arrays.files}
    np.savez(path, **spoilt)
    with Cluster(weird_path, TrainingSpec(steps=500), checkpoints=folder) as cluster:
        start_chief_last(cluster)
        statuses = cluster.wait()
        assert statuses[CHIEF] == EXIT_BAD_SPEC
        assert statuses[PS_0] == EXIT_UNAVAILABLE
        assert statuses[WORKER_1] in (EXIT_BAD_SPEC, EXIT_UNAVAILABLE)
        text = reason(cluster, CHIEF)
        (steps,) = (body for body in cluster.bodies(CHIEF) if isinstance(body, Steps))
        assert f"the loss became nan at step {steps.steps[0]};" in text
        assert "learning rate" in text
        assert len(steps.steps) == 1
        assert math.isnan(steps.losses[0])
        line = (cluster.task_dir(CHIEF) / "events.jsonl").read_bytes().splitlines()[-2]
        assert json.loads(line)["losses"] == ["nan"]


@pytest.mark.tf
@pytest.mark.parametrize("calls", [1, 2])
def test_that_stopping_saves_a_checkpoint_and_ends_every_task_by_the_signal(
    weird_path: Path, calls: int
) -> None:
    training = TrainingSpec(steps=100_000, checkpoint_every_s=3600.0, calls_in_flight=calls)
    with Cluster(weird_path, training) as cluster:
        cluster.start()
        cluster.wait_for_step(20)
        for process in cluster.processes.values():
            process.terminate()
        with within(6):
            statuses = cluster.wait()
        assert set(statuses.values()) == {-signal.SIGTERM}
        (saved,) = cluster.bodies(CHIEF, CheckpointSaved)
        assert isinstance(saved, CheckpointSaved)
        assert saved.step >= 20
        assert Path(saved.path).exists()
        for task in cluster.spec.tasks():
            assert cluster.bodies(task)[-1] == Notice(level="info", text="stopped on request")
            assert "Traceback" not in cluster.log(task)
        steps = cluster.steps()
        assert sorted(steps) == list(range(1, len(steps) + 1))


def test_that_a_task_that_has_nothing_to_save_stops_at_once(weird_path: Path) -> None:
    with Cluster(weird_path, TrainingSpec()) as cluster:
        cluster.start(CHIEF)
        cluster.wait_until(lambda: bool(cluster.bodies(CHIEF)))
        cluster.processes[CHIEF].terminate()
        with within(2):
            assert cluster.wait()[CHIEF] == -signal.SIGTERM
        assert cluster.bodies(CHIEF)[-1] == Notice(level="info", text="stopped on request")
