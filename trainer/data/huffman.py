"""Counts through the entropy-coded data of a baseline JPEG: is every block of the image there?

Only code words are followed; no pixel is computed (ITU T.81, F.2.2). Tens of megabytes of memory
are never needed, but time is: about 2 s per megabyte, so callers choose which files are worth it.
"""

from __future__ import annotations

from dataclasses import dataclass

from trainer.data.jpeg import Jpeg, Scan

_RESTARTS = [bytes((0xFF, marker)) for marker in range(0xD0, 0xD8)]
Codes = dict[tuple[int, int], int]


@dataclass(frozen=True, slots=True)
class Followed:
    """``missing``: share of the blocks that are not there, 0 to 1; ``left``: bytes nobody needs."""

    missing: float
    left: int
    bad_code: bool


def follow(data: bytes, jpeg: Jpeg) -> Followed | None:
    """Follow the only scan of a baseline file; None: it is of a kind that is not followed."""
    if not jpeg.baseline or len(jpeg.scans) != 1:
        return None
    scan = jpeg.scans[0]
    plan = _blocks_of_a_unit(jpeg, scan)
    if plan is None:
        return None
    units = _units(jpeg, scan)
    done, left = 0, 0
    for part in _restart_parts(data[scan.begin : scan.end]):
        share = min(scan.restart_interval or units, units - done)
        bits = _Bits(part)
        try:
            for _ in range(share):
                for dc, ac in plan:
                    _skip_block(bits, dc, ac)
                done += 1
        except EOFError:
            break
        except KeyError:
            return Followed(1 - done / units, 0, bad_code=True)
        left += bits.left
    return Followed(1 - done / units, left if done == units else 0, bad_code=False)


def _blocks_of_a_unit(jpeg: Jpeg, scan: Scan) -> list[tuple[Codes, Codes]] | None:
    """The tables of each block of one MCU, in order; None when a table is missing."""
    by_identifier = {c.identifier: c for c in jpeg.components}
    plan: list[tuple[Codes, Codes]] = []
    for identifier, dc, ac in scan.components:
        component = by_identifier.get(identifier)
        tables = scan.tables.get(dc), scan.tables.get(0x10 | ac)
        if component is None or tables[0] is None or tables[1] is None:
            return None
        alone = len(scan.components) == 1
        count = 1 if alone else component.horizontal * component.vertical
        plan += [(_codes(tables[0]), _codes(tables[1]))] * count
    return plan or None


def _units(jpeg: Jpeg, scan: Scan) -> int:
    """How many MCUs the scan has (T.81, A.2)."""
    wide = max(1, *(c.horizontal for c in jpeg.components), 1)
    high = max(1, *(c.vertical for c in jpeg.components), 1)
    if len(scan.components) == 1 and len(jpeg.components) == 1:
        wide = high = 1
    return max(1, -(-jpeg.width // (8 * wide)) * -(-jpeg.height // (8 * high)))


def _codes(table: bytes) -> Codes:
    """From (length, code) to symbol (T.81, annex C)."""
    codes: Codes = {}
    code, position = 0, 16
    for length in range(1, 17):
        for _ in range(table[length - 1]):
            if position < len(table):
                codes[length, code] = table[position]
            code, position = code + 1, position + 1
        code <<= 1
    return codes


def _restart_parts(coded: bytes) -> list[bytes]:
    """The data between restart markers, without stuffed zeros."""
    for marker in _RESTARTS[1:]:
        coded = coded.replace(marker, _RESTARTS[0])
    return [part.replace(b"\xff\x00", b"\xff") for part in coded.split(_RESTARTS[0])]


class _Bits:
    """Bits of ``data`` from the first byte's highest on. Raises ``EOFError`` at the end."""

    __slots__ = ("_data", "_held", "_position", "_value")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0
        self._value = 0
        self._held = 0

    @property
    def left(self) -> int:
        """Whole bytes that were not touched."""
        return len(self._data) - self._position + self._held // 8

    def symbol(self, codes: Codes) -> int:
        """The next code word's symbol. Raises ``KeyError`` when there is no such code word."""
        code = 0
        for length in range(1, 17):
            code = code << 1 | self._bit()
            symbol = codes.get((length, code))
            if symbol is not None:
                return symbol
        raise KeyError(code)

    def skip(self, count: int) -> None:
        """Leave out ``count`` bits, at most 16."""
        while self._held < count:
            self._fill()
        self._held -= count
        self._value &= (1 << self._held) - 1

    def _bit(self) -> int:
        if not self._held:
            self._fill()
        self._held -= 1
        bit = self._value >> self._held
        self._value &= (1 << self._held) - 1
        return bit

    def _fill(self) -> None:
        if self._position >= len(self._data):
            raise EOFError
        self._value = self._value << 8 | self._data[self._position]
        self._position += 1
        self._held += 8


def _skip_block(bits: _Bits, dc: Codes, ac: Codes) -> None:
    bits.skip(bits.symbol(dc) & 15)
    place = 1
    while place < 64:
        symbol = bits.symbol(ac)
        run, size = symbol >> 4, symbol & 15
        if size == 0 and run != 15:
            return
        bits.skip(size)
        place += run + 1
    # More than 64 coefficients cannot come from an encoder.
    if place > 64:
        raise KeyError(place)
