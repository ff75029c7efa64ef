"""Small image files and data sets of them, written without any image library."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

IMAGES = Path(__file__).parents[1] / "fixtures" / "images"
OK = (IMAGES / "34-ok.JPEG").read_bytes()
USABLE = ("ok", "png-inside", "cmyk", "gray", "junk-before-end", "bmp-inside", "gif-inside")
BAD = ("truncated", "empty")


def case(name: str) -> bytes:
    """One of the images whose name says what is odd about it."""
    return (IMAGES / f"34-{name}.JPEG").read_bytes()


def png(red: int, green: int, blue: int, width: int = 20, height: int = 16) -> bytes:
    """A PNG of one colour."""

    def chunk(name: bytes, body: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(name + body))
        return struct.pack(">I", len(body)) + name + body + check

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + bytes((red, green, blue)) * width) * height
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def write_tree(
    folder: Path, *, classes: int = 3, each: int = 8, validation: int = 2, top: str = "val"
) -> Path:
    """``train/<class>/*.JPEG``: every image a colour of its own; returns ``folder``."""
    for split, count in (("train", each), (top, validation)):
        for label in range(classes):
            if not count:
                continue
            place = folder / split / f"n{label:08d}"
            place.mkdir(parents=True)
            for k in range(count):
                content = png(
                    100 * label, k * 10 % 250, (200 if split == "train" else 190) + k // 25
                )
                (place / f"n{label:08d}_{k}.JPEG").write_bytes(content)
    return folder
