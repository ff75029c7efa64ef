"""Shuffled batches of one worker's shard, made ahead of the training step."""

from __future__ import annotations

import math
import queue
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trainer.data.kinds import Source
from trainer.data.order import taken_before

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from trainer.data.kinds import Batch

AHEAD = 4
"""Batches that wait ready; more only costs memory."""
MOST_EXAMPLES = 500
MOST_BYTES = 32 << 20
"""Of one test batch as float32; what a network makes of it is ten to twenty times as much."""


def evaluation_batch(shape: Sequence[int]) -> int:
    """How many examples of ``shape`` are evaluated at once: 55 of 224 pixels, 31 of 299."""
    fitting = MOST_BYTES // max(1, 4 * math.prod(shape))
    return max(1, min(MOST_EXAMPLES, fitting))


class Batches:
    """An endless stream of ``(images, labels)`` batches, all of ``batch_size``.

    All epochs, each shuffled by ``seed`` and its number, follow each other as one stream that is
    the same for all workers; worker ``index`` takes every ``workers``-th example of it. So the
    batches number ``t`` of all workers are together the examples ``t * workers * batch_size`` and
    following of the stream, which is batch ``t`` of a single process with that batch size; and in
    each epoch each example is seen once. Data sets in shards deal out whole shards instead, by
    epoch. ``first_batch`` is the number of the first batch. Use as a context manager: it owns a
    thread.
    """

    def __init__(
        self,
        split: Source,
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
        self._ready: queue.Queue[Batch | Exception] = queue.Queue(AHEAD)
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
        """The next batch; waits for it if need be. Raises what went wrong while it was made."""
        ready = self._ready.get()
        if isinstance(ready, Exception):
            self._ready.put(ready)  # whoever asks again gets the same answer
            raise ready
        return ready

    def _fill(self) -> None:
        stream = self._split.stream(self._order(), batch_size=self._batch_size, seed=self._seed)
        try:
            for batch in stream:
                self._ready.put(batch)
                if self._closed.is_set():
                    return
        except Exception as error:  # it belongs to the thread that trains
            self._ready.put(error)
        finally:
            if hasattr(stream, "close"):
                stream.close()

    def _order(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        count, workers = len(self._split), self._workers
        begin = self._first_batch * self._batch_size * workers
        epoch = begin // count
        # How many of this worker's examples of the first epoch came before.
        skip = begin // workers - taken_before(epoch * count, self._index, workers)
        while True:
            order = self._split.order(
                seed=self._seed, epoch=epoch, index=self._index, workers=workers
            )
            yield epoch, order[skip:]
            skip = 0
            epoch += 1
