"""The shard builder: the same bytes each time, goes on where it was killed, says what fails."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.waiting import PATIENCE_S
from tests.trainer.cluster import REPOSITORY
from tests.trainer.image_files import case, png, write_tree
from trainer import data
from trainer.data.example import parse_example
from trainer.data.manifest import read_manifest
from trainer.data.tfrecord import read_record, walk
from trainer.spec import EXIT_BAD_DATA


def start(source: Path, destination: Path, *options: str, path: str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "trainer.build_shards", str(source), str(destination), *options],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def lines(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    output, errors = process.communicate(timeout=PATIENCE_S)
    assert errors == ""
    return [json.loads(line) for line in output.splitlines()]


def build(source: Path, destination: Path, *options: str) -> dict[str, Any]:
    process = start(source, destination, *options)
    result = lines(process)[-1]
    assert result["type"] == "result"
    return {**result, "status": process.returncode}


def contents(folder: Path) -> dict[str, str]:
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.iterdir()}


def big_tree(folder: Path, images: int = 240) -> Path:
    """Enough that a build takes a second or so: the source has 60 MB."""
    write_tree(folder, classes=2, each=images // 2, validation=1)
    for path in (folder / "train").glob("*/*"):
        path.write_bytes(path.read_bytes() + bytes(250_000))
    return folder


def test_that_shards_hold_every_image_in_the_usual_layout(odd_path: Path) -> None:
    source, destination = write_tree(odd_path / "source"), odd_path / "it's here"
    result = build(source, destination, "--shards", "4")
    assert (result["status"], result["state"]) == (0, "finished")
    assert (result["train"], result["validation"], result["classes"]) == (24, 6, 3)
    names = [f"train-{k:05d}-of-00004" for k in range(4)] + ["validation-00000-of-00001"]
    assert sorted(contents(destination)) == ["manifest.json", *names]
    found = {}
    for name in names[:4]:
        with (destination / name).open("rb") as file:
            for number, offset in enumerate(walk(destination / name)):
                record = read_record(destination / name, file, number, offset)
                features = parse_example(record)
                found[features["image/filename"][0]] = features
    assert len(found) == 24
    one = found[b"n00000002_3.JPEG"]
    assert one["image/class/label"] == [3]
    assert one["image/class/synset"] == [b"n00000002"]
    assert one["image/format"] == [b"PNG"]
    assert (one["image/height"], one["image/width"]) == ([16], [20])
    assert one["image/encoded"] == [png(200, 30, 200)]
    manifest = read_manifest(destination)
    assert manifest is not None
    for entry in (*manifest.train, *manifest.validation):
        content = (destination / entry.name).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (entry.bytes, entry.sha256)


def test_that_the_same_source_gives_the_same_bytes(odd_path: Path) -> None:
    source = write_tree(odd_path / "source", validation=0)
    build(source, odd_path / "one", "--processes", "1")
    build(source, odd_path / "two", "--processes", "3")
    assert contents(odd_path / "one") == contents(odd_path / "two")
    again = build(source, odd_path / "one")
    assert (again["status"], again["state"], again["held_out"]) == (0, "finished", True)


def test_that_a_killed_build_goes_on_and_nothing_is_doubled(odd_path: Path) -> None:
    source, destination = big_tree(odd_path / "source"), odd_path / "shards"
    build(source, odd_path / "whole", "--shards", "24")
    kept: set[str] = set()
    for _ in range(3):
        process = start(source, destination, "--shards", "24", "--processes", "2")
        wait_for_shards(destination, len(kept) + 2, process)
        process.kill()
        process.communicate(timeout=PATIENCE_S)  # its packers hold the pipe until they end
        done = {p.name: p.stat().st_mtime_ns for p in destination.glob("train-*")}
        (destination / ".train-00000-of-00024.partial").write_bytes(b"half")
        assert kept <= set(done)
        kept = set(done)
    before = {p.name: p.stat().st_ino for p in destination.glob("train-*")}
    process = start(source, destination, "--shards", "24")
    messages = lines(process)
    assert (process.returncode, messages[-1]["state"]) == (0, "finished")
    assert messages[0]["shards"] >= len(kept) - 2
    assert contents(destination) == contents(odd_path / "whole")
    journalled = [n for n, inode in before.items() if (destination / n).stat().st_ino == inode]
    assert len(journalled) >= len(kept) - 2


def wait_for_shards(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + PATIENCE_S
    while len(list(folder.glob("train-*"))) < count:
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.005)


def test_that_a_stop_leaves_whole_shards_only(odd_path: Path) -> None:
    source, destination = big_tree(odd_path / "source"), odd_path / "shards"
    process = start(source, destination, "--shards", "24", "--processes", "1")
    wait_for_shards(destination, 2, process)
    process.send_signal(signal.SIGTERM)
    messages = lines(process)
    assert (process.returncode, messages[-1]) == (130, {"type": "result", "state": "stopped"})
    names = sorted(p.name for p in destination.iterdir())
    assert names[0] == ".build.jsonl"
    assert all(name.startswith("train-") for name in names[1:])
    assert [len(walk(destination / name)) for name in names[1:]] == [10] * (len(names) - 1)


def test_that_a_build_whose_reader_is_gone_stops(odd_path: Path) -> None:
    source = big_tree(odd_path / "source")
    with start(source, odd_path / "shards", "--shards", "24", "--processes", "1") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(PATIENCE_S) in (130, 0)  # 0: it was done before it spoke again
    assert not list((odd_path / "shards").glob("*.partial"))


def test_that_progress_is_told_and_adds_up(odd_path: Path) -> None:
    source = big_tree(odd_path / "source", images=40)
    told = [m for m in lines(start(source, odd_path / "shards")) if m["type"] == "progress"]
    assert told[-1]["images"] == told[-1]["of_images"] == 42
    assert told[-1]["bytes"] == told[-1]["of_bytes"]
    assert told[-1]["shards"] == told[-1]["of_shards"]
    assert [m["images"] for m in told] == sorted(m["images"] for m in told)


def test_that_bad_files_are_listed_and_left_out_up_to_a_bound(odd_path: Path) -> None:
    source = write_tree(odd_path / "source", classes=1, each=8, validation=1)
    for name in ("truncated", "empty", "gray"):
        (source / "train" / "n00000000" / f"{name}.JPEG").write_bytes(case(name))
    messages = lines(start(source, odd_path / "shards", "--shards", "1"))
    bad = {Path(m["file"]).stem: m["kind"] for m in messages if m["type"] == "bad"}
    assert bad == {"truncated": "truncated JPEG", "empty": "empty"}
    assert (messages[-1]["train"], messages[-1]["left_out"]) == (9, 2)
    manifest = read_manifest(odd_path / "shards")
    assert manifest is not None
    assert [file["kind"] for file in manifest.left_out] == ["empty", "truncated JPEG"]
    result = build(source, odd_path / "strict", "--max-bad", "1")
    assert (result["status"], result["state"]) == (EXIT_BAD_DATA, "failed")
    assert "more than the 1 that are allowed" in result["error"]
    assert read_manifest(odd_path / "strict") is None


def test_that_a_folder_with_other_things_is_not_touched(odd_path: Path) -> None:
    source = write_tree(odd_path / "source")
    (odd_path / "full").mkdir()
    (odd_path / "full" / "thesis.tex").write_text("x")
    result = build(source, odd_path / "full")
    assert (result["status"], list(contents(odd_path / "full"))) == (EXIT_BAD_DATA, ["thesis.tex"])
    assert "holds thesis.tex already" in result["error"]
    assert "among the images" in build(source, source / "train" / "x")["error"]
    assert "does not exist" in build(odd_path / "none", odd_path / "x")["error"]
    build(source, odd_path / "done")
    (source / "train" / "n00000000" / "new.JPEG").write_bytes(png(1, 2, 3))
    assert "already" in build(source, odd_path / "done")["error"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 12 MB that takes three files and two folders."""
    disk = tmp_path / "small disk"
    disk.mkdir()
    options = ["-o", "size=12m,nr_inodes=6", "clew", str(disk)]
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", *options]).returncode:
        pytest.skip("no disk can be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_that_a_full_disk_is_one_sentence_and_the_build_can_go_on(
    small_disk: Path, odd_path: Path
) -> None:
    source, shards = big_tree(odd_path / "source", images=40), small_disk / "shards"
    full = build(source, shards, "--shards", "8", "--processes", "2")
    assert (full["status"], full["state"]) == (1, "failed")
    assert full["error"].startswith(f"{shards}: no space left; make room")
    assert not list(shards.glob("*.partial"))
    kept = {p.name for p in shards.glob("train-*")}
    assert kept
    subprocess.run(["mount", "-o", "remount,size=12m,nr_inodes=99", str(small_disk)], check=True)
    (small_disk / "filler").write_bytes(bytes(6 << 20))
    early = build(source, shards, "--shards", "8")
    assert (early["status"], early["state"]) == (1, "failed")
    assert "free, but the shards need" in early["error"]
    (small_disk / "filler").unlink()
    assert build(source, shards, "--shards", "8")["state"] == "finished"


def test_that_a_file_that_cannot_grow_is_one_sentence(odd_path: Path) -> None:
    source = big_tree(odd_path / "source", images=40)
    limit = "import resource, signal, runpy; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    limit += "resource.setrlimit(resource.RLIMIT_FSIZE, (700_000, 700_000)); "
    limit += "runpy.run_module('trainer.build_shards', run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", limit, str(source), str(odd_path / "shards"), "--shards", "8"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    result = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, result["state"]) == (1, "failed")
    assert "cannot be written" in result["error"]
    assert not list((odd_path / "shards").glob("*train-*"))


def test_that_built_shards_are_a_data_set(odd_path: Path) -> None:
    source = write_tree(odd_path / "source", validation=0)
    build(source, odd_path / "shards", "--shards", "3")
    summary = data.check("imagenet", str(odd_path / "shards"))
    assert (summary.train, summary.test, summary.classes) == (23, 1, 3)
    assert summary.kinds == {"PNG": 24}
