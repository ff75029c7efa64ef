"""Where the workers of a sync run meet on a ps: sums of gradients, and tokens for the next step.

For each part of the variables an accumulator averages the gradients of one step. ``pushed`` holds,
for each worker, the last step for which this ps took its gradient, so that a worker which was
killed and started again is never counted twice. On ``ps:0``, ``opened`` is the step for which
gradients are let in and how many were; it decides for all ps, so that all average the gradients
of the same workers.
"""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from trainer.engine.buckets import Buckets, Part, shared_variable
from trainer.engine.places import Homes

NUDGE = -1
"""A token that only wakes the worker: it is asked to stop, or waits for too long."""


class Meeting:
    """Handles on what ``ps`` shares with the workers."""

    def __init__(self, homes: Homes, ps: int, workers: int) -> None:
        self.ps = ps
        self.device = homes.device(ps)
        self._name = f"{homes.scope}_ps{ps}"
        with tf.variable_scope(homes.scope):
            self.pushed = shared_variable(f"ps{ps}_pushed", self.device, [workers], tf.int64)
            if ps == 0:
                self.opened = shared_variable("ps0_opened", self.device, [2], tf.int64)

    def accumulator(self, part: Part) -> Any:
        """What sums up the gradients of ``part``."""
        name, bucket = part.key
        with tf.device(self.device):
            return tf.ConditionalAccumulator(
                tf.float32, shape=[part.size], shared_name=f"{self._name}_{name}_{bucket}_sum"
            )

    def tokens(self, worker: int) -> Any:
        """The queue of step numbers: every step up to it is applied on this ps."""
        with tf.device(self.device):
            return tf.FIFOQueue(
                -1, tf.int64, [[]], shared_name=f"{self._name}_worker{worker}_tokens"
            )

    def door(self) -> Any:
        """Lets one worker at a time decide whether its gradient comes in time."""
        with tf.device(self.device):
            return tf.CriticalSection(shared_name=f"{self._name}_door")


def meeting_places(buckets: Buckets, workers: int) -> list[Meeting]:
    """One for each ps that holds variables; ``ps:0`` first."""
    return [Meeting(buckets.homes, k, workers) for k in sorted({p.ps for p in buckets.parts})]
