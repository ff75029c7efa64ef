"""Data sets: what they hold, their splits, and what is refused before TensorFlow is needed."""

from __future__ import annotations

import gzip
import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.trainer.cluster import LIMIT_S, REPOSITORY
from trainer import data
from trainer.data.idx import IMAGES, LABELS
from trainer.failures import BadData
from trainer.spec import EXIT_BAD_DATA, EXIT_BAD_SPEC


def write_mnist(
    folder: Path, *, train: int = 6, labels: int | None = None, side: int = 4, top: int = 9
) -> None:
    """A small MNIST: plain files for training, compressed ones for the test."""
    for start, count, zipped in (("train", train, False), ("t10k", 4, True)):
        width = side if start == "train" else 4
        images = struct.pack(">4I", IMAGES, count, width, width) + bytes(count * width * width)
        wanted = count if labels is None or zipped else labels
        values = bytes([*range(wanted - 1), top])
        pair = {"images-idx3": images, "labels-idx1": struct.pack(">2I", LABELS, wanted) + values}
        for kind, content in pair.items():
            name = f"{start}-{kind}-ubyte"
            path = folder / (f"{name}.gz" if zipped else name)
            path.write_bytes(gzip.compress(content) if zipped else content)


def test_that_mnist_keeps_the_files_own_split(weird_path: Path) -> None:
    write_mnist(weird_path)
    summary = data.check("mnist", str(weird_path))
    dataset = data.load("mnist", str(weird_path), seed=1)
    assert (summary.train, summary.test, summary.shape) == (6, 4, (4, 4, 1))
    assert (len(dataset.train), len(dataset.test), dataset.shape) == (6, 4, (4, 4, 1))
    assert dataset.train.labels.tolist() == [0, 1, 2, 3, 4, 9]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"labels": 5}, "5 labels for the 6 images"),
        ({"top": 10}, "a label 10"),
        ({"side": 5}, "differ in size: 5x5 and 4x4"),
    ],
)
def test_that_an_inconsistent_mnist_is_refused(
    weird_path: Path, changes: dict[str, int], words: str
) -> None:
    write_mnist(weird_path, **changes)
    with pytest.raises(BadData, match=words):
        data.check("mnist", str(weird_path))


def test_that_a_missing_file_is_named(weird_path: Path) -> None:
    write_mnist(weird_path)
    (weird_path / "t10k-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(BadData, match=r"t10k-labels-idx1-ubyte\.gz is missing"):
        data.load("mnist", str(weird_path), seed=1)


def test_that_digits_split_is_fixed_and_covers_everything(digits_folder: Path) -> None:
    summary = data.check("digits", str(digits_folder))
    one, two = (data.load("digits", str(digits_folder), seed=seed) for seed in (1, 2))
    assert (summary.train, summary.test, summary.shape) == (1438, 359, (8, 8, 1))
    assert (len(one.train), len(one.test)) == (1438, 359)
    assert np.array_equal(one.test.images, two.test.images)
    assert one.train.images.max() * one.scale == pytest.approx(1.0)
    assert set(one.test.labels.tolist()) == set(range(10))


ROW = b"0," * 64 + b"3"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<!DOCTYPE html>", "not a sound gzip file"),
        (gzip.compress(b"\n".join([ROW] * 9))[:-12], "gzip stream is cut"),
        (gzip.compress(b"\n".join([ROW, ROW[2:]])), "line 2 has 64 numbers"),
        (gzip.compress(b"a" + ROW[1:]), "line 1 is not"),
        (gzip.compress(b"17" + ROW[1:]), "a pixel 17"),
        (gzip.compress(ROW[:-1] + b"10"), "a label 10"),
        (gzip.compress(b"nan" + ROW[1:]), "line 1 is not"),
        (gzip.compress(ROW), "1 examples, too few"),
    ],
)
def test_that_damaged_digits_are_refused(weird_path: Path, content: bytes, words: str) -> None:
    (weird_path / "digits.csv.gz").write_bytes(content)
    with pytest.raises(BadData, match=words):
        data.check("digits", str(weird_path))


def test_that_synthetic_images_follow_from_the_seed() -> None:
    one, again, other = (data.load("synthetic", None, seed=seed) for seed in (1, 1, 2))
    summary = data.check("synthetic", None)
    assert np.array_equal(one.train.images, again.train.images)
    assert not np.array_equal(one.train.images, other.train.images)
    assert (summary.train, summary.test) == (len(one.train), len(one.test))


@pytest.mark.parametrize("folder", [None, "", "/nowhere/at all", __file__])
def test_that_a_data_set_without_its_folder_is_refused(folder: str | None) -> None:
    with pytest.raises(BadData, match=r"dataset\.path"):
        data.check("mnist", folder)


def run_check(*arguments: str) -> tuple[int, dict[str, Any]]:
    """The command as an agent runs it, in a Python that finds neither NumPy nor TensorFlow."""
    code = (
        "import sys; sys.modules.update(numpy=None, tensorflow=None); "
        "from trainer.check_data import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        timeout=LIMIT_S,
    )
    assert done.stdout.count(b"\n") == 1, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_that_the_check_needs_no_numpy_and_prints_one_line(digits_folder: Path) -> None:
    status, answer = run_check("digits", str(digits_folder))
    assert (status, answer["ok"], answer["train"], answer["test"]) == (0, True, 1438, 359)


def test_that_the_check_says_what_is_wrong(weird_path: Path) -> None:
    status, answer = run_check("mnist", str(weird_path))
    assert (status, answer["ok"]) == (EXIT_BAD_DATA, False)
    assert "is missing" in answer["error"]
    status, answer = run_check(str(weird_path / "spec.json"))
    assert (status, answer["ok"]) == (EXIT_BAD_SPEC, False)


def test_that_the_real_mnist_passes(mnist_folder: Path) -> None:
    summary = data.check("mnist", str(mnist_folder))
    assert (summary.train, summary.test, summary.shape) == (60000, 10000, (28, 28, 1))
