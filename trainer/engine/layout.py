"""How a model's variables are packed into flat arrays, the buckets, on the ps. No TensorFlow."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Key = TypeVar("Key")
VALUE_BYTES = 4
"""Of a float32."""
ALIGNMENT = 16
"""Values (64 bytes): TensorFlow takes a slice that begins and ends there without copying it."""
BUCKET_BYTES = 4 << 20
"""A bucket takes no further variable beyond this size.

Speed against one bucket, with 100 MB of variables, one worker, medians on a busy machine, for 1,
4 and 16 MiB. ``python -m tests.bench trainer_buckets``, between namespaces: 1.28, 1.31, 1.26 at
1 Gbit/s; 1.30, 1.13, 1.14 (spread 0.7 to 2.6) at 10 Gbit/s. Both servers in one process, on a
loopback shaped alike: 1.26, 1.27, 1.26 and 2.28, 2.34, 1.94; a step took 353, 293, 271 ms of
processor time at 1 Gbit/s and 231, 207, 202 at 10.
"""
LIMIT_BYTES = 1 << 30
"""No bucket is larger: a tensor or message of 2 GiB cannot travel (protobuf)."""
_BUCKET_BYTES = "CLEW_BUCKET_BYTES"


@dataclass(frozen=True, slots=True)
class Variable:
    """One trainable float32 variable of a model."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of values."""
        return prod(self.shape)


class Piece(NamedTuple):
    """``size`` values of a variable, flattened, from ``start`` on."""

    variable: int
    start: int
    size: int

    @property
    def room(self) -> int:
        """Number of values it takes in a bucket: zeros follow until the next can begin."""
        return -(-self.size // ALIGNMENT) * ALIGNMENT


class Bucket(NamedTuple):
    """One flat array on ``ps``, made of pieces in packing order."""

    ps: int
    pieces: tuple[Piece, ...]

    @property
    def size(self) -> int:
        """Number of values, with the zeros between pieces."""
        return sum(piece.room for piece in self.pieces)

    def places(self) -> Iterator[tuple[Piece, int]]:
        """Each piece and where it begins in the flat array."""
        place = 0
        for piece in self.pieces:
            yield piece, place
            place += piece.room


@dataclass(frozen=True, slots=True)
class Layout:
    """Where each value of the variables lies. A ps may have no bucket."""

    variables: tuple[Variable, ...]
    buckets: tuple[Bucket, ...]

    def names(self, bucket: int) -> list[str]:
        """The variables that a bucket holds, or parts of them."""
        return [self.variables[piece.variable].name for piece in self.buckets[bucket].pieces]

    def pack(self, arrays: Sequence[NDArray[np.float32]], bucket: int) -> NDArray[np.float32]:
        """The flat array of a bucket from one array per variable."""
        flat = np.zeros(self.buckets[bucket].size, np.float32)
        for piece, place in self.buckets[bucket].places():
            values = np.ravel(arrays[piece.variable])
            flat[place : place + piece.size] = values[piece.start : piece.start + piece.size]
        return flat

    def unpack(self, flats: Sequence[NDArray[np.float32]]) -> list[NDArray[np.float32]]:
        """One new array per variable from one flat array per bucket."""
        arrays = [np.empty(variable.size, np.float32) for variable in self.variables]
        for bucket, flat in zip(self.buckets, flats, strict=True):
            for piece, place in bucket.places():
                values = flat[place : place + piece.size]
                arrays[piece.variable][piece.start : piece.start + piece.size] = values
        return [a.reshape(v.shape) for a, v in zip(arrays, self.variables, strict=True)]


def bucket_bytes() -> int:
    """``BUCKET_BYTES``, or what ``CLEW_BUCKET_BYTES`` says in every task's environment."""
    text = os.environ.get(_BUCKET_BYTES, "")
    return int(text) if text.isascii() and text.isdigit() else BUCKET_BYTES


def plan_layout(
    variables: Sequence[Variable],
    ps: int,
    *,
    bucket: int | None = None,
    limit: int = LIMIT_BYTES,
) -> Layout:
    """Spread variables over ``ps``, the largest first, each to the emptiest, and fill buckets.

    A backward pass ends with the first layers, so each ps' buckets are filled from the last
    variable to the first: a bucket can travel while the layers before it compute. A variable is
    cut only where it is larger than a ps' share of all or than ``limit``. Depends on nothing but
    the arguments, so that every process finds the same layout.

    Args:
        variables: in the order of the layers.
        ps: how many there are; the first is never without a bucket.
        bucket: bytes beyond which a bucket takes no further variable; a larger variable has one
            to itself. None: :func:`bucket_bytes`.
        limit: bytes that no bucket exceeds; a multiple of 64.
    """
    full = min(bucket_bytes() if bucket is None else bucket, limit) // VALUE_BYTES
    share = -(-sum(variable.size for variable in variables) // ps)
    pieces = _pieces(variables, min(max(full, share), limit // VALUE_BYTES))
    held: list[list[Piece]] = [[] for _ in range(ps)]
    loads = [0] * ps
    for piece in sorted(pieces, key=lambda piece: (-piece.room, piece)):
        emptiest = loads.index(min(loads))
        held[emptiest].append(piece)
        loads[emptiest] += piece.room
    buckets = [Bucket(k, each) for k in range(ps) for each in _filled(held[k], full)]
    return Layout(tuple(variables), tuple(buckets))


def in_loads(sizes: Mapping[Key, int], limit: int = LIMIT_BYTES) -> Iterator[list[Key]]:
    """Keys in their order, as many at a time as have ``limit`` bytes of values together."""
    load: list[Key] = []
    total = 0
    for key, size in sizes.items():
        if load and total + size > limit // VALUE_BYTES:
            yield load
            load, total = [], 0
        load.append(key)
        total += size
    if load:
        yield load


def _pieces(variables: Sequence[Variable], most: int) -> Iterator[Piece]:
    """The variables, cut evenly where they have more than ``most`` values."""
    most = max(ALIGNMENT, most // ALIGNMENT * ALIGNMENT)
    for i, variable in enumerate(variables):
        count = max(1, -(-variable.size // most))
        size = Piece(i, 0, -(-variable.size // count)).room
        for start in range(0, max(1, variable.size), max(1, size)):
            yield Piece(i, start, min(size, variable.size - start))


def _filled(pieces: list[Piece], full: int) -> list[tuple[Piece, ...]]:
    """Buckets in the order in which a backward pass completes them."""
    buckets: list[list[Piece]] = []
    last: list[Piece] = []
    room = full
    for piece in sorted(pieces, reverse=True):
        if piece.room > full:
            buckets.append([piece])
            continue
        if not last or room + piece.room > full:
            last, room = [], 0
            buckets.append(last)
        last.append(piece)
        room += piece.room
    return sorted(map(tuple, buckets), key=min, reverse=True)
