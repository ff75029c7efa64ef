"""Image folders and shards: what is found in them, and what is refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.trainer.image_files import BAD, OK, case, write_tree
from tests.trainer.test_data_sets import run_check
from trainer import data
from trainer.data.example import write_example
from trainer.data.folder import read_tree
from trainer.data.kinds import Options
from trainer.data.shards import Shards, find_shards
from trainer.data.tfrecord import frame
from trainer.failures import BadData
from trainer.spec import EXIT_BAD_DATA, EXIT_BAD_SPEC


def refusal(folder: Path) -> str:
    with pytest.raises(BadData) as caught:
        data.load("imagenet", str(folder), 1)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def write_shard(path: Path, labels: list[int], image: bytes = OK) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    records = (write_example({"image/encoded": image, "image/class/label": x}) for x in labels)
    path.write_bytes(b"".join(map(frame, records)))


def test_that_classes_are_the_sorted_folders(odd_path: Path) -> None:
    write_tree(odd_path, classes=3, each=4, validation=2)
    (odd_path / "train" / "n00000001" / "Thumbs.db").write_bytes(b"x")
    (odd_path / "train" / "n00000001" / "notes.txt").write_bytes(b"x")
    (odd_path / "train" / ".cache").mkdir()
    tree = read_tree(odd_path)
    assert tree.classes == ("n00000000", "n00000001", "n00000002")
    assert [label for label, _ in tree.train] == [0] * 4 + [1] * 4 + [2] * 4
    assert len(tree.test) == 6
    assert not tree.held_out
    assert tree.ignored == ["train/n00000001/notes.txt"]


def test_that_a_fixed_part_is_held_out_without_validation(odd_path: Path) -> None:
    write_tree(odd_path, classes=2, each=30, validation=0)
    one, two = (data.load("imagenet", str(odd_path), seed) for seed in (1, 2))
    tree = read_tree(odd_path)
    assert (len(one.train), len(one.test), len(two.test)) == (57, 3, 3)
    assert tree.test == read_tree(odd_path).test
    assert not set(tree.test) & set(tree.train)


def test_that_an_image_size_is_a_visible_choice(odd_path: Path) -> None:
    write_tree(odd_path)
    assert data.load("imagenet", str(odd_path), 1).shape == (224, 224, 3)
    assert data.load("imagenet", str(odd_path), 1, Options(image_size=64)).shape == (64, 64, 3)
    assert data.check("imagenet", str(odd_path), Options(image_size=64)).shape == (64, 64, 3)
    assert data.load("synthetic", None, 1, Options(image_size=32)).shape == (32, 32, 3)


def test_that_folders_that_do_not_lie_as_they_should_are_named(odd_path: Path) -> None:
    assert "holds neither train/<class>/ nor shards" in refusal(odd_path)
    (odd_path / "ILSVRC2012_img_train.tar").write_bytes(b"")
    assert "is an archive" in refusal(odd_path)
    (odd_path / "train").mkdir()
    assert "holds no images" in refusal(odd_path)
    (odd_path / "train" / "n01440764.tar").write_bytes(b"")
    assert "n01440764.tar is packed" in refusal(odd_path)
    (odd_path / "train" / "n01440764.tar").unlink()
    write_tree(odd_path, classes=2, each=2, validation=0)
    assert "give the folder above" in refusal(odd_path / "train")
    (odd_path / "val").mkdir()
    assert "val is empty" in refusal(odd_path)
    (odd_path / "val" / "ILSVRC2012_val_00000001.JPEG").write_bytes(OK)
    assert "without class folders" in refusal(odd_path)
    (odd_path / "val" / "n77777777").mkdir()
    assert "n77777777 is no class of train/" in refusal(odd_path)


def test_that_a_missing_shard_is_named(odd_path: Path) -> None:
    for k in (0, 1, 3):
        write_shard(odd_path / f"train-{k:05d}-of-00004", [1, 2])
    assert "train-00002-of-00004 is missing" in refusal(odd_path)
    write_shard(odd_path / "train-00000-of-00002", [1, 2])
    assert "do not belong together" in refusal(odd_path)


def test_that_shards_in_folders_of_their_own_are_found(odd_path: Path) -> None:
    for k in range(2):
        write_shard(odd_path / "train" / f"train-{k:05d}-of-00002", [1, 2])
    write_shard(odd_path / "validation" / "validation-00000-of-00001", [2])
    found = find_shards(odd_path)
    assert (len(found["train"]), len(found["validation"])) == (2, 1)
    dataset = data.load("imagenet", str(odd_path), 1)
    assert (len(dataset.train), len(dataset.test), dataset.classes) == (4, 1, 2)


@pytest.mark.parametrize(
    ("labels", "classes", "first"), [([1, 2, 3], 3, 0), ([0, 1, 2], 3, 0), ([2, 4], 4, 1)]
)
def test_that_labels_count_from_1_unless_there_is_a_0(
    odd_path: Path, labels: list[int], classes: int, first: int
) -> None:
    write_shard(odd_path / "train-00000-of-00001", labels * 10)
    dataset = data.load("imagenet", str(odd_path), 1)
    assert dataset.classes == classes
    assert data.check("imagenet", str(odd_path)).classes == classes
    assert dataset.train.files.read(0).label == first  # type: ignore[attr-defined]


def test_that_records_without_images_are_refused(odd_path: Path) -> None:
    shard = odd_path / "train-00000-of-00001"
    shard.write_bytes(frame(write_example({"image": OK, "label": 3})) * 2)
    assert "record 0 has no image/encoded" in refusal(odd_path)


def manifest(folder: Path, **changes: object) -> None:
    name = "train-00000-of-00001"
    entry = {"name": name, "records": 4, "bytes": (folder / name).stat().st_size, "sha256": ""}
    data = {
        "format": "clew-shards",
        "version": 1,
        "label_base": 1,
        "classes": ["a", "b"],
        "train": [{**entry, **{k: v for k, v in changes.items() if k in entry}}],
        "validation": [],
        **{k: v for k, v in changes.items() if k not in entry},
    }
    (folder / "manifest.json").write_text(json.dumps(data))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"bytes": 10**6}, "train-00000-of-00001 is short by"),
        ({"bytes": 10}, "train-00000-of-00001 is too long by"),
        ({"records": 5}, "train-00000-of-00001 holds 4 records, but the manifest says 5"),
        ({"name": "train-00007-of-00008"}, "train-00007-of-00008 is in the manifest but cannot"),
        ({"name": "../train-00000-of-00001"}, "is not a file name"),
        ({"version": 2}, "its version is unknown"),
        ({"format": "other"}, "is not a manifest of shards"),
        ({"label_base": 7}, "is not a manifest of shards"),
        ({"train": 3}, "is not a manifest of shards"),
    ],
)
def test_that_shards_that_differ_from_their_manifest_are_named(
    odd_path: Path, changes: dict[str, object], words: str
) -> None:
    write_shard(odd_path / "train-00000-of-00001", [1, 2, 1, 2])
    manifest(odd_path)
    assert data.check("imagenet", str(odd_path)).train == 3
    manifest(odd_path, **changes)
    with pytest.raises(BadData, match=words):
        data.check("imagenet", str(odd_path))


def test_that_a_cut_shard_of_the_right_name_is_noticed_when_it_is_read(odd_path: Path) -> None:
    path = odd_path / "train-00000-of-00001"
    write_shard(path, [1, 2, 1, 2])
    path.write_bytes(path.read_bytes()[:-20])
    manifest(odd_path)
    with pytest.raises(BadData, match="record 3"):
        Shards(odd_path).offsets(0)


def test_that_the_check_lists_each_odd_file_without_numpy(odd_path: Path) -> None:
    write_tree(odd_path, classes=2, each=3, validation=1)
    place = odd_path / "train" / "n00000001"
    for name in ("ok", "cmyk", "gray", "bmp-inside", *BAD):
        (place / f"{name}.JPEG").write_bytes(case(name))
    status, answer = run_check("imagenet", str(odd_path))
    assert (status, answer["ok"], answer["looked_at"]) == (0, True, 14)
    listed = {Path(file["file"]).stem: file for file in answer["files"]}
    assert {k for k, v in listed.items() if not v["usable"]} == set(BAD)
    assert listed["cmyk"]["kind"] == "CMYK JPEG"
    assert listed["bmp-inside"]["note"].startswith("called .JPEG")
    assert "ok" not in listed
    assert answer["kinds"]["truncated JPEG"] == 1
    _, answer = run_check("imagenet", str(odd_path), "truncated=use", "image_size=64")
    assert [Path(f["file"]).stem for f in answer["files"] if not f["usable"]] == ["empty"]
    assert answer["shape"] == [64, 64, 3]
    assert run_check("imagenet", str(odd_path), "size=64")[0] == EXIT_BAD_SPEC


def test_that_the_check_looks_into_shards(odd_path: Path) -> None:
    write_shard(odd_path / "train-00000-of-00002", [1, 2] * 10)
    write_shard(odd_path / "train-00001-of-00002", [1, 2], case("truncated"))
    content = bytearray((odd_path / "train-00000-of-00002").read_bytes())
    content[600] ^= 1
    (odd_path / "train-00000-of-00002").write_bytes(content)
    status, answer = run_check("imagenet", str(odd_path))
    assert (status, answer["ok"], answer["train"] + answer["test"]) == (0, True, 22)
    bad = {file["file"]: file["kind"] for file in answer["files"]}
    assert bad == {
        "train-00000-of-00002 record 0": "damaged record",
        "train-00001-of-00002 record 0": "truncated JPEG",
        "train-00001-of-00002 record 1": "truncated JPEG",
    }


def test_that_too_many_bad_files_fail_the_check(odd_path: Path) -> None:
    write_tree(odd_path, classes=1, each=2, validation=0)
    for k in range(4):
        (odd_path / "train" / "n00000000" / f"bad{k}.JPEG").write_bytes(b"")
    with pytest.raises(BadData, match=r"bad\d\.JPEG is empty that cannot be used"):
        data.check("imagenet", str(odd_path), Options(max_bad_files=3))
    for path in (odd_path / "train" / "n00000000").glob("n*"):
        path.write_bytes(b"<html>")
    status, answer = run_check("imagenet", str(odd_path), "max_bad_files=9")
    assert status == EXIT_BAD_DATA
    assert "none of the 6 files" in answer["error"]
