"""A ring of numeric rows whose content is always one contiguous slice.

The buffer is twice as long as the ring: rows are written forward, and when the end is reached
the newest half moves to the front. Appending is amortised constant, and nothing is copied to read.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]
"""Shape ``(columns, rows)``, C order: a column is contiguous."""


class Ring:
    """The newest ``capacity`` rows of ``columns`` float64 values."""

    def __init__(self, capacity: int, columns: int = 2) -> None:
        if capacity < 1 or columns < 1:
            raise ValueError("a ring needs room")
        self.capacity = capacity
        self.columns = columns
        self._buffer: Rows = np.empty((columns, 2 * capacity))
        self._start = self._end = 0

    def __len__(self) -> int:
        return self._end - self._start

    @property
    def rows(self) -> Rows:
        """A view of the rows, oldest first; valid until the next change."""
        return self._buffer[:, self._start : self._end]

    @property
    def free(self) -> int:
        """Rows that fit before the oldest ones fall off."""
        return self.capacity - len(self)

    def extend(self, rows: Rows) -> None:
        """Append ``rows``, shape ``(columns, n)``; the oldest fall off beyond the capacity."""
        count = rows.shape[1]
        if count >= self.capacity:
            self._buffer[:, : self.capacity] = rows[:, count - self.capacity :]
            self._start, self._end = 0, self.capacity
            return
        if self._end + count > 2 * self.capacity:
            keep = min(len(self), self.capacity - count)
            self._buffer[:, :keep] = self._buffer[:, self._end - keep : self._end].copy()
            self._start, self._end = 0, keep
        self._buffer[:, self._end : self._end + count] = rows
        self._end += count
        self._start = max(self._start, self._end - self.capacity)

    def take_oldest(self, count: int) -> Rows:
        """Remove the ``count`` oldest rows and return a copy of them."""
        count = min(count, len(self))
        taken: Rows = self._buffer[:, self._start : self._start + count].copy()
        self._start += count
        return taken

    def cut_tail(self, index: int) -> Rows:
        """Remove the rows from position ``index`` on and return a copy of them."""
        cut: Rows = self._buffer[:, self._start + index : self._end].copy()
        self._end = self._start + index
        return cut

    def clear(self) -> None:
        self._start = self._end = 0
