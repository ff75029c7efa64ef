"""``tf.train.Example`` messages, read and written without protobuf.

The wire format (protobuf.dev/programming-guides/encoding): Example{1: Features{1: map entries
{1: key, 2: Feature{1: BytesList | 2: FloatList | 3: Int64List}}}}; each list holds its values in
field 1, numbers packed or not. Floats are skipped: nothing that we read is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Union

Values = Union[list[bytes], list[int]]


class ExampleError(ValueError):
    """Raised when bytes are not such a message; says why."""


def parse_example(data: bytes) -> dict[str, Values]:
    """The features by name; a feature of floats is left out. Raises :class:`ExampleError`."""
    features: dict[str, Values] = {}
    for _, body in _messages(data, 1):
        for _, entry in _messages(body, 1):
            key, value = b"", b""
            for field, part in _messages(entry, 1, 2):
                key, value = (part, value) if field == 1 else (key, part)
            values = _feature(value)
            if values is not None:
                features[key.decode("utf-8", "replace")] = values
    return features


def write_example(features: Mapping[str, bytes | str | int | Sequence[int]]) -> bytes:
    """The message with ``features`` in the order of their names, so that it is always the same."""
    entries = []
    for name in sorted(features):
        value = features[name]
        if isinstance(value, str):
            value = value.encode()
        if isinstance(value, bytes):
            feature = _field(1, _field(1, value))
        else:
            numbers = [value] if isinstance(value, int) else value
            feature = _field(3, _field(1, b"".join(map(_varint, numbers))))
        entries.append(_field(1, _field(1, name.encode()) + _field(2, feature)))
    return _field(1, b"".join(entries))


def _feature(data: bytes) -> Values | None:
    found: Values | None = None
    for field, body in _messages(data, 1, 2, 3):
        if field == 1:
            found = [part for _, part in _messages(body, 1)]
        elif field == 3:
            found = list(_numbers(body))
    return found


def _numbers(data: bytes) -> Iterator[int]:
    for field, kind, value in _fields(data):
        if field == 1 and kind == 0 and isinstance(value, int):
            yield _signed(value)
        elif field == 1 and kind == 2 and isinstance(value, bytes):
            position = 0
            while position < len(value):
                number, position = _read_varint(value, position)
                yield _signed(number)


def _messages(data: bytes, *wanted: int) -> Iterator[tuple[int, bytes]]:
    for field, _, value in _fields(data):
        if field in wanted and isinstance(value, bytes):
            yield field, value


def _fields(data: bytes) -> Iterator[tuple[int, int, int | bytes]]:
    position = 0
    while position < len(data):
        key, position = _read_varint(data, position)
        field, kind = key >> 3, key & 7
        if kind == 0:
            number, position = _read_varint(data, position)
            yield field, kind, number
            continue
        if kind == 2:
            size, position = _read_varint(data, position)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ExampleError(f"wire type {kind} at byte {position}")
        if position + size > len(data):
            raise ExampleError(f"field {field} is cut")
        yield field, kind, data[position : position + size]
        position += size


def _read_varint(data: bytes, position: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if position >= len(data):
            raise ExampleError("a number is cut")
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    raise ExampleError("a number is too long")


def _signed(value: int) -> int:
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _field(number: int, body: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(body)) + body
