"""Shuffled batches of one worker's shard, made ahead of the training step."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from trainer.data.kinds import Split

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Batch = tuple[NDArray[np.uint8], NDArray[np.int32]]

AHEAD = 4
"""Batches that wait ready; more only costs memory."""


class Batches:
    """An endless stream of ``(images, labels)`` batches, all of ``batch_size``.

    All epochs, each shuffled by ``seed`` and its number, follow each other as one stream that is
    the same for all workers; worker ``index`` takes every ``workers``-th example of it. So the
    batches number ``t`` of all workers are together the examples ``t * workers * batch_size`` and
    following of the stream, which is batch ``t`` of a single process with that batch size; and in
    each epoch each example is seen once. ``first_batch`` is the number of the first batch.
    Use as a context manager: it owns a thread.
    """

    def __init__(
        self,
        split: Split,
        *,
        batch_size: int,
        seed: int,
        index: int,
        workers: int,
        first_batch: int = 0,
    ) -> None:
        self._split = split
        self._batch_size = batch_size
        self._seed = seed
        self._index = index
        self._workers = workers
        self._first_batch = first_batch
        self._ready: queue.Queue[Batch] = queue.Queue(AHEAD)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._fill, name="batches", daemon=True)

    def __enter__(self) -> Batches:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._closed.set()
        while self._thread.is_alive():
            # The thread may wait for room: make some until it has seen that it is over.
            while not self._ready.empty():
                self._ready.get_nowait()
            self._thread.join(0.05)

    def next(self) -> Batch:
        """The next batch; waits for it if need be."""
        return self._ready.get()

    def _fill(self) -> None:
        for batch in self._stream():
            self._ready.put(batch)
            if self._closed.is_set():
                return

    def _stream(self) -> Iterator[Batch]:
        indices = self._indices()
        waiting = np.empty(0, np.int64)
        while True:
            while len(waiting) < self._batch_size:
                waiting = np.concatenate([waiting, next(indices)])
            chosen, waiting = waiting[: self._batch_size], waiting[self._batch_size :]
            yield self._split.images[chosen], self._split.labels[chosen]

    def _indices(self) -> Iterator[NDArray[np.int64]]:
        count, workers = len(self._split), self._workers
        begin = self._first_batch * self._batch_size * workers
        epoch = begin // count
        # How many of this worker's examples of the first epoch came before.
        skip = begin // workers - _taken_before(epoch * count, self._index, workers)
        while True:
            order = np.random.default_rng([self._seed, epoch]).permutation(count)
            # An epoch begins in the middle of a round unless all rounds before it were full.
            shard = order[(self._index - epoch * count) % workers :: workers]
            yield shard[skip:]
            skip = 0
            epoch += 1


def _taken_before(position: int, index: int, workers: int) -> int:
    """How many examples before ``position`` of the stream are worker ``index``'s."""
    return -((index - position) // workers)
