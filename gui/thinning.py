"""Fewer points that look the same: spikes and gaps survive, averages are never taken."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gui.rings import Rows

Array = NDArray[np.float64]


def thin_rows(rows: Rows, width: float) -> Rows:
    """Per bucket of ``width`` in x: the rows of the least and greatest y, one gap, and the last.

    Args:
        rows: shape ``(columns, n)``; row 0 is x, ascending; row 1 is y, not finite at a gap.
    """
    count = rows.shape[1]
    if count == 0:
        return rows
    bucket = np.floor(rows[0] / width)
    y = rows[1]
    finite = np.isfinite(y)
    keep = np.zeros(count, dtype=bool)
    order = np.lexsort((y, bucket))
    order = order[finite[order]]
    for chosen in (_firsts(bucket, order), _firsts(bucket, order[::-1])):
        keep[chosen] = True
    gaps = np.flatnonzero(~finite)
    keep[_firsts(bucket, gaps)] = True
    keep[_firsts(bucket, np.arange(count)[::-1])] = True
    return rows[:, keep]


def _firsts(bucket: Array, order: NDArray[np.intp]) -> NDArray[np.intp]:
    """The first index in ``order`` of each run of equal buckets."""
    if order.size == 0:
        return order
    values = bucket[order]
    return order[np.concatenate(([True], values[1:] != values[:-1]))]


def thin_for_pixels(x: Array, y: Array, pixels: int) -> tuple[Array, Array]:
    """``x`` and ``y`` in at most about three points per pixel column, gaps and extremes kept.

    Points in the last, incomplete chunk are all kept, so the newest is always there.
    """
    per_chunk = x.size // max(1, pixels)
    if per_chunk < 4:
        return x, y
    chunks = x.size // per_chunk
    whole = chunks * per_chunk
    block = y[:whole].reshape(chunks, per_chunk)
    finite = np.isfinite(block)
    block = np.where(finite, block, np.nan)
    out_x = np.repeat(x[:whole:per_chunk], 3)
    out_y = np.empty(3 * chunks)
    out_y[0::3] = np.fmin.reduce(block, axis=1)
    out_y[1::3] = np.fmax.reduce(block, axis=1)
    out_y[2::3] = np.where(finite.all(axis=1), out_y[1::3], np.nan)
    return np.concatenate((out_x, x[whole:])), np.concatenate((out_y, y[whole:]))


def sample_for_pixels(x: Array, y: Array, pixels: int) -> tuple[Array, Array]:
    """Every k-th point of a curve that is smooth already, its gaps and its last point."""
    per_chunk = x.size // max(1, pixels)
    if per_chunk < 2:
        return x, y
    chunks = x.size // per_chunk
    whole = chunks * per_chunk
    finite = np.isfinite(y[:whole]).reshape(chunks, per_chunk).all(axis=1)
    picked = np.where(finite, y[:whole:per_chunk], np.nan)
    return np.concatenate((x[:whole:per_chunk], x[-1:])), np.concatenate((picked, y[-1:]))
