"""The step size of each global step, computed where the step is applied: on the ps.

The formulas are Keras 3's: ``ExponentialDecay`` (with ``staircase`` for ``step``) and
``CosineDecay`` with its linear warm-up from 0. Keras counts steps from 0, the global step counts
from 1. With a warm-up, every schedule begins after it.
"""

from __future__ import annotations

import math
from typing import Any

import tensorflow.compat.v1 as tf

from trainer.engine.scaling import scaled_rate
from trainer.spec import OptimizerSpec


class LearningRate:
    """The step size as a function of the global step.

    Args:
        spec: the schedule and its numbers.
        workers: how many there are; looked at only where ``spec`` scales with them.
        total_steps: global steps of the run, for schedules that last as long.
    """

    def __init__(self, spec: OptimizerSpec, workers: int, total_steps: int) -> None:
        self._spec = spec
        self._base = scaled_rate(spec, workers)
        rest = max(1, total_steps - spec.warmup_steps)
        self._decay_steps = float(spec.decay_steps or rest)

    def at(self, step: Any) -> Any:
        """For a global step (int64 tensor, from 1 on): a float where it never changes, or a
        scalar float32 tensor on the device in scope."""
        spec = self._spec
        if spec.schedule == "constant" and not spec.warmup_steps:
            return self._base
        before = tf.cast(step - 1, tf.float32)  # steps that were taken before this one
        rate = self._scheduled(tf.maximum(before - float(spec.warmup_steps), 0.0))
        if not spec.warmup_steps:
            return rate
        part = before / float(spec.warmup_steps)
        return tf.where(part < 1.0, self._base * part, rate)

    def _scheduled(self, steps: Any) -> Any:
        spec, base = self._spec, tf.constant(self._base, tf.float32)
        done = steps / self._decay_steps
        if spec.schedule == "cosine":
            wave = 0.5 * (1.0 + tf.cos(math.pi * tf.minimum(done, 1.0)))
            return base * ((1.0 - spec.final_fraction) * wave + spec.final_fraction)
        if spec.schedule == "step":
            done = tf.floor(done)
        if spec.schedule == "constant":
            return base
        return base * tf.pow(tf.constant(spec.decay_rate, tf.float32), done)
