"""Losses and what counts as a right answer, for each example of a batch.

``cross_entropy`` is ours: from logits and class numbers. The others are Keras' functions of their
names, given the labels and what the model returns, so a model with logits does not fit
``categorical_crossentropy``, exactly as in Keras. Where a right answer has no meaning, as in
regression, it is NaN.
"""

from __future__ import annotations

import math
from typing import Any

import tensorflow.compat.v1 as tf

from trainer.failures import BadSpec
from trainer.spec import CROSS_ENTROPY

_BY_CLASS = frozenset(
    {
        CROSS_ENTROPY,
        "sparse_categorical_crossentropy",
        "categorical_crossentropy",
        "categorical_hinge",
    }
)
_ONE_HOT = frozenset({"categorical_crossentropy", "categorical_hinge"})
_THRESHOLDS = {"binary_crossentropy": 0.5, "hinge": 0.0, "squared_hinge": 0.0}
"""Losses of yes-or-no answers: from where on the model says yes."""


def per_example(loss: str, labels: Any, outputs: Any) -> tuple[Any, Any]:
    """Loss and part of right answers (0 to 1, or NaN) of each example, both float32 ``[n]``.

    Raises:
        BadSpec: the loss does not go with these labels and outputs.
    """
    outputs = tf.cast(outputs, tf.float32)
    if loss == CROSS_ENTROPY:
        return _cross_entropy(labels, outputs)
    import keras

    wanted = _as_the_loss_wants(loss, labels, outputs)
    try:
        losses = keras.losses.get(loss)(wanted, outputs)
    except (ValueError, TypeError) as error:
        text = " ".join(str(error).split())[:300]
        raise BadSpec(
            f"the loss {loss} does not go with labels of shape {_shape(labels)} and outputs of "
            f"shape {_shape(outputs)}: {text}; choose another loss or model"
        ) from None
    return _mean(losses), _right(loss, labels, outputs)


def _cross_entropy(labels: Any, logits: Any) -> tuple[Any, Any]:
    if not labels.dtype.is_integer or len(logits.shape) != len(labels.shape) + 1:
        raise BadSpec(
            f"the loss cross_entropy takes class numbers and one logit for each class, not labels "
            f"of shape {_shape(labels)} ({labels.dtype.name}) and outputs of shape "
            f"{_shape(logits)}; choose another loss or model"
        )
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    best = tf.argmax(logits, -1, output_type=tf.int32)
    return _mean(losses), _mean(tf.cast(tf.equal(best, labels), tf.float32))


def _as_the_loss_wants(loss: str, labels: Any, outputs: Any) -> Any:
    if loss == "sparse_categorical_crossentropy":
        return labels
    if loss in _ONE_HOT and len(labels.shape) < len(outputs.shape):
        return tf.one_hot(labels, int(outputs.shape[-1]))
    numbers = tf.cast(labels, tf.float32)
    if len(numbers.shape) < len(outputs.shape):
        numbers = tf.expand_dims(numbers, -1)
    return numbers


def _right(loss: str, labels: Any, outputs: Any) -> Any:
    if loss in _BY_CLASS:
        best = tf.argmax(outputs, -1, output_type=tf.int32)
        if len(labels.shape) == len(outputs.shape):
            labels = tf.argmax(labels, -1, output_type=tf.int32)
        return _mean(tf.cast(tf.equal(best, tf.cast(labels, tf.int32)), tf.float32))
    if loss in _THRESHOLDS:
        said = outputs > _THRESHOLDS[loss]
        meant = tf.cast(_as_the_loss_wants(loss, labels, outputs), tf.float32) > 0.5
        return _mean(tf.cast(tf.equal(said, meant), tf.float32))
    return tf.fill(tf.shape(outputs)[:1], math.nan)


def _mean(values: Any) -> Any:
    """``[n]`` from values that have more axes than the first."""
    axes = list(range(1, len(values.shape)))
    return tf.reduce_mean(values, axes) if axes else values


def _shape(tensor: Any) -> str:
    return "x".join(map(str, tensor.shape[1:])) or "one number"
