"""The async update: each gradient is applied as it comes. Also that of a single process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from trainer.engine.buckets import ENDED, Buckets
from trainer.spec import TaskSpec


class AsyncUpdate:
    """``step`` is the global step after the update, ``done`` the update.

    Fetching them raises ``OutOfRangeError``, and changes nothing, once all steps are taken.
    """

    def __init__(
        self,
        spec: TaskSpec,
        buckets: Buckets,
        gradients: Sequence[Any],
        steps: int,
        worker: int,
        local: Sequence[Any],
    ) -> None:
        """Take the next step number, then apply one gradient per part.

        The number is taken, at once and for one worker only, by an operation that fails at the
        limit: each applied gradient has a number of its own and a run ends after exactly ``steps``
        of them. It is taken when the gradient has reached ``ps:0``, so that a worker which dies
        while it computes leaves no number unused. So each part travels as soon as it is computed,
        and none is applied before all are.
        """
        arrived = arrive(buckets, gradients)
        first = [each for part, each in zip(buckets.parts, arrived, strict=True) if part.ps == 0]
        elsewhere = [g for part, g in zip(buckets.parts, gradients, strict=True) if part.ps != 0]
        if elsewhere or local:  # word of that is one more message to the ps, in every step
            with tf.control_dependencies([*elsewhere, *local]):
                first.append(tf.no_op())
        with tf.device(buckets.homes.device(0)), tf.control_dependencies(first):
            taken = tf.raw_ops.ResourceCountUpTo(
                resource=buckets.step.handle, limit=steps, T=tf.int64
            )
            self.step = taken + 1
        updates = []
        for part, gradient in zip(buckets.parts, arrived, strict=True):
            with tf.device(buckets.homes.device(part.ps)), tf.control_dependencies([self.step]):
                given = tf.identity(gradient)
                updates.append(part.apply(part.variable, part.slots, given, self.step))
        self.done = tf.group(*updates)
        with tf.device(buckets.homes.device(0)):
            self._end = buckets.step.assign_add(ENDED, read_value=False)

    def end(self, session: Any) -> None:
        """No worker takes another step: the count is beyond the limit, whatever it was."""
        session.run(self._end)


def arrive(buckets: Buckets, gradients: Sequence[Any]) -> list[Any]:
    """Each part's gradient on its ps, as float32."""
    arrived = []
    for part, gradient in zip(buckets.parts, gradients, strict=True):
        with tf.device(buckets.homes.device(part.ps)):
            arrived.append(tf.cast(tf.identity(gradient), tf.float32))
    return arrived
