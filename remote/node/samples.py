"""A run's samples on one node, kept in a file of bounded size that is thinned with age.

One JSON line each, as :class:`remote.node.meter.Meter` makes them, with a running number ``n``
and each GPU as a list. Whoever asks names the last number that it has.
"""

import os
from typing import Any, Dict, List, NamedTuple, Optional

from remote.node import files, texts
from remote.node.nvidia_smi import Gpu

MAX_BYTES = 4 * 1024 * 1024
SPACINGS = ((300.0, 0.1), (1800.0, 3.0), (7200.0, 10.0), (28800.0, 30.0))
"""Up to so old, one sample in so many seconds."""
_OLDEST_SPACING_S = 60.0
_MOST_FACTOR = 1 << 30
_REWRITE_AFTER = 600
"""So many lines are appended before the file is thinned."""
_RETRY_AFTER = 60
GPU_FIELDS = [name for name in Gpu._fields if name != "lost"]


class Row(NamedTuple):
    """One line, and what thinning needs of it."""

    number: int
    boot: str
    tick: float
    line: bytes


class SampleFile:
    """Written by one sampler. A disk that is full delays writing; nothing is raised."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._rows = read_rows(path)
        self._number = max([row.number for row in self._rows], default=0)
        # The last line may be torn: by a sampler that was killed, or by a full disk.
        self._whole = False
        self._until_rewrite = _REWRITE_AFTER

    def add(self, sample: Dict[str, Any]) -> None:
        """Keep one sample."""
        self._number += 1
        gpus = [[gpu[name] for name in GPU_FIELDS] for gpu in sample["gpus"]]
        line = texts.line(dict(sample, n=self._number, gpus=gpus))
        self._rows.append(Row(self._number, sample["boot"], sample["tick"], line))
        self._until_rewrite -= 1
        if self._until_rewrite <= 0:
            self._rewrite(sample)
        else:
            self._append(line)

    def _append(self, line: bytes) -> None:
        data = line if self._whole else b"\n" + line
        try:
            fd = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                self._whole = os.write(fd, data) == len(data)
            finally:
                os.close(fd)
        except OSError:
            self._whole = False
        if not self._whole:
            self._until_rewrite = min(self._until_rewrite, _RETRY_AFTER)

    def _rewrite(self, newest: Dict[str, Any]) -> None:
        self._rows = thin(self._rows, newest["boot"], newest["tick"])
        try:
            files.publish(self._path, b"".join(row.line for row in self._rows))
        except OSError:
            self._until_rewrite = _RETRY_AFTER
            return
        self._whole, self._until_rewrite = True, _REWRITE_AFTER


def thin(rows: List[Row], boot: str, now: float, limit: int = MAX_BYTES) -> List[Row]:
    """The ``rows`` that stay at ``now`` (seconds since ``boot``): fewer, the older they are."""
    spacings = [_spacing(row, boot, now) for row in rows]
    factor = 1
    while True:
        kept = _spaced(rows, spacings, factor)
        # Doubled slots hold whole ones of before: what was thinned already loses no more.
        if sum(len(row.line) for row in kept) <= limit or factor >= _MOST_FACTOR:
            return kept
        factor *= 2


def _spaced(rows: List[Row], spacings: List[float], factor: int) -> List[Row]:
    """The first row of each slot; a slot is ``factor`` times as long as the row's spacing."""
    kept, last = [], None
    for row, spacing in zip(rows, spacings):  # noqa: B905 - Python 3.6
        slot = (row.boot, spacing, int(row.tick / (spacing * factor)))
        if slot != last:
            kept.append(row)
        last = slot
    return kept


def _spacing(row: Row, boot: str, now: float) -> float:
    age = now - row.tick if row.boot == boot else float("inf")
    return next((spacing for limit, spacing in SPACINGS if age <= limit), _OLDEST_SPACING_S)


def read_rows(path: str) -> List[Row]:
    """The whole lines of a file of samples; what is none is left out."""
    data = files.read(path, 2 * MAX_BYTES) or b""
    rows = []
    for line in data.split(b"\n")[:-1]:
        sample = parse(line)
        if sample is not None:
            rows.append(Row(sample["n"], sample["boot"], sample["tick"], line + b"\n"))
    return rows


def parse(line: bytes) -> Optional[Dict[str, Any]]:
    """A sample as it was written, its GPUs as lists; None: the line is none."""
    try:
        sample = texts.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(sample, dict) or type(sample.get("n")) is not int:
        return None
    if not isinstance(sample.get("boot"), str) or not isinstance(sample.get("gpus"), list):
        return None
    times = (sample.get("tick"), sample.get("t"))
    return sample if all(isinstance(value, (int, float)) for value in times) else None
