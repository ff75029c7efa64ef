"""IDX files: sound ones are read to the last byte, all others are refused in one sentence."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import pytest

from trainer.data.idx import IMAGES, LABELS, read_idx
from trainer.failures import BadData

CASES = Path(__file__).parents[1] / "fixtures" / "idx"


def images(count: int = 2, side: int = 3) -> bytes:
    pixels = bytes(i % 256 for i in range(count * side * side))
    return struct.pack(">4I", IMAGES, count, side, side) + pixels


def refusal(path: Path, magic: int = IMAGES) -> str:
    with pytest.raises(BadData) as caught:
        read_idx(path, magic)
    text = str(caught.value)
    assert str(path) in text
    assert "\n" not in text
    return text


@pytest.mark.parametrize("name", ["34-images-idx3-ubyte.gz", "34-images-idx3-ubyte-plain.gz"])
def test_that_a_sound_file_is_read_compressed_or_not(name: str) -> None:
    idx = read_idx(CASES / name, IMAGES)
    assert idx.dims == (3, 4, 4)
    assert idx.data == bytes(range(48))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("34-images-idx3-ubyte-twice.gz", "compressed twice"),
        ("34-images-html.gz", "a web page"),
        ("34-labels-as-images.gz", "holds labels, not images"),
        ("34-images-short.gz", "short by 10 bytes"),
        ("34-images-gz-cut.gz", "gzip stream is cut"),
    ],
)
def test_that_a_file_of_another_kind_is_named_for_what_it_is(name: str, words: str) -> None:
    assert words in refusal(CASES / name)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\n  <html><body>404", "a web page"),
        (b"\xef\xbb\xbf<!doctype html>", "a web page"),
        (gzip.compress(b"<!DOCTYPE html><p>moved"), "a web page"),
        (gzip.compress(b""), "is empty"),
        (b"PK\x03\x04rest", "ZIP archive"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
        (b"\x00\x00\x08", "not an IDX file"),
        (b"\x03\x08\x00\x00" + bytes(40), "not an IDX file"),
        (images()[:9], "inside its header"),
        (images() + b"\x00", "1 bytes more"),
        (images(0), "holds no images"),
        (struct.pack(">4I", IMAGES, 2**31, 2**31, 2**31), "short by"),
        (gzip.compress(images())[:-9] + b"????????" + b"?", "damaged"),
    ],
)
def test_that_wrong_content_is_refused(weird_path: Path, content: bytes, words: str) -> None:
    path = weird_path / "train-images-idx3-ubyte.gz"
    path.write_bytes(content)
    assert words in refusal(path)


def test_that_images_where_labels_belong_are_refused(weird_path: Path) -> None:
    path = weird_path / "labels"
    path.write_bytes(images())
    assert "holds images, not labels" in refusal(path, LABELS)


def test_that_a_missing_file_and_a_folder_are_refused(weird_path: Path) -> None:
    assert "is missing" in refusal(weird_path / "none.gz")
    assert "cannot be read" in refusal(weird_path)
