"""Packing: every value in exactly one place, the load even, and the way back exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trainer.engine.layout import ALIGNMENT, VALUE_BYTES, Layout, Variable, in_loads, plan_layout

patient = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
shapes = st.lists(st.lists(st.integers(1, 9), max_size=3).map(tuple), min_size=1, max_size=12)
sizes_in_bytes = st.integers(1, 40).map(lambda count: count * ALIGNMENT * VALUE_BYTES)


def layout_of(shapes: list[tuple[int, ...]], ps: int, bucket: int, limit: int) -> Layout:
    variables = [Variable(f"v{i}", shape) for i, shape in enumerate(shapes)]
    return plan_layout(variables, ps, bucket=bucket, limit=limit)


layouts = st.builds(layout_of, shapes, st.integers(1, 6), sizes_in_bytes, sizes_in_bytes)


def loads_of(layout: Layout, ps: int) -> list[int]:
    return [sum(b.size for b in layout.buckets if b.ps == k) for k in range(ps)]


@patient
@given(layouts)
def test_that_unpacking_gives_back_what_was_packed(layout: Layout) -> None:
    random = np.random.default_rng(1)
    arrays = [random.random(v.shape, dtype=np.float32) for v in layout.variables]
    flats = [layout.pack(arrays, k) for k in range(len(layout.buckets))]
    assert [flat.size for flat in flats] == [bucket.size for bucket in layout.buckets]
    assert all(flat.dtype == np.float32 for flat in flats)
    for array, back in zip(arrays, layout.unpack(flats), strict=True):
        assert np.array_equal(array, back)


@patient
@given(layouts)
def test_that_each_value_has_exactly_one_place(layout: Layout) -> None:
    seen = [np.zeros(variable.size, int) for variable in layout.variables]
    for bucket in layout.buckets:
        end = 0
        for piece, place in bucket.places():
            assert place >= end
            assert place % ALIGNMENT == 0
            end = place + piece.size
            seen[piece.variable][piece.start : piece.start + piece.size] += 1
        assert end <= bucket.size
    assert all((count == 1).all() for count in seen)


@patient
@given(shapes, st.integers(1, 6), sizes_in_bytes, sizes_in_bytes)
def test_that_no_ps_holds_much_more_and_no_bucket_exceeds_the_limit(
    shapes: list[tuple[int, ...]], ps: int, bucket: int, limit: int
) -> None:
    layout = layout_of(shapes, ps, bucket, limit)
    pieces = [piece for each in layout.buckets for piece in each.pieces]
    loads = loads_of(layout, ps)
    assert max(loads) - min(loads) <= max(piece.room for piece in pieces)
    assert all(each.size * VALUE_BYTES <= limit for each in layout.buckets)
    for each in layout.buckets:
        assert each.size * VALUE_BYTES <= bucket or len(each.pieces) == 1


@patient
@given(layouts)
def test_that_what_the_backward_pass_computes_first_is_in_the_first_buckets(
    layout: Layout,
) -> None:
    for k in range(6):
        buckets = [bucket for bucket in layout.buckets if bucket.ps == k]
        completed = [min(piece.variable for piece in bucket.pieces) for bucket in buckets]
        assert completed == sorted(completed, reverse=True)


def test_that_a_small_model_has_one_bucket_per_ps_and_the_first_ps_is_never_empty() -> None:
    layout = plan_layout([Variable("a", (3,)), Variable("b", (200, 200))], 4)
    assert [bucket.ps for bucket in layout.buckets] == [0, 1]
    assert [layout.names(k) for k in range(2)] == [["b"], ["a"]]
    assert len(plan_layout([Variable(f"v{i}", (70, 70)) for i in range(50)], 1).buckets) == 1


def test_that_a_variable_of_most_of_the_model_is_shared_by_all_ps() -> None:
    layout = plan_layout([Variable("a", (5, 5)), Variable("wide", (4000, 1000))], 2)
    loads = loads_of(layout, 2)
    assert max(loads) <= 1.01 * min(loads)


@pytest.mark.parametrize("ps", [1, 3])
def test_that_a_huge_embedding_is_cut_below_what_can_travel(ps: int) -> None:
    layout = plan_layout([Variable("embedding", (2_000_000, 512)), Variable("out", (512, 8))], ps)
    assert all(bucket.size * VALUE_BYTES < 1 << 31 for bucket in layout.buckets)
    assert sum(bucket.size for bucket in layout.buckets) == 2_000_000 * 512 + 512 * 8


@patient
@given(st.lists(st.integers(0, 50)), sizes_in_bytes)
def test_that_no_message_carries_more_than_the_limit(sizes: list[int], limit: int) -> None:
    numbered = dict(enumerate(sizes))
    loads = list(in_loads(numbered, limit))
    assert [key for load in loads for key in load] == list(numbered)
    for load in loads:
        assert sum(numbered[key] for key in load) * VALUE_BYTES <= limit or len(load) == 1
