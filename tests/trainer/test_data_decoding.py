"""Images reach the model as RGB squares, the same ones for a seed; bad files are skipped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.trainer.decoding import Ask
from tests.trainer.image_files import BAD, USABLE, case, write_tree
from tests.trainer.test_data_build import build
from tests.trainer.test_data_folder import write_shard

pytestmark = pytest.mark.tf


def one_each(folder: Path, names: tuple[str, ...], split: str = "val") -> Path:
    """A data set whose ``split`` has one class for each of the odd images."""
    for name in names:
        for top in ("train", "val"):
            place = folder / top / name
            place.mkdir(parents=True)
            (place / "x.JPEG").write_bytes(case(name if top == split else "ok"))
    return folder


def test_that_every_kind_of_image_becomes_the_same_picture_in_rgb(ask: Ask, odd_path: Path) -> None:
    one_each(odd_path, USABLE)
    (found,) = ask({"folder": str(odd_path), "ask": "test", "size": 24})
    assert (found["shape"], found["kind"], found["error"]) == ([7, 24, 24, 3], "uint8", "")
    means = dict(zip(sorted(USABLE), np.array(found["means"]), strict=True))
    assert found["labels"] == list(range(7))
    for name in ("png-inside", "bmp-inside", "gif-inside", "junk-before-end", "cmyk"):
        assert np.abs(means[name] - means["ok"]).max() < 8, (name, means)
    assert np.ptp(means["gray"]) == 0


def test_that_bad_files_are_left_out_and_told(ask: Ask, odd_path: Path) -> None:
    one_each(odd_path, (*USABLE, *BAD))
    question = {"folder": str(odd_path), "ask": "test", "size": 24}
    skipped, used = ask(question, {**question, "truncated": "use"})
    names = sorted((*USABLE, *BAD))
    assert [names[k] for k in skipped["labels"]] == [n for n in names if n not in BAD]
    assert [names[k] for k in used["labels"]] == [n for n in names if n != "empty"]
    assert len(used["told"]) == 1
    assert str(odd_path / "val" / "empty" / "x.JPEG") in used["told"][0]
    assert "skipped 2 files" in skipped["told"][-1]


def test_that_too_many_bad_files_end_the_stream_by_name(ask: Ask, odd_path: Path) -> None:
    one_each(odd_path / "some", (*USABLE, *BAD), "train")
    one_each(odd_path / "all", BAD, "train")
    question = {"ask": "train", "batches": 20}
    one, none = ask(
        {**question, "folder": str(odd_path / "some"), "max_bad_files": 1},
        {**question, "folder": str(odd_path / "all")},
    )
    assert "x.JPEG cannot be used" in one["error"]
    assert "dataset.max_bad_files" in one["error"]
    assert "none of 2 images can be used" in none["error"]


def test_that_a_seed_gives_the_same_batches_with_any_number_of_threads(
    ask: Ask,
    shared_data: Path,
) -> None:
    folder = str(shared_data / "data" / "imagenet-sample")
    question = {"folder": folder, "ask": "train", "batches": 12, "batch_size": 8, "size": 32}
    one, again, other = ask(
        {**question, "threads": 1}, {**question, "threads": 5}, {**question, "seed": 2}
    )
    assert one["digest"] == again["digest"]
    assert one["labels"] == again["labels"]
    assert one["digest"] != other["digest"]
    # The second epoch crops anew.
    first = dict(zip(one["labels"][:66], one["means"][:66], strict=True))
    second = dict(zip(one["labels"][66:], one["means"][66:], strict=True))
    assert any(first[label] != mean for label, mean in second.items() if label in first)


@pytest.mark.parametrize("packed", [False, True])
def test_that_workers_together_see_every_image_once(ask: Ask, odd_path: Path, packed: bool) -> None:
    folder = write_tree(odd_path / "source", classes=3, each=8, validation=1)
    if packed:
        build(folder, odd_path / "shards", "--shards", "4")
        folder = odd_path / "shards"
    question = {"folder": str(folder), "ask": "train", "workers": 2, "batches": 3}
    parts = ask({**question, "index": 0}, {**question, "index": 1})
    seen = [tuple(pixel) for part in parts for pixel in part["pixels"]]
    assert sorted(seen) == sorted((100 * c, 10 * k, 200) for c in range(3) for k in range(8))
    for part in parts:
        assert part["labels"] == [pixel[0] // 100 for pixel in part["pixels"]]


def test_that_a_damaged_record_is_skipped_and_named(ask: Ask, odd_path: Path) -> None:
    path = odd_path / "train-00000-of-00001"
    write_shard(path, [1, 2, 3, 4] * 5, case("png-inside"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2 + 100] ^= 1  # in the middle of record 10
    path.write_bytes(content)
    (found,) = ask({"folder": str(odd_path), "ask": "train", "batches": 5})
    assert found["error"] == ""
    assert len(found["told"]) == 1
    assert f"{path} record 10" in found["told"][0]
    assert "does not match its checksum" in found["told"][0]


def test_that_a_shard_that_is_cut_later_is_named(ask: Ask, odd_path: Path) -> None:
    write_tree(odd_path / "source", validation=0)
    build(odd_path / "source", odd_path / "shards", "--shards", "2")
    path = odd_path / "shards" / "train-00001-of-00002"
    path.write_bytes(path.read_bytes()[:-30])
    (found,) = ask({"folder": str(odd_path / "shards"), "ask": "train", "batches": 9})
    assert f"{path} is short by 30 bytes: the manifest says" in found["error"]


def test_that_small_sizes_show_the_same_picture(ask: Ask, shared_data: Path) -> None:
    folder = str(shared_data / "data" / "imagenet-sample")
    small, large = ask(
        {"folder": folder, "ask": "test", "size": 24},
        {"folder": folder, "ask": "test", "size": 224},
    )
    assert np.abs(np.array(small["means"]) - np.array(large["means"])).max() < 4


def test_that_decoding_costs_little_processor_time(ask: Ask, shared_data: Path) -> None:
    folder = str(shared_data / "data" / "imagenet-sample")
    question = {"folder": folder, "ask": "train", "batch_size": 32, "size": 224}
    few, many = ask({**question, "batches": 1}, {**question, "batches": 21})
    # About 1 ms is usual; the first, short stream pays for the graph.
    assert (many["cpu_s"] - few["cpu_s"]) / 640 < 0.006
