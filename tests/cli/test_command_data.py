"""``clew data build`` packs a folder of images, says what it left out, and goes on where it was."""

from __future__ import annotations

from pathlib import Path

from tests.support.commands import clew, objects
from tests.trainer.image_files import case, write_tree


def test_that_a_folder_becomes_shards_that_a_second_call_finds_done(weird_path: Path) -> None:
    images = write_tree(weird_path / "images", classes=3, each=8, validation=2)
    (images / "train" / "empty.JPEG").write_bytes(b"")
    target = weird_path / "shards"
    first = clew("data", "build", images, target, "--shards", 4, "--json", data=weird_path)
    assert first.returncode == 0, first.stderr
    result = objects(first.stdout)[-1]
    assert (result["type"], result["state"]) == ("result", "finished")
    assert (result["train"], result["validation"], result["classes"]) == (24, 6, 3)
    before = {path.name: path.stat().st_mtime_ns for path in target.glob("train-*")}
    assert len(before) == 4
    again = clew("data", "build", images, target, "--shards", 4, data=weird_path)
    assert again.returncode == 0, again.stderr
    assert {path.name: path.stat().st_mtime_ns for path in target.glob("train-*")} == before


def test_that_a_bad_file_is_named_and_too_many_end_it(weird_path: Path) -> None:
    images = write_tree(weird_path / "images", classes=2, each=4)
    folder = next((images / "train").iterdir())
    (folder / "cut.JPEG").write_bytes(case("truncated"))
    words = ("data", "build", images, weird_path / "shards", "--json")
    done = clew(*words, data=weird_path)
    assert done.returncode == 0, done.stderr
    assert [o["file"] for o in objects(done.stdout) if o["type"] == "bad"] == [
        f"train/{folder.name}/cut.JPEG"
    ]
    others = weird_path / "others"
    refused = clew("data", "build", images, others, "--max-bad", 0, data=weird_path)
    assert refused.returncode == 2
    assert "cut.JPEG" in refused.stderr + refused.stdout


def test_that_a_source_that_is_not_there_is_one_sentence(weird_path: Path) -> None:
    done = clew("data", "build", weird_path / "no", weird_path / "to", data=weird_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "does not exist" in done.stderr
