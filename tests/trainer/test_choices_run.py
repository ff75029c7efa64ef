"""Real runs with choices beyond the defaults: one's own model, resume, early stop, export."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.trainer.cluster import CHIEF, LIMIT_S, REPOSITORY, Cluster
from trainer.events import CheckpointSaved, Evaluated, Failed, Finished, Notice, Restored
from trainer.spec import (
    EXIT_BAD_SPEC,
    DatasetSpec,
    EarlyStopSpec,
    OptimizerSpec,
    TrainingSpec,
)

pytestmark = [pytest.mark.tf, pytest.mark.timeout(1500)]

MODEL = """
import keras
from keras import layers

def build(input_shape, classes):
    images = layers.Input(input_shape)
    x = layers.Conv2D(8, 3, strides=2)(images)
    x = layers.BatchNormalization(momentum=0.9)(x)
    x = layers.Activation("relu")(x)
    x = layers.Flatten()(x)
    x = layers.Dropout(0.2)(x)
    return keras.Model(images, layers.Dense(classes, activation="softmax")(x))

class Recurrent(keras.Model):
    def __init__(self, classes):
        super().__init__()
        self.rows = layers.Reshape((28, 28))
        self.first = layers.GRU(6, return_sequences=True)
        self.second = layers.LSTM(6)
        self.norm = layers.BatchNormalization()
        self.last = layers.Dense(classes)

    def call(self, images, training=False):
        rows = self.second(self.first(self.rows(images)))
        return self.last(self.norm(rows, training=training))

def recurrent(classes):
    return Recurrent(classes)

