"""One line of a chart over any length of time, in bounded memory.

The newest points are kept as they came; older ones are thinned to an even grid of time, with the
least, the greatest and the gap of each bucket. When the grid is full its buckets double.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gui.rings import Ring, Rows
from gui.thinning import thin_rows

Array = NDArray[np.float64]
Numbers = Sequence[float] | NDArray[np.floating[Any]]
RECENT = 8192
ARCHIVE = 8192


class Series:
    """Points sorted by x. ``columns`` beyond x and y travel with their point.

    ``version`` changes with every change, so that a drawing can know that it is still right.
    """

    def __init__(self, *, recent: int = RECENT, archive: int = ARCHIVE, columns: int = 2) -> None:
        self._ring = Ring(recent, columns)
        self._archive: Rows = np.empty((columns, 0))
        self._archive_limit = archive
        self._width = 0.0
        self.version = 0

    def __len__(self) -> int:
        return int(self._archive.shape[1]) + len(self._ring)

    @property
    def last_x(self) -> float:
        """x of the newest point; minus infinity when there is none."""
        if len(self._ring):
            return float(self._ring.rows[0, -1])
        return float(self._archive[0, -1]) if self._archive.shape[1] else -np.inf

    def append(self, x: float, y: float) -> None:
        self.extend((x,), (y,))

    def extend(self, x: Numbers, y: Numbers) -> None:
        """Add points in any order; late ones are put where they belong."""
        rows = np.array([x, y], dtype=np.float64)
        rows = rows[:, np.isfinite(rows[0])]
        if rows.shape[1] == 0:
            return
        rows = rows[:, np.argsort(rows[0], kind="stable")]
        while rows.shape[1]:
            part, rows = rows[:, : self._ring.capacity // 2], rows[:, self._ring.capacity // 2 :]
            self._add(part)
        self.version += 1

    def clear(self) -> None:
        self._ring.clear()
        self._archive = self._archive[:, :0]
        self._width = 0.0
        self.version += 1

    def rows(self) -> Rows:
        """All points, oldest first; a copy only when there is an archive."""
        if self._archive.shape[1] == 0:
            return self._ring.rows
        return np.concatenate((self._archive, self._ring.rows), axis=1)

    def window(self, low: float, high: float) -> tuple[Array, Array]:
        """x and y of the points in ``[low, high]`` and of one neighbour on either side."""
        rows = self._window(low, high)
        return rows[0], rows[1]

    def _window(self, low: float, high: float) -> Rows:
        rows = self._ring.rows
        if self._archive.shape[1] and (rows.shape[1] == 0 or low < rows[0, 0]):
            rows = self.rows()
        start = max(0, int(np.searchsorted(rows[0], low, "left")) - 1)
        return rows[:, start : int(np.searchsorted(rows[0], high, "right")) + 1]

    def _add(self, rows: Rows) -> None:
        """Put sorted ``rows`` in place; no more than half a ring of them."""
        late = rows[0, 0] < self.last_x
        rows = self._complete(rows)
        if late:
            at = int(np.searchsorted(self._ring.rows[0], rows[0, 0], "right"))
            rows = np.concatenate((self._ring.cut_tail(at), rows), axis=1)
            rows = rows[:, np.argsort(rows[0], kind="stable")]
        rows = self._derive(rows)
        if late and len(self._ring) == 0 and self._archive.shape[1]:
            older = int(np.searchsorted(rows[0], self._archive[0, -1], "left"))
            self._to_archive(rows[:, :older])
            rows = rows[:, older:]
        self._append(rows)

    def _append(self, rows: Rows) -> None:
        overflow = rows.shape[1] - self._ring.free
        if overflow > 0:
            self._to_archive(self._ring.take_oldest(max(overflow, self._ring.capacity // 4)))
            extra = max(0, rows.shape[1] - self._ring.free)
            self._to_archive(rows[:, :extra])
            rows = rows[:, extra:]
        self._ring.extend(rows)

    def _complete(self, rows: Rows) -> Rows:
        """``rows`` with the columns that only this series knows."""
        return rows

    def _derive(self, rows: Rows) -> Rows:
        """Fill derived columns of ``rows``, which go right after the ring's last row."""
        return rows

    def _to_archive(self, rows: Rows) -> None:
        if rows.shape[1] == 0:
            return
        merged = np.concatenate((self._archive, rows), axis=1)
        if rows[0, 0] < merged[0, max(0, self._archive.shape[1] - 1)]:
            merged = merged[:, np.argsort(merged[0], kind="stable")]
        if self._width == 0.0:
            span = float(merged[0, -1] - merged[0, 0])
            self._width = max(span / self._archive_limit, 1e-6)
        merged = self._thin_from(merged, float(rows[0, 0]))
        while merged.shape[1] > self._archive_limit:
            self._width *= 2.0
            merged = thin_rows(merged, self._width)
        self._archive = merged

    def _thin_from(self, merged: Rows, x: float) -> Rows:
        """Thin the part that changed: everything from the bucket of ``x`` on."""
        edge = np.floor(x / self._width) * self._width
        at = int(np.searchsorted(merged[0], edge, "left"))
        return np.concatenate((merged[:, :at], thin_rows(merged[:, at:], self._width)), axis=1)


class SmoothedSeries(Series):
    """A series that also keeps the exponential mean of its finite values, point by point.

    Columns: x, y, mean, weight; ``mean`` follows the definition
    ``m += max(1 - keep, 1 / n) * (y - m)`` (debiased at the start). It is right whatever the order
    in which points came, because late points make the mean run again from where they belong.
    """

    def __init__(self, *, keep: float = 0.95, recent: int = RECENT, archive: int = ARCHIVE) -> None:
        super().__init__(recent=recent, archive=archive, columns=4)
        self._alpha = 1.0 - keep

    def smoothed(self) -> tuple[Array, Array]:
        """x and the mean; not a number where the point itself is a gap."""
        return self.smoothed_window(-np.inf, np.inf)

    def smoothed_window(self, low: float, high: float) -> tuple[Array, Array]:
        """As :meth:`window`, of the mean."""
        rows = self._window(low, high)
        return rows[0], np.where(np.isfinite(rows[1]), rows[2], np.nan)

    def _complete(self, rows: Rows) -> Rows:
        return np.concatenate((rows, np.zeros_like(rows)), axis=0)

    def _derive(self, rows: Rows) -> Rows:
        before = self._ring.rows if len(self._ring) else self._archive
        mean, count = (before[2, -1], before[3, -1]) if before.shape[1] else (0.0, 0.0)
        means, counts = [], []
        for y in rows[1].tolist():
            if math.isfinite(y):
                count += 1.0
                mean += max(self._alpha, 1.0 / count) * (y - mean)
                if not math.isfinite(mean):  # the difference itself was too large
                    mean = y
            means.append(mean)
            counts.append(count)
        rows[2], rows[3] = means, counts
        return rows
