"""The heat map against a plain dictionary."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gui.heat import GAP, HeatMap


@given(
    samples=st.lists(
        st.tuples(st.integers(0, 8), st.integers(0, 200), st.floats(0, 100) | st.none()),
        max_size=80,
    )
)
def test_that_each_cell_is_the_greatest_of_its_span(
    samples: list[tuple[int, int, float | None]],
) -> None:
    heat, entered = HeatMap(columns=16, shown_rows=64), list[tuple[int, float, float]]()
    for device, t, percent in samples:
        heat.put(device, f"d{device}", float(t), percent)
        if heat.start is not None and percent is not None and t >= heat.start:
            entered.append((device, float(t), percent))
    rows = {device: row for row, device in enumerate(dict.fromkeys(d for d, _, _ in samples))}
    model: dict[tuple[int, int], int] = {}
    for device, at, percent in entered:
        assert heat.start is not None
        cell = (rows[device], int((at - heat.start) / heat.span_s))
        model[cell] = max(model.get(cell, 0), int(percent * 2))
    shown = heat.shown()
    assert shown.shape[0] == max(1, len(rows)) or not rows
    for (row, column), value in model.items():
        assert shown[row, column] == value
    assert np.count_nonzero(shown != GAP) == len(model)


def test_that_a_gap_is_not_zero() -> None:
    heat = HeatMap(columns=8)
    heat.put("a", "a", 0.0, 0.0)
    heat.put("a", "a", 1.0, None)
    heat.put("a", "a", 2.0, math.nan)
    heat.put("a", "a", 3.0, 50.0)
    assert heat.shown().tolist() == [[0, GAP, GAP, 100]]


def test_that_thousands_of_devices_share_rows_by_their_mean() -> None:
    heat = HeatMap(columns=4, shown_rows=10)
    for device in range(100):
        heat.put(device, f"d{device}", 0.0, None if device < 20 else 80.0 if device == 57 else 10.0)
    assert heat.shown_rows == 10
    heat.put(0, "d0", 0.0, 50.0)  # of its row, the others are gaps and do not count
    assert heat.shown()[:, 0].tolist() == [100, GAP, 20, 20, 20, 34, 20, 20, 20, 20]
    assert heat.row_labels()[5] == "d50"
    assert heat.at(0.0)[57] == 160


def test_that_days_fit_into_the_same_memory() -> None:
    heat = HeatMap(columns=64)
    for t in range(0, 86400 * 3, 10):
        heat.put("a", "a", float(t), 99.0 if t == 10800 else 5.0)
    assert heat.shown().max() == 198
    assert heat.shown().shape[1] <= 64
