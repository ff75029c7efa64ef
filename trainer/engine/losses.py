"""Losses and what counts as a right answer, for each example of a batch.

``cross_entropy`` is ours: from logits and class numbers. The others are Keras' functions of their
names, given the labels and what the model returns, so a model with logits does not fit
``categorical_crossentropy``, exactly as in Keras. Unlike there, shapes that would only be
stretched to each other are refused. Where a right answer has no meaning, as in regression, it is
NaN.
"""

from __future__ import annotations

import math
from typing import Any

import tensorflow.compat.v1 as tf

from trainer.engine.outputs import shape_of
from trainer.failures import BadSpec
from trainer.spec import CROSS_ENTROPY

_BY_NUMBER = frozenset({CROSS_ENTROPY, "sparse_categorical_crossentropy"})
_ONE_HOT = frozenset({"categorical_crossentropy", "categorical_hinge"})
_BY_CLASS = _BY_NUMBER | _ONE_HOT
_THRESHOLDS = {"binary_crossentropy": 0.5, "hinge": 0.0, "squared_hinge": 0.0}
"""Losses of yes-or-no answers: from where on the model says yes."""

Sizes = list[int | None]
"""A shape without its first axis; None: not known before a step."""


def per_example(loss: str, labels: Any, outputs: Any, classes: int) -> tuple[Any, Any]:
    """Loss and part of right answers (0 to 1, or NaN) of each example, both float32 ``[n]``.

    Args:
        loss: its name.
        labels: ``[n, ...]``.
        outputs: floats ``[n, ...]``.
        classes: how many the data set has.

    Raises:
        BadSpec: the loss does not go with these labels and outputs.
    """
    _check_fit(loss, labels, outputs, classes)
    outputs = tf.cast(outputs, tf.float32)
    if loss == CROSS_ENTROPY:
        return _cross_entropy(labels, outputs)
    import keras

    wanted = _as_the_loss_wants(loss, labels, outputs)
    losses = keras.losses.get(loss)(wanted, outputs)
    return _mean(losses), _right(loss, labels, outputs)


def _check_fit(loss: str, labels: Any, outputs: Any, classes: int) -> None:
    given, found = labels.shape.as_list()[1:], outputs.shape.as_list()[1:]
    why = ""
    if loss in _BY_NUMBER or (loss in _ONE_HOT and len(given) < len(found)):
        if not labels.dtype.is_integer:
            why = "it takes class numbers as labels"
        else:
            why = _not_for_each_class(given, found, classes)
    elif not _same(found, given) and (loss in _ONE_HOT or not _same(found, [*given, 1])):
        why = f"it takes outputs of the labels' shape, {shape_of(labels)}"
    elif loss in _ONE_HOT and not given:
        why = "it takes one output for each class"
    elif loss in _THRESHOLDS and labels.dtype.is_integer and not given and classes > 2:
        why = f"it is for two classes and the data set has {classes}"
    if why:
        raise BadSpec(
            f"the loss {loss} does not go with labels of shape {shape_of(labels)} "
            f"({labels.dtype.name}) and outputs of shape {shape_of(outputs)}: {why}; "
            "choose another loss or model"
        )


def _not_for_each_class(given: Sizes, found: Sizes, classes: int) -> str:
    if not found or not _same(found[:-1], given):
        places = f" at each of {'x'.join(map(str, given))} places" if given else ""
        pool = "" if len(found) < len(given) + 2 else ", so flatten or pool before the last layer"
        return f"it takes one output for each class{places}{pool}"
    if found[-1] is not None and found[-1] < classes:
        return f"the model tells {found[-1]} classes apart and the data set has {classes}"
    return ""


def _same(found: Sizes, wanted: Sizes) -> bool:
    return len(found) == len(wanted) and all(
        f is None or w is None or f == w for f, w in zip(found, wanted, strict=True)
    )


def _cross_entropy(labels: Any, logits: Any) -> tuple[Any, Any]:
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
