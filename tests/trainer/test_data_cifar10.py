"""CIFAR-10: the binary version is read, everything else is named for what it is."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trainer import data
from trainer.data.cifar10 import INSIDE, RECORD, RECORDS, TEST, TRAIN, read_batch
from trainer.failures import BadData


def write_cifar10(folder: Path) -> None:
    """Six whole files; the first record of each has a colour, the rest are black."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate((*TRAIN, *TEST)):
        with (folder / name).open("wb") as file:
            planes = bytes([10 * number]) * 1024 + bytes([1]) * 1024 + bytes(range(256)) * 4
            file.write(bytes([number]) + planes)
            file.truncate(RECORDS * RECORD)  # a hole, so that the test writes little


@pytest.mark.parametrize("inside", ["", INSIDE])
def test_that_the_batches_are_found_and_become_rgb(odd_path: Path, inside: str) -> None:
    write_cifar10(odd_path / inside)
    summary = data.check("cifar10", str(odd_path))
    dataset = data.load("cifar10", str(odd_path), seed=1)
    assert (summary.train, summary.test, summary.shape) == (50_000, 10_000, (32, 32, 3))
    assert (len(dataset.train), len(dataset.test), dataset.shape) == (50_000, 10_000, (32, 32, 3))
    assert dataset.train.labels[::RECORDS].tolist() == [0, 1, 2, 3, 4]
    image = dataset.train.images[3 * RECORDS]
    assert image[0, 0].tolist() == [30, 1, 0]
    assert np.array_equal(image[:8, :, 2].ravel(), np.arange(256))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("data_batch_1", pickle.dumps({}), "holds the Python version"),
        ("cifar-10-python.tar.gz", b"", "Python version, packed"),
        ("cifar-10-binary.tar.gz", b"", "unpack cifar-10-binary"),
        ("data_batch_1.mat", b"MATLAB 5.0", "MATLAB version"),
        ("fine_label_names.txt", b"", "CIFAR-100"),
        ("readme.html", b"", r"data_batch_1\.bin is missing"),
        ("data_batch_1.bin", pickle.dumps({b"data": 1}), "this is the Python version"),
        ("data_batch_1.bin", b"\x1f\x8b" + bytes(9), "compressed with gzip"),
        ("data_batch_1.bin", b"<!doctype html>", "a web page"),
        ("data_batch_1.bin", bytes(257) + b"ustar\x0000" + bytes(99), "a tar archive"),
        ("data_batch_1.bin", b"", "is empty"),
        ("data_batch_1.bin", b"\x03" * 100, r"short by 30729900 bytes"),
        ("data_batch_1.bin", b"\x03" * (RECORD * RECORDS + 7), "has 7 bytes more"),
        ("data_batch_1.bin", b"\x0b" * (RECORD * RECORDS), "record 0 has a label 11"),
    ],
)
def test_that_each_kind_of_damage_has_its_sentence(
    odd_path: Path, name: str, content: bytes, words: str
) -> None:
    (odd_path / name).write_bytes(content)
    with pytest.raises(BadData, match=words) as caught:
        data.check("cifar10", str(odd_path))
    assert "\n" not in str(caught.value)


def test_that_a_missing_batch_is_named(odd_path: Path) -> None:
    write_cifar10(odd_path)
    (odd_path / "data_batch_4.bin").unlink()
    with pytest.raises(BadData, match=r"data_batch_4\.bin is missing"):
        data.load("cifar10", str(odd_path), seed=1)


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.binary(max_size=50), st.sampled_from([0, 1, 2 * RECORD - 20, 2 * RECORD]))
def test_that_any_bytes_are_a_batch_or_refused(tmp_path: Path, noise: bytes, fill: int) -> None:
    path = tmp_path / "data_batch_1.bin"
    path.write_bytes(noise + bytes(fill))
    refused, length = "", 0
    try:
        length = len(read_batch(path, records=2))
    except BadData as error:
        refused = str(error)
    assert length == 2 * RECORD or str(path) in refused
