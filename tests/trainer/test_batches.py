"""Batches: every example once per epoch over all workers, never of another split."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from tests.support.waiting import PATIENCE_S
from trainer.data.batches import Batches, evaluation_batch
from trainer.data.kinds import Split


def numbered(count: int) -> Split:
    """Images that show their own number."""
    numbers = np.arange(count)
    images = np.broadcast_to(numbers[:, None, None, None], (count, 1, 1, 1)).astype(np.uint8)
    return Split(images=images, labels=numbers.astype(np.int32))


def drawn(
    split: Split, *, index: int, workers: int, examples: int, first_batch: int = 0
) -> list[int]:
    batches = Batches(
        split, batch_size=4, seed=7, index=index, workers=workers, first_batch=first_batch
    )
    with batches:
        labels = [batches.next() for _ in range(examples // 4)]
    for images, numbers in labels:
        assert images[:, 0, 0, 0].tolist() == numbers.tolist()
    return [int(label) for _, numbers in labels for label in numbers]


def test_that_workers_see_each_example_once_per_epoch() -> None:
    split = numbered(24)
    shards = [drawn(split, index=i, workers=3, examples=8) for i in range(3)]
    assert sorted(label for shard in shards for label in shard) == list(range(24))


def test_that_epochs_differ_and_a_seed_repeats() -> None:
    split = numbered(24)
    first = drawn(split, index=0, workers=1, examples=48)
    assert sorted(first[:24]) == sorted(first[24:]) == list(range(24))
    assert first[:24] != first[24:]
    assert first == drawn(split, index=0, workers=1, examples=48)
    assert first[24:] == drawn(split, index=0, workers=1, examples=24, first_batch=6)


@pytest.mark.parametrize("count", [24, 23, 3, 1])
def test_that_the_workers_batches_are_together_those_of_one_process(count: int) -> None:
    split = numbered(count)
    alone = drawn(split, index=0, workers=1, examples=240)
    shares = [drawn(split, index=i, workers=3, examples=80) for i in range(3)]
    for at in range(0, 80, 4):
        together = sorted(label for share in shares for label in share[at : at + 4])
        assert together == sorted(alone[3 * at : 3 * (at + 4)])


@pytest.mark.parametrize("count", [24, 23, 3, 1])
@pytest.mark.parametrize("index", range(3))
def test_that_a_worker_goes_on_at_any_batch(count: int, index: int) -> None:
    split = numbered(count)
    whole = drawn(split, index=index, workers=3, examples=80)
    for batch in (1, 5, 19):
        rest = drawn(split, index=index, workers=3, examples=80 - 4 * batch, first_batch=batch)
        assert rest == whole[4 * batch :]


def test_that_a_batch_may_be_larger_than_the_shard() -> None:
    assert len(drawn(numbered(2), index=0, workers=2, examples=8)) == 8
    assert len(drawn(numbered(2), index=4, workers=5, examples=8)) == 8


def test_that_closing_ends_the_thread() -> None:
    before = set(threading.enumerate())
    with Batches(numbered(8), batch_size=2, seed=1, index=0, workers=1) as batches:
        batches.next()
        (own,) = set(threading.enumerate()) - before
    own.join(PATIENCE_S)
    assert not own.is_alive()


SMALL = ((28, 28, 1), (32, 32, 3))
LARGE = ((224, 224, 3), (299, 299, 3))
HUGE = ((2048, 2048, 3), (40_000_000,))


def test_that_a_batch_for_evaluation_is_chosen_by_its_bytes() -> None:
    assert {evaluation_batch(shape) for shape in SMALL} == {500}
    for height, width, channels in LARGE:
        size = evaluation_batch((height, width, channels))
        assert 16 <= size < 64
        assert 24 << 20 < 4 * size * height * width * channels <= 32 << 20
    assert {evaluation_batch(shape) for shape in HUGE} == {1}
    assert evaluation_batch(()) == 500
