"""A ps' side of the sync update: average the gradients of a step, apply it, release the workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from trainer.engine.buckets import Buckets
from trainer.engine.layout import Variable, plan_layout
from trainer.engine.meeting import Meeting
from trainer.engine.optimizers import make_rule
from trainer.engine.orders import Orders
from trainer.engine.places import Homes
from trainer.spec import TaskSpec


class Averaging:
    """The graph of one ps for the variables that ``orders`` describe. Blocks only in a step."""

    def __init__(self, spec: TaskSpec, orders: Orders) -> None:
        ps, workers = spec.task.index, len(spec.cluster.worker)
        self.graph = tf.Graph()
        self.steps = orders.steps
        self._start = orders.step
        with self.graph.as_default():
            homes = Homes(spec)
            buckets = Buckets(
                homes,
                plan_layout(_variables(orders.variables), homes.count),
                make_rule(
                    spec.training.optimizer,
                    workers=spec.sharing_workers,
                    total_steps=orders.steps,
                ),
                plan_layout(_variables(orders.state), 1),
                only=ps,
            )
            self.idle = not buckets.parts
            self._meeting = Meeting(homes, ps, workers)
            self._sums = [self._meeting.accumulator(part) for part in buckets.parts]
            self._queues = [self._meeting.tokens(worker) for worker in range(workers)]
            with tf.device(self._meeting.device):
                self._step = self._build_step(buckets, workers - spec.training.backup_workers)
                self._build_reset(buckets, workers)

    def reset(self, session: Any) -> None:
        """Forget gradients and tokens of earlier attempts, and begin at the orders' step."""
        for number, required, take in self._leftovers:
            if count := int(session.run(number)):
                session.run(take, {required: count})
        for size, take in self._old_tokens:
            for _ in range(int(session.run(size))):
                session.run(take)
        session.run(self._begin)

    def stepper(self, session: Any) -> Callable[[], Any]:
        """A call waits for the gradients of a step, applies their average, and tells its number."""
        call: Callable[[], Any] = session.make_callable(self._step)
        return call

    def _build_step(self, buckets: Buckets, required: int) -> Any:
        after = buckets.current_step + 1
        updates = [
            part.apply(part.variable, part.slots, total.take_grad(required), after)
            for part, total in zip(buckets.parts, self._sums, strict=True)
        ]
        with tf.control_dependencies(updates):
            written = buckets.step.assign(after, read_value=False)
        with tf.control_dependencies([written]):
            released = [queue.enqueue(after) for queue in self._queues]
        with tf.control_dependencies(released):
            return tf.identity(after)

    def _build_reset(self, buckets: Buckets, workers: int) -> None:
        start = np.int64(self._start)
        self._leftovers = []
        for total in self._sums:
            required = tf.placeholder(tf.int32, [])
            take = total.take_grad(required).op
            self._leftovers.append((total.num_accumulated(), required, take))
        self._old_tokens = [(queue.size(), queue.dequeue()) for queue in self._queues]
        before = np.full(workers, self._start - 1, np.int64)
        meeting: Meeting = self._meeting
        self._begin = [total.set_global_step(start) for total in self._sums]
        self._begin.append(meeting.pushed.assign(before).op)
        self._begin.append(buckets.step.assign(start).op)
        if meeting.ps == 0:
            self._begin.append(meeting.opened.assign(np.array([start, 0], np.int64)).op)


def _variables(described: tuple[tuple[str, tuple[int, ...]], ...]) -> list[Variable]:
    return [Variable(name, shape) for name, shape in described]
