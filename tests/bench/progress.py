"""How far a program is, told to another process without a call to the system.

A file of pairs of doubles: UTC epoch seconds, and the batches that were trained on until then. It
is mapped into the writer's memory, so a note costs under a microsecond; a reader takes pairs until
the first empty one.
"""

from __future__ import annotations

import mmap
import struct
import time
from pathlib import Path

_PAIR = struct.Struct("dd")
CAPACITY = 1 << 20
"""Notes that fit; the file is sparse, so room that is not used costs nothing."""

Stamps = list[tuple[float, float]]
"""(UTC epoch seconds, batches until then), in order."""


class Progress:
    """The writer's end."""

    def __init__(self, path: Path) -> None:
        with path.open("wb+") as file:
            file.truncate(CAPACITY * _PAIR.size)
            self._memory = mmap.mmap(file.fileno(), CAPACITY * _PAIR.size)
        self._next = 0
        self._batches = 0.0

    def step(self, batches: float = 1.0) -> None:
        """``batches`` more are done."""
        self.reach(self._batches + batches)

    def reach(self, batches: float) -> None:
        """``batches`` are done altogether."""
        self._batches = batches
        if self._next < CAPACITY:
            _PAIR.pack_into(self._memory, self._next * _PAIR.size, time.time(), batches)
            self._next += 1


def read(path: Path) -> Stamps:
    """What was noted so far; nothing if the writer has not begun."""
    if not path.exists():
        return []
    stamps: Stamps = []
    with path.open("rb") as file:
        while block := file.read(_PAIR.size << 12):
            for t, batches in _PAIR.iter_unpack(block):
                if not t:
                    return stamps
                stamps.append((t, batches))
    return stamps
