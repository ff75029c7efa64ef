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
    heat, entered = HeatMap(columns=16, shown_rows=64, missed=0), list[tuple[int, float, float]]()
    for device, t, percent in samples:
        heat.put(device, f"d{device}", float(t), percent)
        if percent is not None:
            entered.append((device, float(t), percent))
    rows = {device: row for row, device in enumerate(dict.fromkeys(d for d, _, _ in samples))}
    model: dict[tuple[int, int], int] = {}
    for device, at, percent in entered:
        assert heat.start is not None
        cell = (rows[device], int((at - heat.start) / heat.span_s))  # start may have moved
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


def test_that_uneven_sampling_leaves_no_gap_but_silence_does() -> None:
    heat = HeatMap()
    for t in (0.0, 0.99, 2.02, 3.0, 4.99, 6.0, 16.0, 17.0):
        heat.put("a", "a", t, 50.0)
    row = heat.shown()[0]
    assert row[:7].tolist() == [100] * 7
    assert row[7:16].tolist() == [GAP] * 9
    assert row[16:].tolist() == [100, 100]


def test_that_older_samples_are_taken_in_after_newer_ones() -> None:
    heat = HeatMap(columns=8, missed=0)
    heat.put("a", "a", 1000.0, 10.0)
    heat.put("a", "a", 998.0, 20.0)
    assert heat.shown().tolist() == [[40, GAP, 20]]
    heat.put("b", "b", 986.0, 30.0)
    assert (heat.start, heat.span_s) == (986.0, 2.0)
    assert heat.at(987.0).tolist() == [GAP, 60]
    assert heat.at(999.0).tolist() == [40, GAP]
    assert heat.at(1000.5).tolist() == [20, GAP]


def test_that_a_removed_device_takes_its_row_along() -> None:
    heat = HeatMap(columns=8)
    for key, percent in (("a", 10.0), ("b", 20.0), ("c", 30.0)):
        heat.put(key, key, 0.0, percent)
    heat.remove("b")
    heat.put("c", "c", 1.0, 40.0)
    assert heat.labels == ["a", "c"]
    assert heat.shown().tolist() == [[20, GAP], [60, 80]]
    heat.put("d", "d", 0.0, 50.0)
    assert heat.shown().tolist() == [[20, GAP], [60, 80], [100, GAP]]
