"""Packing: every value in exactly one place, the load even, and the way back exact."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from trainer.engine.layout import Layout, Variable, plan_layout

shapes = st.lists(st.lists(st.integers(1, 5), max_size=3).map(tuple), min_size=1, max_size=12)


def layout_of(sizes: list[tuple[int, ...]], ps: int) -> Layout:
    return plan_layout([Variable(f"v{i}", shape) for i, shape in enumerate(sizes)], ps)


@given(shapes, st.integers(1, 6))
def test_that_unpacking_gives_back_what_was_packed(sizes: list[tuple[int, ...]], ps: int) -> None:
    layout = layout_of(sizes, ps)
    random = np.random.default_rng(1)
    arrays = [random.random(shape, dtype=np.float32) for shape in sizes]
    flats = layout.pack(arrays)
    assert [flat.size for flat in flats] == [layout.size(k) for k in range(ps)]
    assert all(flat.dtype == np.float32 for flat in flats)
    for array, back in zip(arrays, layout.unpack(flats), strict=True):
        assert np.array_equal(array, back)


@given(shapes, st.integers(1, 6))
def test_that_each_variable_has_one_place_and_no_bucket_is_much_fuller(
    sizes: list[tuple[int, ...]], ps: int
) -> None:
    layout = layout_of(sizes, ps)
    assert sorted(i for bucket in layout.buckets for i in bucket) == list(range(len(sizes)))
    loads = [layout.size(k) for k in range(ps)]
    largest = max(variable.size for variable in layout.variables)
    assert max(loads) - min(loads) <= largest


def test_that_the_first_ps_is_never_empty() -> None:
    layout = layout_of([(3,), (2, 2)], 4)
    assert layout.buckets == ((1,), (0,), (), ())
