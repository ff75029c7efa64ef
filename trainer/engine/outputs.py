"""Calls a Keras model with given weights, and takes only what a loss can be computed from."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from trainer.failures import BadSpec, TaskFailure
from trainer.own_code import said


def call_model(
    name: str,
    model: Any,
    weights: Sequence[Any],
    fixed: Sequence[Any],
    examples: Any,
    *,
    training: bool,
) -> tuple[Any, Sequence[Any]]:
    """The one tensor ``[n, ...]`` of the model's outputs, and its new non-trainable values.

    Args:
        name: of the model, for the sentences about it.
        weights: values for its trainable variables, in its order.
        fixed: values for the others.
        examples: floats ``[n, ...]``.
        training: passed on if the model asks for it, as Keras' own ``fit`` does.

    Raises:
        BadSpec: it fails, or what it returns is no such tensor.
    """
    wants = getattr(model, "inputs", None) or [examples]
    if len(wants) != 1:
        raise BadSpec(f"the model {name} has {len(wants)} inputs, and examples are one tensor")
    options = {"training": training} if _asks_for_training(model) else {}
    try:
        outputs, changed = model.stateless_call(list(weights), list(fixed), examples, **options)
    except TaskFailure:
        raise
    except Exception as error:  # whatever the user's layers raise
        raise BadSpec(
            f"the model {name} does not take examples of shape {shape_of(examples)}: {said(error)}"
        ) from None
    return _one_tensor(name, outputs, examples), list(changed)


def shape_of(tensor: Any) -> str:
    """The shape of one example of a batch, in words."""
    sizes = ["?" if size is None else str(size) for size in tensor.shape.as_list()[1:]]
    return "x".join(sizes) or "one number"


def _asks_for_training(model: Any) -> bool:
    try:
        parameters = inspect.signature(model.call).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(p.name == "training" or p.kind is p.VAR_KEYWORD for p in parameters)


def _one_tensor(name: str, outputs: Any, examples: Any) -> Any:
    if isinstance(outputs, list | tuple) and len(outputs) == 1:
        (outputs,) = outputs  # what a model with a list of one output returns
    wanted = "and one tensor of outputs is wanted"
    if isinstance(outputs, list | tuple | dict):
        kind = f"a {type(outputs).__name__} of {len(outputs)}"
        raise BadSpec(f"the model {name} returns {kind}, {wanted}; return that alone")
    if not isinstance(outputs, tf.Tensor):
        kind = "nothing" if outputs is None else f"a {type(outputs).__name__}"
        raise BadSpec(f"the model {name} returns {kind}, {wanted}")
    if not outputs.dtype.is_floating:
        raise BadSpec(
            f"the model {name} returns {outputs.dtype.name}, and floating-point numbers are "
            "wanted, which have gradients; leave argmax, rounding and comparing to the loss"
        )
    if outputs.shape.rank is None:
        raise BadSpec(
            f"the shape of what the model {name} returns is not known; use tf.ensure_shape"
        )
    first, count = outputs.shape.as_list()[:1], examples.shape[0]
    if first not in ([count], [None]):
        size = f"{first[0]} for a batch of {count}" if first else "one number for the whole batch"
        raise BadSpec(
            f"the model {name} returns {size}, and outputs of each example are wanted; keep the "
            "first axis as it is"
        )
    return outputs
