"""IDX files, gzipped or not, read with the standard library and checked to the last byte.

The format (http://yann.lecun.com/exdb/mnist/): a big-endian magic number whose last byte is the
number of dimensions, one 32-bit count per dimension, then unsigned bytes.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from dataclasses import dataclass
from math import prod
from pathlib import Path

from trainer.data.magic import GZIP, foreign
from trainer.failures import BadData

IMAGES = 0x803
LABELS = 0x801
MAX_BYTES = 1 << 30
"""More than this is refused, so that a few hostile kilobytes cannot fill the memory."""
_NAMES = {IMAGES: "images", LABELS: "labels"}


@dataclass(frozen=True, slots=True)
class Idx:
    """The content of one file: ``data`` has ``prod(dims)`` bytes, row-major."""

    dims: tuple[int, ...]
    data: bytes


def read_idx(path: Path, magic: int) -> Idx:
    """Read a file of images (``IMAGES``) or labels (``LABELS``).

    Raises:
        BadData: missing, unreadable, or not exactly one such IDX file; says what it is instead.
    """
    content = _content(path)
    dims = _dims(path, content, magic)
    header = 4 + 4 * len(dims)
    missing = header + prod(dims) - len(content)
    if missing > 0:
        raise BadData(
            f"{path} is short by {missing} bytes: its header announces {dims[0]} "
            f"{_NAMES[magic]}; get the file again"
        )
    if missing < 0:
        raise BadData(
            f"{path} has {-missing} bytes more than its header announces; get the file again"
        )
    return Idx(dims, content[header:])


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            zipped = file.read(2) == GZIP
        with gzip.open(path, "rb") if zipped else path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except EOFError:
        raise BadData(f"{path}: the gzip stream is cut; get the file again") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise BadData(f"{path}: the gzip stream is damaged ({error}); get it again") from None
    except FileNotFoundError:
        raise BadData(f"{path} is missing; put it there") from None
    except OSError as error:
        raise BadData(f"{path} cannot be read: {error.strerror or error}") from None
    if len(content) > MAX_BYTES:
        raise BadData(f"{path} holds more than {MAX_BYTES} bytes; give a smaller file")
    if zipped and content[:2] == GZIP:
        raise BadData(f"{path} is compressed twice; run gunzip on it once")
    return content


def _dims(path: Path, content: bytes, magic: int) -> tuple[int, ...]:
    wanted, other = _NAMES[magic], _NAMES[LABELS if magic == IMAGES else IMAGES]
    found = int.from_bytes(content[:4], "big") if len(content) >= 4 else None
    if found == (LABELS if magic == IMAGES else IMAGES):
        raise BadData(f"{path} holds {other}, not {wanted}; put the file with the {wanted} there")
    if found != magic:
        raise BadData(f"{path} {_what_it_is(content, wanted)}")
    count = magic & 0xFF
    header = content[4 : 4 + 4 * count]
    if len(header) < 4 * count:
        raise BadData(f"{path} is cut inside its header; get the file again")
    dims = struct.unpack(f">{count}I", header)
    if 0 in dims:
        raise BadData(f"{path} holds no {wanted}; get the file again")
    return dims


def _what_it_is(content: bytes, wanted: str) -> str:
    """A phrase for a file whose magic number is neither images nor labels."""
    known = foreign(content, wanted, "IDX files")
    if known is not None:
        return f"is {known.kind}; {known.remedy}"
    return (
        f"is not an IDX file of {wanted}: it starts with 0x{content[:4].hex()}, "
        f"not 0x{IMAGES if wanted == 'images' else LABELS:08x}; get the file again"
    )
