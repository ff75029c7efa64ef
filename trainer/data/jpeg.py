"""The structure of a JPEG file: its frame, its scans, and whether its end is there (ITU T.81)."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field

_SCAN_END = re.compile(rb"\xff+[\x01-\xcf\xd8-\xfe]")
"""The marker after entropy-coded data: neither a stuffed 0xFF00 nor a restart."""
_NOT_FRAMES = frozenset({0xC4, 0xC8, 0xCC})
_EXIF = b"Exif\0\0"
_ORIENTATION = 0x0112


@dataclass(frozen=True, slots=True)
class Component:
    """One colour plane: its sampling factors."""

    identifier: int
    horizontal: int
    vertical: int


@dataclass(frozen=True, slots=True)
class Scan:
    """One run of entropy-coded data: ``components`` are (identifier, DC table, AC table)."""

    components: tuple[tuple[int, int, int], ...]
    begin: int
    end: int
    tables: dict[int, bytes]
    restart_interval: int


@dataclass(slots=True)
class Jpeg:
    """What the headers say. ``ended``: the end marker is there; ``after``: bytes after it."""

    frame: int = 0
    width: int = 0
    height: int = 0
    components: tuple[Component, ...] = ()
    scans: list[Scan] = field(default_factory=list)
    ended: bool = False
    after: int = 0
    orientation: int = 1
    """Of EXIF: how a viewer turns it; 1: not at all."""

    @property
    def baseline(self) -> bool:
        """Sequential and Huffman coded: the common kind, whose scans can be counted through."""
        return self.frame in (0xC0, 0xC1)


class JpegError(ValueError):
    """Raised when the headers make no sense; says where."""


def size_of(data: bytes) -> tuple[int, int]:
    """Height and width; stops at the frame header. Raises :class:`JpegError`."""
    jpeg = _Reader(data, frame_only=True).read()
    if not jpeg.width or not jpeg.height:
        raise JpegError("it has no frame header")
    return jpeg.height, jpeg.width


def read_jpeg(data: bytes) -> Jpeg:
    """All headers of ``data``. Raises :class:`JpegError`; a cut file is a value, not an error."""
    return _Reader(data).read()


class _Reader:
    def __init__(self, data: bytes, *, frame_only: bool = False) -> None:
        self._data = data
        self._frame_only = frame_only
        self._jpeg = Jpeg()
        self._tables: dict[int, bytes] = {}
        self._restart_interval = 0

    def read(self) -> Jpeg:
        data, position = self._data, 2
        while not self._jpeg.ended:
            if self._frame_only and self._jpeg.frame:
                break
            while data[position : position + 2] == b"\xff\xff":
                position += 1
            if position + 4 > len(data) and data[position : position + 2] != b"\xff\xd9":
                break
            if data[position] != 0xFF:
                raise JpegError(f"no marker at byte {position}")
            position = self._segment(data[position + 1], position + 2)
        return self._jpeg

    def _segment(self, marker: int, position: int) -> int:
        """Take one segment whose marker ends before ``position``; returns where it ends."""
        if marker == 0xD9:
            self._jpeg.ended = True
            self._jpeg.after = len(self._data) - position
            return position
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:
            return position
        length = int.from_bytes(self._data[position : position + 2], "big")
        body = self._data[position + 2 : position + length]
        if length < 2:
            raise JpegError(f"a segment without a length at byte {position}")
        end = position + length
        if len(body) < length - 2:
            return len(self._data)
        if 0xC0 <= marker <= 0xCF and marker not in _NOT_FRAMES:
            self._take_frame(marker, body)
        elif marker == 0xC4:
            self._take_tables(body)
        elif marker == 0xDD and len(body) >= 2:
            self._restart_interval = int.from_bytes(body[:2], "big")
        elif marker == 0xE1 and body.startswith(_EXIF):
            self._jpeg.orientation = _orientation(body[len(_EXIF) :])
        elif marker == 0xDA:
            end = self._take_scan(body, end)
        return end

    def _take_frame(self, marker: int, body: bytes) -> None:
        if len(body) < 6 or len(body) < 6 + 3 * body[5]:
            raise JpegError("its frame header is too short")
        jpeg = self._jpeg
        jpeg.frame = marker
        jpeg.height, jpeg.width = (int.from_bytes(body[k : k + 2], "big") for k in (1, 3))
        triples = (body[6 + 3 * k : 9 + 3 * k] for k in range(body[5]))
        jpeg.components = tuple(Component(t[0], t[1] >> 4, t[1] & 15) for t in triples)

    def _take_tables(self, body: bytes) -> None:
        while len(body) >= 17:
            size = 17 + sum(body[1:17])
            self._tables[body[0]] = body[1:size]
            body = body[size:]

    def _take_scan(self, body: bytes, begin: int) -> int:
        found = _SCAN_END.search(self._data, begin)
        end = found.start() if found else len(self._data)
        count = body[0] if body else 0
        pairs = (body[1 + 2 * k : 3 + 2 * k] for k in range(count))
        components = tuple((p[0], p[1] >> 4, p[1] & 15) for p in pairs if len(p) == 2)
        self._jpeg.scans.append(
            Scan(components, begin, end, dict(self._tables), self._restart_interval)
        )
        return end


def _orientation(tiff: bytes) -> int:
    """The orientation in the first directory of EXIF data (TIFF 6.0), 1 where there is none."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(tiff[:4])
    if order is None:
        return 1
    try:
        (start,) = struct.unpack_from(f"{order}I", tiff, 4)
        (count,) = struct.unpack_from(f"{order}H", tiff, start)
        for k in range(min(count, 1000)):
            tag, _, _, value = struct.unpack_from(f"{order}HHIH", tiff, start + 2 + 12 * k)
            if tag == _ORIENTATION:
                return value if 1 <= value <= 8 else 1
    except struct.error:
        return 1
    return 1
