"""TFRecord files, framed and unframed with the standard library.

A record is its length (8 bytes, little-endian), the masked CRC-32C of that, the data, and the
masked CRC-32C of the data (TensorFlow's ``record_writer.h``).
"""

from __future__ import annotations

import os
import struct
from array import array
from pathlib import Path
from typing import BinaryIO

from trainer.data.crc32c import masked_crc32c
from trainer.data.magic import foreign
from trainer.failures import BadData

HEAD = 12
FOOT = 4
MAX_RECORD_BYTES = 1 << 30
_AGAIN = "build or get the shard again"


def frame(data: bytes) -> bytes:
    """One record, ready to be appended to a file."""
    length = struct.pack("<Q", len(data))
    sums = (masked_crc32c(length), masked_crc32c(data))
    return b"".join((length, struct.pack("<I", sums[0]), data, struct.pack("<I", sums[1])))


def walk(path: Path, *, limit: int | None = None) -> array[int]:
    """The offsets of the first ``limit`` records, or of all; data is skipped, not read.

    Raises:
        BadData: unreadable, not a TFRecord file, or cut; names the file and the record number.
    """
    offsets = array("Q")
    try:
        with path.open("rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            position = 0
            while position < size and (limit is None or len(offsets) < limit):
                offsets.append(position)
                head = os.pread(file.fileno(), HEAD, position)
                position += HEAD + _length(path, len(offsets) - 1, head) + FOOT
    except OSError as error:
        raise BadData(f"{path} cannot be read: {error.strerror or error}") from None
    if not offsets:
        raise BadData(f"{path} is empty; {_AGAIN}")
    if position > size:
        raise BadData(_cut(path, len(offsets) - 1, position - size))
    return offsets


def read_record(path: Path, file: BinaryIO, number: int, offset: int) -> bytes:
    """Record ``number`` at ``offset``, both checksums checked. Raises ``BadData``."""
    try:
        file.seek(offset)
        head = file.read(HEAD)
        length = _length(path, number, head)
        body = file.read(length + FOOT)
    except OSError as error:
        raise BadData(f"{path} cannot be read: {error.strerror or error}") from None
    if len(body) < length + FOOT:
        raise BadData(_cut(path, number, length + FOOT - len(body)))
    data = body[:length]
    if masked_crc32c(data) != struct.unpack("<I", body[length:])[0]:
        raise BadData(bad_data_sentence(path, number))
    return data


def bad_data_sentence(path: Path, number: int) -> str:
    """What is said of a record whose data does not match its checksum."""
    return f"{path} record {number}: the data does not match its checksum; {_AGAIN}"


def _length(path: Path, number: int, head: bytes) -> int:
    if len(head) < HEAD:
        raise BadData(f"{path} is cut inside the header of record {number}; {_AGAIN}")
    length: int = struct.unpack_from("<Q", head)[0]
    if masked_crc32c(head[:8]) != struct.unpack_from("<I", head, 8)[0]:
        if number == 0:
            raise BadData(f"{path} {_what_it_is(path)}")
        raise BadData(
            f"{path} record {number}: the length does not match its checksum, so that nothing "
            f"after it can be read; {_AGAIN}"
        )
    if length > MAX_RECORD_BYTES:
        raise BadData(f"{path} record {number} has {length} bytes, more than a gigabyte; {_AGAIN}")
    return length


def _cut(path: Path, number: int, missing: int) -> str:
    return f"{path} is cut: record {number} is short by {missing} bytes; {_AGAIN}"


def _what_it_is(path: Path) -> str:
    with path.open("rb") as file:
        known = foreign(file.read(512), "TFRecords", "TFRecord files")
    if known is not None:
        return f"is {known.kind}; {known.remedy}"
    return f"is not a TFRecord file, or its first record is damaged; {_AGAIN}"
