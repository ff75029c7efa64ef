"""Image files are known by what is in them; the check needs no TensorFlow."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainer.image_files import IMAGES, OK, case, png
from trainer.data.check_files import look_at
from trainer.data.image_kinds import inspect
from trainer.data.jpeg import size_of


@pytest.mark.parametrize(
    ("name", "kind", "usable", "note"),
    [
        ("ok", "JPEG", True, ""),
        ("png-inside", "PNG", True, "called .JPEG"),
        ("cmyk", "CMYK JPEG", True, "converted to RGB"),
        ("gray", "gray JPEG", True, "expanded to 3 channels"),
        ("truncated", "truncated JPEG", False, "before its end marker"),
        ("junk-before-end", "JPEG", True, "64 bytes of junk before the end marker"),
        ("bmp-inside", "BMP", True, "JPEG operation cannot read it"),
        ("gif-inside", "GIF", True, "the first frame is used"),
        ("empty", "empty", False, "get the file again"),
    ],
)
def test_that_each_odd_image_has_its_kind(name: str, kind: str, usable: bool, note: str) -> None:
    found = look_at(IMAGES / f"34-{name}.JPEG")
    assert (found.kind, found.usable) == (kind, usable)
    assert note in found.note
    assert bool(note) == bool(found.note)


@pytest.mark.parametrize(
    ("name", "usable", "note"),
    [
        ("images-idx3-ubyte", True, "3 x 4 x 4 images"),
        ("images-idx3-ubyte-plain", True, "not compressed"),
        ("images-idx3-ubyte-twice", False, "compressed twice"),
        ("images-html", False, "a web page"),
        ("labels-as-images", False, "labels, not images"),
        ("images-short", False, "short by 10 bytes"),
        ("images-gz-cut", False, "gzip stream is cut"),
    ],
)
def test_that_each_odd_idx_file_has_its_sentence(name: str, usable: bool, note: str) -> None:
    found = look_at(IMAGES.parent / "idx" / f"34-{name}.gz")
    assert found.usable == usable
    assert note in found.note


@pytest.mark.parametrize(
    ("content", "kind", "usable"),
    [
        (b"<html>404", "a web page, not an image", False),
        (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer, not the data", False),
        (b"II*\0" + bytes(20), "TIFF", False),
        (bytes(4) + b"ftypavif" + bytes(9), "AVIF", False),
        (bytes(99), "nothing but zeros", False),
        (b"hello", "no known image", False),
        (OK[:300], "truncated JPEG", False),
        (OK[:3], "truncated JPEG", False),
        (OK + b"\0" * 9, "JPEG", True),
        (case("gray")[:-200], "truncated gray JPEG", False),
        (png(1, 2, 3)[:-5], "truncated PNG", False),
        (png(1, 2, 3)[:20], "truncated PNG", False),
        (png(1, 2, 3).replace(b"IDAT", b"IDAX"), "damaged PNG", False),
        (png(1, 2, 3, 1, 1), "PNG", True),
        (case("gif-inside")[:-30], "truncated GIF", False),
        (case("bmp-inside")[:-3], "truncated BMP", False),
        (case("bmp-inside")[:28] + b"\x08" + case("bmp-inside")[29:], "BMP", False),
        (b"RIFF\x10\0\0\0WAVE" + bytes(20), "no known image", False),
        (b"RIFF\xff\0\0\0WEBPVP8L" + bytes(20), "truncated WebP", False),
    ],
)
def test_that_other_files_are_named(content: bytes, kind: str, usable: bool) -> None:
    found = inspect(content)
    assert (found.kind, found.usable) == (kind, usable)
    assert found.usable or found.note


def test_that_an_announced_giant_is_refused_unread() -> None:
    giant = bytearray(png(1, 2, 3))
    giant[16:24] = struct.pack(">II", 60_000, 60_000)
    giant[29:33] = struct.pack(">I", __import__("zlib").crc32(giant[12:29]))
    found = inspect(bytes(giant))
    assert not found.usable
    assert "60000x60000" in found.note


def test_that_a_jpeg_whose_middle_is_gone_is_noticed() -> None:
    hole = OK[:-150] + OK[-2:]
    assert "missing" in inspect(hole).note
    assert inspect(hole, deep=False).note == ""
    junk = OK[:-2] + b"\x12\x34\x56" + OK[-2:]
    assert "3 bytes of junk" in inspect(junk).note


def test_that_real_photographs_are_followed_to_their_last_block(shared_data: Path) -> None:
    photos = sorted((shared_data / "data" / "imagenet-sample" / "train").glob("*/*"))[:12]
    assert len(photos) == 12
    for path in photos:
        found = inspect(path.read_bytes())
        assert found.usable
        assert found.note in ("", "expanded to 3 channels")
        assert size_of(path.read_bytes()) == (found.height, found.width)


STARTS = (OK, case("cmyk"), png(1, 2, 3), case("gif-inside"), case("bmp-inside"), b"RIFF1234WEBP")


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(STARTS), st.integers(0, 1200), st.binary(max_size=12), st.booleans())
def test_that_no_file_breaks_the_check(start: bytes, place: int, noise: bytes, cut: bool) -> None:
    damaged = start[:place] + noise + (b"" if cut else start[place + len(noise) :])
    found = inspect(damaged)
    assert found.kind
    assert found.usable or found.note
