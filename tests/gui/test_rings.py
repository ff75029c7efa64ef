"""Rings and series against plain lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.rings import Ring
from gui.series import Series, SmoothedSeries
from gui.thinning import thin_for_pixels, thin_rows

operations = st.lists(
    st.one_of(
        st.tuples(st.just("extend"), st.lists(st.floats(-1e6, 1e6), max_size=25)),
        st.tuples(st.just("take"), st.integers(0, 12)),
        st.tuples(st.just("cut"), st.integers(0, 12)),
    ),
    max_size=40,
)


@given(capacity=st.integers(1, 12), steps=operations)
def test_that_a_ring_is_the_end_of_a_list(capacity: int, steps: list[tuple[str, object]]) -> None:
    ring, model = Ring(capacity, 2), list[float]()
    for name, value in steps:
        if name == "extend" and isinstance(value, list):
            ring.extend(np.array([value, value]).reshape(2, -1))
            model = [*model, *value][-capacity:]
        elif name == "take" and isinstance(value, int):
            assert ring.take_oldest(value)[0].tolist() == model[:value]
            model = model[value:]
        elif isinstance(value, int):
            at = min(value, len(model))
            assert ring.cut_tail(at)[1].tolist() == model[at:]
            model = model[:at]
        assert ring.rows[0].tolist() == ring.rows[1].tolist() == model
        assert ring.rows[0].flags["C_CONTIGUOUS"]
        assert ring.free == capacity - len(model)


@given(
    batches=st.lists(
        st.lists(st.tuples(st.integers(0, 2000), st.floats(-50, 50)), max_size=30), max_size=25
    )
)
def test_that_a_series_keeps_order_extremes_and_the_newest(
    batches: list[list[tuple[int, float]]],
) -> None:
    series, points = Series(recent=16, archive=64), list[tuple[float, float]]()
    for batch in batches:
        series.extend([float(x) for x, _ in batch], [y for _, y in batch])
        points += [(float(x), y) for x, y in batch]
    rows = series.rows()
    assert np.all(np.diff(rows[0]) >= 0)
    assert len(series) <= 16 + 64
    if points:
        assert rows[1].min() == min(y for _, y in points)
        assert rows[1].max() == max(y for _, y in points)
        assert series.last_x == max(x for x, _ in points)
        assert set(zip(rows[0].tolist(), rows[1].tolist(), strict=True)) <= set(points)


def test_that_few_points_are_kept_exactly_and_late_ones_sorted_in() -> None:
    series = Series()
    series.extend([1.0, 2.0, 5.0], [10.0, 20.0, 50.0])
    series.extend([3.0, 4.0], [30.0, 40.0])
    assert series.rows()[0].tolist() == [1, 2, 3, 4, 5]
    assert series.rows()[1].tolist() == [10, 20, 30, 40, 50]


def test_that_a_spike_and_a_gap_survive_three_days() -> None:
    series = Series()
    hour = np.arange(0, 3600, 0.25)
    for number in range(72):
        y = np.full(hour.size, 2.0)
        if number == 3:
            y[5000] = 1e9
            y[7000] = np.nan
        series.extend(hour + 3600 * number, y)
    x, y = series.window(0, 72 * 3600)
    assert np.nanmax(y) == 1e9
    assert x[int(np.nanargmax(y))] == 3 * 3600 + 5000 * 0.25
    assert np.isnan(y[(x > 3 * 3600) & (x < 4 * 3600)]).any()
    assert len(series) <= 16384


def test_that_memory_does_not_grow_with_the_days() -> None:
    series = Series(recent=1024, archive=1024)
    sizes = []
    for number in range(400):
        series.extend(np.arange(500) + 500.0 * number, np.random.default_rng(1).random(500))
        sizes.append(len(series))
    assert max(sizes[200:]) <= 2048


@given(
    values=st.lists(st.floats(-100, 100) | st.just(float("nan")), min_size=1, max_size=60),
    cut=st.integers(0, 60),
)
def test_that_the_running_mean_does_not_depend_on_the_order_of_arrival(
    values: list[float], cut: int
) -> None:
    one, two = SmoothedSeries(), SmoothedSeries()
    x = [float(i) for i in range(len(values))]
    one.extend(x, values)
    two.extend(x[cut:], values[cut:])
    two.extend(x[:cut], values[:cut])
    np.testing.assert_allclose(one.smoothed()[1], two.smoothed()[1])
    finite = np.array([v for v in values if np.isfinite(v)])
    if 0 < finite.size <= 20:  # before the window is full, the mean is the plain mean
        last = one.rows()[2, -1]
        assert last == pytest.approx(finite.mean(), abs=1e-9)


def test_that_thinning_keeps_extremes_gaps_and_the_last_row() -> None:
    rows = np.array([np.arange(10.0), [5, 1, 9, 5, np.nan, 5, 5, 5, 5, 7]])
    thin = thin_rows(rows, 10.0)
    assert thin[0].tolist() == [1, 2, 4, 9]
    assert thin_rows(thin, 10.0).tolist()[0] == thin[0].tolist()


@given(count=st.integers(1, 5000), pixels=st.integers(10, 400), spike=st.integers(0, 4999))
def test_that_what_is_drawn_has_the_spike_and_the_newest_point(
    count: int, pixels: int, spike: int
) -> None:
    x, y = np.arange(float(count)), np.zeros(count)
    y[spike % count] = 1e6
    drawn_x, drawn_y = thin_for_pixels(x, y, pixels)
    assert drawn_y.max() == 1e6
    assert drawn_x[-1] >= count - max(1, count // pixels)
    assert np.all(np.diff(drawn_x) >= 0)
    assert drawn_x.size <= max(count, 0) if count < 4 * pixels else drawn_x.size <= 4 * pixels + 64
