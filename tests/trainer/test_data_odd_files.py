"""Odd names, folders, links and images: used where they can be, else skipped by name."""

from __future__ import annotations

import base64
import json
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from tests.trainer.cluster import REPOSITORY
from tests.trainer.decoding import Ask
from tests.trainer.image_files import OK, png, write_tree
from tests.trainer.test_data_build import build
from trainer.data.folder import read_tree
from trainer.data.image_kinds import inspect
from trainer.data.names import shown
from trainer.failures import BadData

NAMES = (
    b"with blank.JPEG",
    b'it\'s "quoted" $(x) `y`.JPEG',
    b"two\nlines\x1b[31m.JPEG",
    b"\xff\xfe not utf-8.JPEG",
    "été 图像.JPEG".encode(),
    b"-rf.JPEG",
)
WEBP = base64.b64decode("UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=")


def odd_names(folder: Path) -> Path:
    """A tree in which one class and six images have odd names, and one image is bad as well."""
    write_tree(folder, classes=2, each=8, validation=2)
    place = os.path.join(os.fsencode(folder), b"train", b"n00000001")
    for k, name in enumerate(NAMES):
        with open(os.path.join(place, name), "wb") as file:
            file.write(png(1, 2, k))
    with open(os.path.join(place, b"bad\n\xff.JPEG"), "wb") as file:
        file.write(b"<html>no</html>")
    for split in (b"train", b"val"):
        odd = os.path.join(os.fsencode(folder), split, b"class \xff'\n")
        os.mkdir(odd)
        with open(os.path.join(odd, b"x.JPEG"), "wb") as file:
            file.write(png(9, 9, 9))
    return folder


@pytest.mark.tf
def test_that_any_name_of_a_file_is_taken_and_shown_on_one_line(ask: Ask, odd_path: Path) -> None:
    source, shards = odd_names(odd_path / "source"), odd_path / "shards"
    built = build(source, shards, "--shards", "3")
    assert (built["state"], built["left_out"]) == ("finished", 1)
    question = {"ask": "train", "batches": 12, "batch_size": 8}
    plain, packed = ask({**question, "folder": str(source)}, {**question, "folder": str(shards)})
    for found in (plain, packed):
        assert found["error"] == ""
        assert set(found["labels"]) == {0, 1, 2}
    assert any("n00000001/bad\\n\\xff.JPEG" in text for text in plain["told"])
    checked = subprocess.run(
        [sys.executable, "-m", "trainer.check_data", "imagenet", str(source)],
        cwd=REPOSITORY,
        capture_output=True,
        timeout=60,
    )
    assert checked.stderr == b""
    (line,) = checked.stdout.splitlines()
    (bad,) = (file for file in json.loads(line)["files"] if not file["usable"])
    assert bad["file"].endswith("bad\\n\\xff.JPEG")


def test_that_a_shown_name_is_one_line_of_bounded_text() -> None:
    for name in NAMES:
        text = shown(os.fsdecode(b"/a/" + name))
        assert text.isprintable()
        assert text.encode("utf-8")
    assert shown("/été/a b's") == "/été/a b's"
    assert len(shown("x" * 4000)) < 400


def test_that_links_that_lead_to_themselves_are_files_that_cannot_be_read(odd_path: Path) -> None:
    folder = write_tree(odd_path, classes=2, each=8, validation=2)
    place = folder / "train" / "n00000000"
    (place / "loop.JPEG").symlink_to("loop.JPEG")
    (place / "gone.JPEG").symlink_to("/nowhere/at/all.JPEG")
    (folder / "train" / "around").symlink_to("around")
    (place / "up").symlink_to("..")
    tree = read_tree(folder)
    assert tree.classes == ("n00000000", "n00000001")
    assert len(tree.train) == 18
    assert tree.deeper == ["train/n00000000/up"]
    built = build(folder, odd_path / "shards")
    assert (built["state"], built["train"], built["left_out"]) == ("finished", 16, 2)


def test_that_images_in_deeper_folders_are_missed_aloud(odd_path: Path) -> None:
    deep = odd_path / "train" / "a" / "b" / "c"
    deep.mkdir(parents=True)
    (deep / "x.JPEG").write_bytes(OK)
    with pytest.raises(BadData, match="train/a/b is a folder, and images belong into train/"):
        read_tree(odd_path)
    for k in range(2):
        (odd_path / "train" / "a" / f"{k}.JPEG").write_bytes(OK)
    assert read_tree(odd_path).deeper == ["train/a/b"]


def other_png(bits: int, colour: int, row: bytes, palette: bytes = b"") -> bytes:
    """A PNG of 16 x 16 pixels with other bits and colours than usual."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )

    parts = [chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 16, bits, colour, 0, 0, 0))]
    if palette:
        parts.append(chunk(b"PLTE", palette))
    parts += [chunk(b"IDAT", zlib.compress((b"\0" + row * 16) * 16)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def turned(orientation: int, order: str = "<") -> bytes:
    """The usual JPEG, said to be turned."""
    mark = b"II*\0" if order == "<" else b"MM\0*"
    tiff = mark + struct.pack(f"{order}IHHHIHH", 8, 1, 0x0112, 3, 1, orientation, 0) + bytes(4)
    body = b"Exif\0\0" + tiff
    return OK[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + OK[2:]


ODD = {
    "16 bits gray": (other_png(16, 0, b"\x80\x00"), (128, 128, 128)),
    "16 bits colour": (other_png(16, 2, b"\xff\xff\x80\x00\x00\x00"), (255, 128, 0)),
    "with alpha": (other_png(8, 6, b"\x0a\x14\x1e\x80"), (10, 20, 30)),
    "palette": (other_png(8, 3, b"\1", b"\0\0\0\x50\x60\x70"), (80, 96, 112)),
    "turned": (turned(6), None),
    "WebP": (WEBP, None),
}


@pytest.mark.tf
def test_that_unusual_images_come_out_in_8_bits_rgb(ask: Ask, odd_path: Path) -> None:
    for name, (content, _) in ODD.items():
        for top in ("train", "val"):
            place = odd_path / top / name
            place.mkdir(parents=True)
            (place / "x.JPEG").write_bytes(content)
        assert inspect(content).usable, name
    (found,) = ask({"folder": str(odd_path), "ask": "test", "size": 8})
    assert (found["error"], found["told"]) == ("", [])
    assert [sorted(ODD)[k] for k in found["labels"]] == sorted(ODD)
    for name, mean in zip(sorted(ODD), found["means"], strict=True):
        wanted = ODD[name][1]
        assert wanted is None or np.abs(np.array(mean) - wanted).max() <= 1.5, (name, mean)


def test_that_a_turned_photograph_is_used_as_it_is_stored_and_said() -> None:
    for order in "<>":
        assert "it is turned; it is used as it is stored" in inspect(turned(6, order)).note
    assert inspect(turned(1)).note == ""
    assert inspect(turned(77)).note == ""
    cut = turned(6)
    assert inspect(cut[:14] + b"\xff" * 8 + cut[22:]).usable
