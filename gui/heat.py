"""A metric of any number of devices over any length of time, one byte a cell.

Rows are devices in order of appearance, columns are equal spans of time; when the columns are used
up, neighbours merge (the greater value stays) and the span doubles. 8,192 devices take 29 MB.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
GAP = 255
"""Cell without a value. Values are 0 to 200: half percents."""
FULL = 200
COLUMNS = 3600
MISSED = 3
"""So many samples may stay away before there is a gap: sampling is never quite even."""
SHOWN_ROWS = 128
"""Rows of the picture; more devices than this share rows, each the mean of its devices."""


class _Last(NamedTuple):
    """A device's newest sample, and how long after the one before it came."""

    t: float
    value: int
    interval_s: float


class HeatMap:
    """A growing matrix of devices by time.

    A value lasts until the device's next sample, unless more than ``missed`` samples stayed away
    in between or a sample without a value came: those are gaps.
    """

    def __init__(
        self, *, columns: int = COLUMNS, shown_rows: int = SHOWN_ROWS, missed: int = MISSED
    ) -> None:
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
        self._missed = missed
        self._last: dict[int, _Last] = {}
        self._shown_rows = shown_rows
        self._shown: Bytes = np.full((0, columns), GAP, dtype=np.uint8)
        self._dirty_from = 0
        self._dirty_to = 0

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._rows

    @property
    def used_columns(self) -> int:
        return self._used

    def put(self, key: Hashable, label: str, t: float, percent: float | None) -> None:
        """Enter one sample, in any order; ``percent`` None or not finite leaves the gap."""
        row = self._rows.get(key)
        if row is None:
            row = self._add_row(key, label)
        if percent is None or not math.isfinite(percent):
            self._last.pop(row, None)
            return
        if self.start is None:
            self.start = t
        if t < self.start:
            self._begin_at(t)
        column = self._column(t)
        while column >= self.columns:
            self._halve()
            column = self._column(t)
        value = int(min(100.0, max(0.0, percent)) * 2)
        self._carry(row, t, column)
        self._last[row] = _Last(t, value, self._interval(row, t))
        old = self._cells[row, column]
        if old == GAP or value > old:
            self._cells[row, column] = value
            self._changed(column, column + 1)

    def remove(self, key: Hashable) -> None:
        """Take a device out, with all its values."""
        row = self._rows.pop(key, None)
        if row is None:
            return
        del self.labels[row]
        count = len(self._rows)
        self._cells[row:count] = self._cells[row + 1 : count + 1].copy()
        self._cells[count] = GAP
        self._rows = {k: r - (r > row) for k, r in self._rows.items()}
        self._last = {r - (r > row): last for r, last in self._last.items() if r != row}
        self._shown = self._shown[:0]
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

    def row(self, index: int) -> tuple[NDArray[np.float64], Bytes]:
        """The times at which the cells of device ``index`` begin, and the cells."""
        begin = self.start if self.start is not None else 0.0
        times = begin + self.span_s * np.arange(self._used, dtype=np.float64)
        return times, self._cells[index, : self._used]

    def devices(self) -> list[Hashable]:
        """Their keys, in the order of their cells."""
        return sorted(self._rows, key=lambda key: self._rows[key])

    def newest(self) -> Bytes:
        """Each device's last value within the last five columns, GAP where there is none."""
        count = len(self._rows)
        raised = self._cells[:count, max(0, self._used - 5) : self._used] + np.uint8(1)
        result = np.zeros(count, dtype=np.uint8)
        for column in raised.T:
            np.copyto(result, column, where=column != 0)
        result -= np.uint8(1)
        return result

    def _column(self, t: float) -> int:
        return 0 if self.start is None else int((t - self.start) / self.span_s)

    def _changed(self, first: int, end: int) -> None:
        self._dirty_from = min(self._dirty_from, first)
        self._dirty_to = max(self._dirty_to, end)
        self._used = max(self._used, end)
        self.version += 1

    def _interval(self, row: int, t: float) -> float:
        """The time from the device's last sample to one at ``t``; 1 s when that is not known."""
        last = self._last.get(row)
        return max(1.0, t - last.t) if last is not None else 1.0

    def _carry(self, row: int, t: float, column: int) -> None:
        """Let the device's last value last until ``column``, if few samples were missed."""
        last = self._last.get(row)
        if last is None or not self._missed:
            return
        if not 0 < t - last.t <= (self._missed + 0.5) * last.interval_s:
            return
        first = self._column(last.t) + 1
        cells = self._cells[row, first:column]
        if cells.size:
            cells[cells == GAP] = last.value
            self._changed(first, column)

    def _begin_at(self, t: float) -> None:
        """Make room for a sample older than all others: the columns go to the right."""
        assert self.start is not None
        more = math.ceil((self.start - t) / self.span_s)
        while self._used + more > self.columns:
            self._halve()
            more = math.ceil((self.start - t) / self.span_s)
        for first in range(0, len(self._rows), 256):
            part = self._cells[first : first + 256]
            part[:, more : more + self._used] = part[:, : self._used].copy()
            part[:, :more] = GAP
        self.start -= more * self.span_s
        self._used += more
        self._shown = self._shown[:0]
        self.version += 1

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