def broken(classes):
    return keras.Sequential([layers.Dense(classes // 0)])
"""


def finish(cluster: Cluster) -> None:
    cluster.start()
    statuses = cluster.wait()
    assert set(statuses.values()) == {0}, [cluster.bodies(t)[-2:] for t in cluster.processes]


def notices(cluster: Cluster) -> str:
    return "\n".join(n.text for n in cluster.bodies(CHIEF, Notice) if isinstance(n, Notice))


def arrays(cluster: Cluster) -> dict[str, Any]:
    """The last checkpoint."""
    saved = cluster.bodies(CHIEF, CheckpointSaved)[-1]
    assert isinstance(saved, CheckpointSaved)
    with np.load(saved.path) as file:
        return {name: file[name] for name in file.files}


def test_that_ones_own_model_is_trained_evaluated_logged_and_exported(weird_path: Path) -> None:
    """Batch norm, dropout and a Keras loss; the exported file is as right as the run was."""
    code = weird_path / 'my "nets" it\'s'
    code.mkdir()
    (code / "nets.py").write_text(MODEL)
    training = TrainingSpec(
        baseline="single",
        model="nets:build",
        loss="sparse_categorical_crossentropy",
        steps=120,
        batch_size=32,
        evaluate_every=50,
        export=True,
        tensorboard=True,
        checkpoint_keep=1,
        mixed_precision=True,
        optimizer=OptimizerSpec(
            name="adam", learning_rate=0.002, schedule="cosine", warmup_steps=10, clip_norm=5.0
        ),
    )
    with Cluster(weird_path / "run", training, ps=0, workers=1, code=code) as cluster:
        finish(cluster)
        results = [e for e in cluster.bodies(CHIEF, Evaluated) if isinstance(e, Evaluated)]
        assert results[0].step >= 50
        assert (results[-1].step, results[-1].examples) == (120, 1024)
        assert results[-1].accuracy > 0.8
        assert "mixed precision needs a GPU" in notices(cluster)
        assert "exported the model" in notices(cluster)
        state = [a for n, a in arrays(cluster).items() if n.startswith("model_state/")]
        assert [a.shape for a in state] == [(8,), (8,)]
        assert np.abs(state[0]).max() > 1e-3  # the averages moved
        assert sorted(p.suffix for p in cluster.checkpoints.glob("step-*")) == [".json", ".npz"]
        exported = load(cluster.checkpoints / "model.keras")
        assert exported["accuracy"] == pytest.approx(results[-1].accuracy, abs=0.003)
        assert exported["layers"] == 7
        (events,) = (cluster.checkpoints / "tensorboard").iterdir()
        assert b"train/loss" in events.read_bytes()
        assert b"test/accuracy" in events.read_bytes()
        assert [p.name for p in code.iterdir()] == ["nets.py"]


def test_that_a_recurrent_model_in_a_class_of_ones_own_is_trained(weird_path: Path) -> None:
    """Its layers are not built before a call; it cannot be saved, which is told in a sentence."""
    (weird_path / "nets.py").write_text(MODEL)
    training = TrainingSpec(baseline="single", model="nets:recurrent", steps=4, export=True)
    with Cluster(weird_path / "run", training, ps=0, workers=1, code=weird_path) as cluster:
        finish(cluster)
        assert any(name.startswith("model_state/") for name in arrays(cluster))
        assert not (cluster.checkpoints / "model.keras").exists()
        assert "not exported: " in notices(cluster)
        assert "get_config" in notices(cluster)
        assert "Traceback" not in cluster.log(CHIEF)


def load(path: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.trainer.programs.load_keras", str(path)],
        cwd=REPOSITORY,
        capture_output=True,
        timeout=LIMIT_S,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"},
    )
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_that_a_model_that_fails_names_its_line(weird_path: Path) -> None:
    (weird_path / "nets.py").write_text(MODEL)
    training = TrainingSpec(baseline="single", model="nets:broken", steps=1)
    with Cluster(weird_path / "run", training, ps=0, workers=1, code=weird_path) as cluster:
        cluster.start()
        assert set(cluster.wait().values()) == {EXIT_BAD_SPEC}
        last = cluster.bodies(CHIEF)[-1]
        assert isinstance(last, Failed)
        line = MODEL.splitlines().index("    return keras.Sequential([layers.Dense(classes // 0)])")
        assert f"failed at {weird_path}/nets.py line {line + 1}: ZeroDivisionError" in last.reason
        assert "Traceback" not in last.reason
        (trace,) = re.findall(r"Traceback.*?\n  File \"([^\n]*)\"", cluster.log(CHIEF), re.DOTALL)
        assert trace == f"{weird_path}/nets.py", "the log's begins with the user's own code"


def test_that_a_resumed_run_ends_where_an_unbroken_one_does(weird_path: Path) -> None:
    """Steps, slots, averages, dropout and the place in the data: the same to the last bit."""
    (weird_path / "nets.py").write_text(MODEL)

    def run(name: str, steps: int, resume_from: Path | None = None) -> Cluster:
        training = TrainingSpec(
            baseline="single",
            model="nets:build",
            loss="sparse_categorical_crossentropy",
            steps=steps,
            resume_from=None if resume_from is None else str(resume_from),
            optimizer=OptimizerSpec(name="adam", schedule="exponential", decay_steps=20),
        )
        folder = weird_path / name
        with Cluster(folder, training, ps=0, workers=1, code=weird_path) as cluster:
            finish(cluster)
        return cluster

    whole = run("whole", 40)
    half = run("half", 20)
    rest = run("rest", 40, half.checkpoints)
    assert rest.steps() == list(range(21, 41))
    (restored,) = rest.bodies(CHIEF, Restored)
    assert isinstance(restored, Restored)
    assert restored.step == 20
    expected, found = arrays(whole), arrays(rest)
    assert set(expected) == set(found)
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


@pytest.mark.parametrize(
    ("update", "replication", "backups"),
    [
        ("async", "between-graph", 0),
        ("sync", "between-graph", 0),
        ("async", "in-graph", 0),
        ("sync", "between-graph", 1),
        ("sync", "in-graph", 1),
    ],
)
def test_that_a_run_ends_early_and_no_step_is_missing(
    weird_path: Path, digits_folder: Path, update: Any, replication: Any, backups: int
) -> None:
    training = TrainingSpec(
        dataset=DatasetSpec(name="digits", path=str(digits_folder)),
        model="mlp",
        update=update,
        replication=replication,
        backup_workers=backups,
        steps=1_000_000,
        evaluate_every=100,
        early_stop=EarlyStopSpec(accuracy=0.9),
        optimizer=OptimizerSpec(learning_rate=0.01, scale_with_workers="sqrt"),
    )
    with Cluster(weird_path, training, ps=2, workers=2 + backups) as cluster:
        finish(cluster)
        last = cluster.bodies(CHIEF)[-1]
        assert isinstance(last, Finished)
        assert 100 <= last.step < 1_000_000
        assert_steps_are_whole(cluster, last.step, backups)
        assert "stopped early at step" in notices(cluster)
        if not backups:
            assert "the learning rate is 0.0141421: 0.01 scaled for 2 workers" in notices(cluster)
        final = cluster.bodies(CHIEF, Evaluated)[-1]
        assert isinstance(final, Evaluated)
        assert final.step == last.step
        assert final.accuracy > 0.85


def assert_steps_are_whole(cluster: Cluster, last: int, backups: int) -> None:
    """Every step up to ``last`` was reported, and by nobody twice."""
    training = cluster.training
    if training.is_sync and not backups:
        assert cluster.steps(CHIEF) == list(range(1, last + 1))
        return
    steps = cluster.steps()
    assert sorted(set(steps)) == list(range(1, last + 1))
    if not training.is_sync or training.is_in_graph:
        assert len(steps) == last
    for task in cluster.spec.tasks():
        own = cluster.steps(task)
        assert len(own) == len(set(own))


def test_that_resnet50_trains_and_keeps_its_batch_norm_averages(weird_path: Path) -> None:
    training = TrainingSpec(
        model="resnet50",
        dataset=DatasetSpec(name="synthetic", image_size=32),
        steps=3,
        batch_size=4,
        optimizer=OptimizerSpec(name="sgd", learning_rate=0.001),
    )
    with Cluster(weird_path, training, ps=1, workers=1) as cluster:
        finish(cluster)
        assert cluster.steps() == [1, 2, 3]
        found = arrays(cluster)
        state = [a for n, a in found.items() if n.startswith("model_state/")]
        assert len(state) == 106
        assert sum(bool(np.any((a != 0) & (a != 1))) for a in state) > 100
        assert all(np.all(np.isfinite(a)) for a in found.values())


WILD = """
import numpy as np

def load():
    draw = np.random.default_rng(1)
    numbers = draw.normal(size=(640, 8)).astype(np.float32)
    return (numbers, numbers[:, :1]), (numbers[:64], numbers[:64, :1])

def model(input_shape, classes):
    import keras
    layers = [keras.Input(input_shape), keras.layers.Dense(8), keras.layers.Dense(1)]
    return keras.Sequential(layers)
"""


def test_that_xla_compiles_and_a_loss_that_is_no_number_is_told_once(tmp_path: Path) -> None:
    """A step size far too large, by choice; the files that XLA is asked to write show it ran."""
    code = tmp_path / "code"
    code.mkdir()
    (code / "wild.py").write_text(WILD, encoding="utf-8")
    training = TrainingSpec(
        model="wild:model",
        dataset=DatasetSpec(name="wild:load"),
        loss="mean_squared_error",
        steps=30,
        on_nan="continue",
        jit_compile=True,
        optimizer=OptimizerSpec(name="momentum", learning_rate=1000.0),
    )
    with Cluster(tmp_path / "run", training, ps=1, workers=1, code=code) as cluster:
        cluster.start(XLA_FLAGS=f"--xla_dump_to={tmp_path / 'xla'}")
        assert set(cluster.wait().values()) == {0}
        assert cluster.steps() == list(range(1, 31))
        assert notices(cluster).count("the loss became") == 1
        assert notices(cluster).count("variables held NaN") == 1
    assert any(path.name.startswith("module_") for path in (tmp_path / "xla").iterdir())


HIDDEN = """
import numpy as np

def load():
    images = np.zeros((640, 28, 28, 1), np.float32)
    images[5, 3, 3] = np.nan
    labels = np.arange(640) % 10
    return (images, labels), (images[10:], labels[10:])
"""


def test_that_a_nan_that_relu_hides_ends_the_run_all_the_same(weird_path: Path) -> None:
    code = weird_path / "code"
    code.mkdir()
    (code / "hidden.py").write_text(HIDDEN, encoding="utf-8")
    training = TrainingSpec(dataset=DatasetSpec(name="hidden:load"), steps=15, batch_size=64)
    with Cluster(weird_path, training, ps=1, workers=1, code=code) as cluster:
        cluster.start()
        assert cluster.wait()[CHIEF] == EXIT_BAD_SPEC
        (failed,) = cluster.bodies(CHIEF, Failed)
        assert isinstance(failed, Failed)
        assert "look for NaN in the data" in failed.reason
        assert not list(cluster.checkpoints.rglob("*.npz"))


def test_that_inception_v3_trains_in_sync_and_keeps_its_batch_norm_averages(
    weird_path: Path,
) -> None:
    """At its smallest size; the averages are on ps:0, whoever moved them."""
    training = TrainingSpec(
        model="inception_v3",
        dataset=DatasetSpec(name="synthetic", image_size=75),
        update="sync",
        steps=2,
        batch_size=2,
        optimizer=OptimizerSpec(name="sgd", learning_rate=0.001),
    )
    with Cluster(weird_path, training, ps=2, workers=1) as cluster:
        finish(cluster)
        assert sorted(set(cluster.steps())) == [1, 2]
        found = arrays(cluster)
        state = [a for n, a in found.items() if n.startswith("model_state/")]
        assert len(state) == 188  # a mean and a variance for each of 94 normalizations
        assert sum(bool(np.any((a != 0) & (a != 1))) for a in state) > 170
        assert all(np.all(np.isfinite(a)) for a in found.values())
