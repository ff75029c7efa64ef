"""TFRecords and their messages: what is written is read, what is damaged is named."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trainer.data.crc32c import crc32c, masked_crc32c
from trainer.data.example import ExampleError, parse_example, write_example
from trainer.data.tfrecord import frame, read_record, walk
from trainer.failures import BadData

QUICK = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def plain_crc(data: bytes) -> int:
    """Bit by bit, as the definition has it."""
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


@pytest.mark.parametrize(
    ("data", "crc"),
    [(b"123456789", 0xE3069283), (bytes(32), 0x8A9136AA), (b"\xff" * 32, 0x62A8AB43), (b"", 0)],
)
def test_that_the_published_checksums_come_out(data: bytes, crc: int) -> None:
    assert crc32c(data) == crc


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 4000), st.integers(0, 255))
def test_that_long_data_has_the_checksum_of_the_definition(length: int, start: int) -> None:
    data = bytes((start + i * i) & 0xFF for i in range(length))
    assert crc32c(data) == plain_crc(data)


def test_that_the_mask_is_tensorflows() -> None:
    assert masked_crc32c(struct.pack("<Q", 0)) == 0x07980329


@QUICK
@given(st.lists(st.binary(max_size=300), min_size=1, max_size=5))
def test_that_records_come_back(tmp_path: Path, records: list[bytes]) -> None:
    path = tmp_path / "it's"
    path.write_bytes(b"".join(map(frame, records)))
    with path.open("rb") as file:
        read = [read_record(path, file, i, offset) for i, offset in enumerate(walk(path))]
    assert read == records


@QUICK
@given(st.integers(0, 2), st.integers(1, 115))
def test_that_a_cut_file_names_the_record(tmp_path: Path, whole: int, missing: int) -> None:
    path = tmp_path / "train-00000-of-00001"
    path.write_bytes(b"".join([frame(bytes(100))] * (whole + 1))[:-missing])
    words = rf"cut: record {whole} is short by {missing}"
    if missing > 104:
        words = f"cut inside the header of record {whole}"
    with pytest.raises(BadData, match=words):
        walk(path)


def test_that_a_wrong_checksum_names_the_record(tmp_path: Path) -> None:
    path = tmp_path / "train-00000-of-00001"
    content = bytearray(b"".join([frame(bytes(100))] * 3))
    content[116 + 50] ^= 1
    path.write_bytes(content)
    with path.open("rb") as file, pytest.raises(BadData, match="record 1: the data"):
        read_record(path, file, 1, walk(path)[1])
    content[116] ^= 1
    path.write_bytes(content)
    with pytest.raises(BadData, match="record 1: the length"):
        walk(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\x1f\x8b" + bytes(40), "compressed with gzip"),
        (b"<html>not found, try again later", "a web page"),
        (bytes(64), "nothing but zeros"),
        (b"x" * 64, "not a TFRecord file"),
    ],
)
def test_that_another_kind_of_file_is_named(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "train-00000-of-00001"
    path.write_bytes(content)
    with pytest.raises(BadData, match=words):
        walk(path)


@QUICK
@given(st.binary(max_size=400), st.booleans())
def test_that_any_bytes_are_records_or_refused(tmp_path: Path, content: bytes, sound: bool) -> None:
    path = tmp_path / "x"
    path.write_bytes(frame(content) + content if sound else content)
    refused, read = "", []
    try:
        with path.open("rb") as file:
            for number, offset in enumerate(walk(path)):
                read.append(read_record(path, file, number, offset))
    except BadData as error:
        refused = str(error)
    assert read or str(path) in refused
    assert not sound or not content or str(path) in refused


FEATURES = st.dictionaries(
    st.text(max_size=10),
    st.one_of(
        st.binary(max_size=50),
        st.integers(-(2**63), 2**63 - 1),
        st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=4),
    ),
)


@QUICK
@given(FEATURES)
def test_that_features_come_back(features: dict[str, bytes | int | list[int]]) -> None:
    wanted = {k: v if isinstance(v, list) else [v] for k, v in features.items()}
    assert parse_example(write_example(features)) == wanted


@QUICK
@given(st.binary(max_size=200), st.integers(0, 200), FEATURES)
def test_that_any_bytes_are_features_or_refused(
    noise: bytes, place: int, features: dict[str, bytes | int | list[int]]
) -> None:
    sound = write_example(features)
    for data in (noise, sound[:place], sound[:place] + noise[:3] + sound[place:]):
        refused = "nothing"
        try:
            parse_example(data)
        except ExampleError as error:
            refused = str(error)
        assert refused
