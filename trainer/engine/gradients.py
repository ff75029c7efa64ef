"""What happens to a gradient between the backward pass and the ps: clipping.

A worker clips its own gradient, whole, before any of it travels: ``clip_norm`` is the norm over
all variables of the model, however many ps and buckets they lie on, and costs no traffic between
ps. In synchronous training each worker's gradient is clipped before the average is taken. It
equals Keras' ``global_clipnorm`` and ``clipvalue``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from trainer.spec import OptimizerSpec


def clipped(spec: OptimizerSpec, gradients: Sequence[Any]) -> list[Any]:
    """One worker's gradient, one tensor for each bucket, as ``spec`` wants it to travel."""
    if spec.clip_norm is not None:
        return list(tf.clip_by_global_norm(list(gradients), spec.clip_norm)[0])
    if spec.clip_value is not None:
        limit = spec.clip_value
        return [tf.clip_by_value(gradient, -limit, limit) for gradient in gradients]
    return list(gradients)
