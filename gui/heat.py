"""Utilization of any number of devices over any length of time, one byte a cell.

Rows are devices in order of appearance, columns are equal spans of time; when the columns are used
up, neighbours merge (the greater value stays) and the span doubles. 8,192 devices take 29 MB.
"""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
GAP = 255
"""Cell without a value. Values are 0 to 200: half percents."""
FULL = 200
COLUMNS = 3600
SHOWN_ROWS = 128
"""Rows of the picture; more devices than this share rows, each the mean of its devices."""


class HeatMap:
    """A growing matrix of devices by time."""

    def __init__(self, *, columns: int = COLUMNS, shown_rows: int = SHOWN_ROWS) -> None:
        if columns % 2:
            raise ValueError("columns must be even")
        self.columns = columns
        self.span_s = 1.0
        self.start: float | None = None
        self.labels: list[str] = []
        self.version = 0
        self._rows: dict[Hashable, int] = {}
        self._cells: Bytes = np.full((64, columns), GAP, dtype=np.uint8)
        self._used = 0
        self._shown_rows = shown_rows
        self._shown: Bytes = np.full((0, columns), GAP, dtype=np.uint8)
        self._dirty_from = 0
        self._dirty_to = 0

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def used_columns(self) -> int:
        return self._used

    def put(self, key: Hashable, label: str, t: float, percent: float | None) -> None:
        """Enter one sample; ``percent`` None or not finite leaves the gap.

        Samples older than the first one are dropped: the first column is the start of time here.
        """
        row = self._rows.get(key)
        if row is None:
            row = self._add_row(key, label)
        if self.start is None:
            self.start = t
        if percent is None or not math.isfinite(percent) or t < self.start:
            return
        column = int((t - self.start) / self.span_s)
        while column >= self.columns:
            self._halve()
            column = int((t - self.start) / self.span_s)
        value = int(min(100.0, max(0.0, percent)) * 2)
        old = self._cells[row, column]
        if old == GAP or value > old:
            self._cells[row, column] = value
            self._dirty_from = min(self._dirty_from, column)
            self._dirty_to = max(self._dirty_to, column + 1)
            self._used = max(self._used, column + 1)
            self.version += 1

    @property
    def shown_rows(self) -> int:
        """Rows of :meth:`shown`; at least 1."""
        count = len(self._rows)
        return -(-count // self.group) if count else 1

    @property
    def group(self) -> int:
        """Devices in one shown row."""
        return max(1, -(-len(self._rows) // self._shown_rows))

    def row_labels(self) -> list[str]:
        """The label of each shown row: its device, or the first one of its group."""
        return self.labels[:: self.group]

    def shown(self) -> Bytes:
        """The used part, at most ``shown_rows`` rows: each the mean of its devices."""
        count = len(self._rows)
        group, rows = self.group, self.shown_rows
        if self._shown.shape[0] != rows:
            self._shown = np.full((rows, self.columns), GAP, dtype=np.uint8)
            self._dirty_from, self._dirty_to = 0, self._used
        low, high = self._dirty_from, self._dirty_to
        if high > low:
            self._shown[:, low:high] = _grouped(self._cells[:count, low:high], group, rows)
        self._dirty_from, self._dirty_to = self.columns, 0
        return self._shown[:, : self._used]

    def at(self, t: float) -> Bytes:
        """All devices' cells at time ``t``, GAP where there is none."""
        count = len(self._rows)
        column = -1 if self.start is None else int((t - self.start) // self.span_s)
        if not 0 <= column < self._used:
            return np.full(count, GAP, dtype=np.uint8)
        cells: Bytes = self._cells[:count, column]
        return cells

    def newest(self) -> Bytes:
        """Each device's last value within the last five columns, GAP where there is none."""
        count = len(self._rows)
        raised = self._cells[:count, max(0, self._used - 5) : self._used] + np.uint8(1)
        result = np.zeros(count, dtype=np.uint8)
        for column in raised.T:
            np.copyto(result, column, where=column != 0)
        result -= np.uint8(1)
        return result

    def _add_row(self, key: Hashable, label: str) -> int:
        row = len(self._rows)
        self._rows[key] = row
        self.labels.append(label)
        if row >= self._cells.shape[0]:
            more = np.full((self._cells.shape[0], self.columns), GAP, dtype=np.uint8)
            self._cells = np.concatenate((self._cells, more))
        self.version += 1
        return row

    def _halve(self) -> None:
        half = self.columns // 2
        for first in range(0, len(self._rows), 256):  # in parts: no second copy of the whole
            part = self._cells[first : first + 256]
            part[:, :half] = _greater(part[:, 0::2], part[:, 1::2])
            part[:, half:] = GAP
        self.span_s *= 2.0
        self._used = -(-self._used // 2)
        self._shown = self._shown[:0]
        self.version += 1


def _greater(a: Bytes, b: Bytes) -> Bytes:
    # GAP + 1 wraps to 0: a gap loses against every value
    result: Bytes = np.maximum(a + np.uint8(1), b + np.uint8(1)) - np.uint8(1)
    return result


def _grouped(cells: Bytes, group: int, rows: int) -> Bytes:
    if group == 1:
        return cells
    starts = np.arange(0, rows * group, group)
    known = cells != GAP
    sums = np.add.reduceat(np.where(known, cells, 0).astype(np.uint32), starts, axis=0)
    counts = np.add.reduceat(known.astype(np.uint32), starts, axis=0)
    means = sums // np.maximum(counts, 1)
    return np.where(counts > 0, means, GAP).astype(np.uint8)
