"""Who sees which image when: disjoint, complete, repeatable, shard by shard."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from trainer.data.crops import central_window, random_window
from trainer.data.order import WINDOW, by_shards


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 12), st.integers(0, 3))
def test_that_workers_shards_are_disjoint_and_cover(
    sizes: list[int], workers: int, epoch: int
) -> None:
    if not sum(sizes):
        sizes = [*sizes, 1]
    starts = np.cumsum([0, *sizes])
    shards = [np.arange(a, b) for a, b in itertools.pairwise(starts)]
    seen = [
        by_shards(shards, seed=3, epoch=epoch, index=k, workers=workers).tolist()
        for k in range(workers)
    ]
    assert sorted(x for part in seen for x in part) == list(range(sum(sizes)))


def test_that_a_worker_reads_few_shards_at_a_time() -> None:
    shards = [np.arange(100 * k, 100 * k + 100) for k in range(64)]
    order = by_shards(shards, seed=1, epoch=0, index=1, workers=2)
    windows = order.reshape(-1, 100 * WINDOW) // 100
    assert [len(set(window.tolist())) for window in windows] == [WINDOW] * 4
    assert windows[0].tolist() != sorted(windows[0].tolist())


def test_that_the_seed_and_the_epoch_decide() -> None:
    shards = [np.arange(50 * k, 50 * k + 50) for k in range(4)]

    def order(seed: int, epoch: int) -> list[int]:
        return list(map(int, by_shards(shards, seed=seed, epoch=epoch, index=0, workers=2)))

    assert order(1, 0) == order(1, 0)
    assert len({tuple(order(1, 0)), tuple(order(2, 0)), tuple(order(1, 1))}) == 3


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 5000), st.integers(1, 5000), st.text(max_size=9))
def test_that_windows_lie_inside(height: int, width: int, key: str) -> None:
    for window in (random_window(height, width, key), central_window(height, width)):
        assert window.height >= 1
        assert window.width >= 1
        assert 0 <= window.top <= height - window.height
        assert 0 <= window.left <= width - window.width
    assert random_window(height, width, key) == random_window(height, width, key)


def test_that_crops_vary_in_area_shape_and_side() -> None:
    windows = [random_window(400, 500, str(k)) for k in range(300)]
    areas = [w.height * w.width / 200_000 for w in windows]
    assert 0.07 < min(areas) < 0.15
    assert 0.9 < max(areas) <= 1
    assert all(0.74 < w.width / w.height < 1.35 for w in windows)
    assert 100 < sum(w.flip for w in windows) < 200
