"""The chief's evaluations: on the whole test split, also while training goes on."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import tensorflow.compat.v1 as tf

from trainer.checkpoints import State
from trainer.data import Dataset
from trainer.data.batches import evaluation_batch
from trainer.engine.graph import TrainingGraph
from trainer.events import Evaluated
from trainer.failures import StopRequested
from trainer.roles.context import Context


class Evaluation:
    """Evaluates copies of the variables, so nobody has to wait. Owns a thread: close it.

    One evaluation runs at a time, beside the training steps of the same process; one that falls
    due meanwhile is left out.
    """

    def __init__(self, context: Context, graph: TrainingGraph, dataset: Dataset) -> None:
        self._context = context
        self._graph = graph
        self._test = dataset.test
        self._size = evaluation_batch(dataset.shape)
        self._every = context.spec.training.evaluate_every
        self._next = self._every or 0
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="evaluation")
        self._running: Future[Evaluated | None] | None = None
        self._broken_off = False

    def is_due(self, step: int) -> bool:
        """Whether to begin one after ``step``; counts it as begun or left out."""
        if self._every is None or step < self._next:
            return False
        self._next = (step // self._every + 1) * self._every
        return self._running is None

    def begin(self, session: Any, state: State) -> None:
        """Evaluate ``state`` in the background."""
        self._running = self._pool.submit(self._in_background, session, state)

    def result(self) -> Evaluated | None:
        """What the background has found since it was asked last; does not wait."""
        if self._running is None or not self._running.done():
            return None
        found, self._running = self._running.result(), None
        return found

    def finish(self) -> Evaluated | None:
        """Wait for what runs in the background."""
        if self._running is None:
            return None
        found, self._running = self._running.result(), None
        return found

    def run(self, session: Any, state: State) -> Evaluated:
        """Evaluate ``state`` here and now. Raises ``StopRequested`` and TensorFlow's errors."""
        started = time.monotonic()
        graph = self._graph
        flats = graph.buckets.flats_of(state)
        feed: dict[Any, Any] = dict(zip(graph.flats, flats, strict=True))
        loss, right, count = 0.0, 0.0, 0
        for images, labels in self._test.batches(self._size):
            self._context.stop.check()
            if self._broken_off:
                raise StopRequested
            feed[graph.test_inputs[0]], feed[graph.test_inputs[1]] = images, labels
            part_loss, part_right = session.run(graph.test, feed)
            loss, right = loss + float(part_loss), right + float(part_right)
            count += len(labels)
        return Evaluated(
            step=state.step,
            loss=loss / max(count, 1),
            accuracy=right / max(count, 1),
            examples=count,
            seconds=time.monotonic() - started,
        )

    def close(self) -> None:
        """Break off what runs, and end the thread."""
        self._broken_off = True
        self._pool.shutdown()

    def _in_background(self, session: Any, state: State) -> Evaluated | None:
        """None: it was broken off; the training thread meets the reason by itself."""
        try:
            return self.run(session, state)
        except (StopRequested, tf.errors.OpError, RuntimeError):  # the last: a closed session
            return None
