"""Checkpoints: whole or absent, and never restored into another model."""

from __future__ import annotations

import dataclasses
import json
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.trainer.cluster import LIMIT_S, REPOSITORY
from trainer.checkpoints import KEEP, MODEL_STATE, CheckpointStore, Description, State
from trainer.failures import BadSpec

DENSE = Description(
    model="mnist_cnn",
    input_shape=(28, 28, 1),
    classes=10,
    optimizer="momentum",
    variables=(("dense/kernel", (512, 10)), ("dense/bias", (10,))),
)


def state(step: int) -> State:
    values = [np.full(shape, step, np.float32) for _, shape in DENSE.variables]
    return State(step=step, arrays={"parameters": values, "velocity": values})


def save(folder: Path, *steps: int) -> CheckpointStore:
    store = CheckpointStore(folder, "run A", DENSE)
    for step in steps:
        store.save(state(step), layout=[["dense/kernel", "dense/bias"]], tensorflow="2.21.0")
    return store


def test_that_the_newest_checkpoint_comes_back_and_old_ones_go(weird_path: Path) -> None:
    store = save(weird_path / "checkpoints", 8, 9, 10, 100)
    found = store.load()
    assert found is not None
    saved, loaded = found
    assert (saved.step, loaded.step) == (100, 100)
    assert np.array_equal(loaded.arrays["velocity"][0], state(100).arrays["velocity"][0])
    assert len(list(saved.path.parent.iterdir())) == 2 * KEEP


def test_that_a_manifest_describes_the_checkpoint(weird_path: Path) -> None:
    save(weird_path, 5)
    manifest = json.loads((weird_path / "step-000000000005.json").read_bytes())
    assert manifest["run_id"] == "run A"
    assert manifest["step"] == 5
    assert manifest["tensorflow"] == "2.21.0"
    assert manifest["layout"] == [["dense/kernel", "dense/bias"]]
    assert manifest["description"] == json.loads(json.dumps(DENSE.as_json()))


def test_that_an_empty_or_absent_folder_holds_none(weird_path: Path) -> None:
    for folder in (weird_path, weird_path / "absent"):
        store = CheckpointStore(folder, "run A", DENSE)
        store.check()
        assert store.load() is None


@pytest.mark.parametrize("damage", ["cut", "gone", "scrambled", "no manifest", "bad manifest"])
def test_that_a_damaged_checkpoint_is_passed_over(weird_path: Path, damage: str) -> None:
    store = save(weird_path, 1, 2)
    path = weird_path / "step-000000000002.npz"
    content = path.read_bytes()
    if damage == "cut":
        path.write_bytes(content[:-100])
    elif damage == "gone":
        path.unlink()
    elif damage == "scrambled":
        middle = len(content) // 4
        path.write_bytes(content[:middle] + b"\xff" * 64 + content[middle + 64 :])
    elif damage == "no manifest":
        path.with_suffix(".json").unlink()
    else:
        path.with_suffix(".json").write_text("[]")
    found = store.load()
    assert found is not None
    assert found[0].step == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model": "resnet50"}, "model is mnist_cnn there and resnet50 here"),
        ({"input_shape": (8, 8, 1)}, "input shape is 28x28x1 there and 8x8x1 here"),
        ({"optimizer": "adam"}, "optimizer is momentum there and adam here"),
        (
            {"variables": (("dense/kernel", (1024, 10)), ("dense/bias", (10,)))},
            "dense/kernel is 512x10 there and 1024x10 here",
        ),
        ({"variables": (("dense/kernel", (512, 10)),)}, "2 variables there and 1 here"),
    ],
)
def test_that_a_checkpoint_of_another_model_is_refused_in_one_sentence(
    weird_path: Path, changes: dict[str, object], words: str
) -> None:
    save(weird_path, 20)
    before = sorted(path.name for path in weird_path.iterdir())
    other = dataclasses.replace(DENSE, **changes)  # type: ignore[arg-type]
    with pytest.raises(BadSpec) as caught:
        CheckpointStore(weird_path, "run B", other).check()
    text = str(caught.value)
    assert words in text
    assert "run A" in text
    assert str(weird_path) in text
    assert "\n" not in text
    assert sorted(path.name for path in weird_path.iterdir()) == before


def test_that_a_full_disk_leaves_the_last_checkpoint_whole(weird_path: Path) -> None:
    store = save(weird_path, 1)
    code = (
        "import sys, resource; from pathlib import Path; "
        "from tests.trainer.test_checkpoints import save; "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)); save(Path(sys.argv[1]), 2)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(weird_path)],
        cwd=REPOSITORY,
        capture_output=True,
        timeout=LIMIT_S,
    )
    assert b"File too large" in done.stderr
    found = store.load()
    assert found is not None
    assert found[0].step == 1
    assert not list(weird_path.glob(".*"))
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_that_as_many_are_kept_as_is_said(weird_path: Path) -> None:
    store = CheckpointStore(weird_path, "run A", DENSE, keep=1)
    for step in (1, 2, 3):
        store.save(state(step), layout=[[]], tensorflow="2.21.0")
    assert sorted(p.name for p in weird_path.glob("*.npz")) == ["step-000000000003.npz"]
    newest = store.newest()
    assert newest is not None
    assert newest.step == 3


@pytest.mark.parametrize("version", ["2.20.1", "3.21.0"])
def test_that_a_checkpoint_of_another_tensorflow_is_refused(weird_path: Path, version: str) -> None:
    save(weird_path, 7)
    CheckpointStore(weird_path, "run B", DENSE, tensorflow="2.21.9").check()
    with pytest.raises(BadSpec, match=f"TensorFlow is 2.21.0 there and {version} here"):
        CheckpointStore(weird_path, "run B", DENSE, tensorflow=version).check()


def test_that_what_a_model_keeps_besides_comes_back_and_must_fit(weird_path: Path) -> None:
    normed = dataclasses.replace(DENSE, state=(("bn/mean", (3,)), ("bn/variance", (3,))))
    averages = [np.full(3, 0.5, np.float32), np.full(3, 2.0, np.float32)]
    whole = State(step=4, arrays={**state(4).arrays, MODEL_STATE: averages})
    store = CheckpointStore(weird_path, "run A", normed)
    store.save(whole, layout=[[]], tensorflow="2.21.0")
    found = store.load()
    assert found is not None
    assert np.array_equal(found[1].arrays[MODEL_STATE][1], averages[1])
    with pytest.raises(BadSpec, match="2 variables there and 0 here"):
        CheckpointStore(weird_path, "run B", DENSE).check()
