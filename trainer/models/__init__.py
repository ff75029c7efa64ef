"""The networks, built with Keras 3 in the current TensorFlow v1 graph.

Each is a module of its name with ``build(input_shape, classes) -> keras.Model`` that returns
logits. Importing this package does not import Keras.
"""

from __future__ import annotations

import importlib
from typing import Any

from trainer.own_code import OwnFunction
from trainer.spec import MODELS, is_own


def build(
    name: str,
    input_shape: tuple[int, ...],
    classes: int,
    seed: int,
    code_dir: str | None = None,
) -> Any:
    """The Keras model ``name``; its initial weights follow from ``seed``.

    A function of the user's may take ``input_shape`` and ``classes``.

    Raises:
        BadSpec: the user's function failed, or what it returned cannot be trained.
    """
    if name not in MODELS and not is_own(name):
        raise ValueError(f"{name!r} is not one of {', '.join(MODELS)}")
    import keras

    keras.utils.set_random_seed(seed)
    if is_own(name):
        return _own(OwnFunction("model", name, code_dir), input_shape, classes)
    return importlib.import_module(f"trainer.models.{name}").build(input_shape, classes)


def _own(function: OwnFunction, input_shape: tuple[int, ...], classes: int) -> Any:
    import keras

    model = function({"input_shape": input_shape, "classes": classes})
    if not isinstance(model, keras.Model):
        raise function.wrong(f"returned {_kind(model)}, not a Keras model")
    if not model.built:
        # A call builds all layers; `build` of a class of the user's builds none of them.
        function.guarded(lambda: model(keras.KerasTensor((None, *input_shape))))
    if not model.trainable_variables:
        raise function.wrong("returned a model without any variable to train")
    odd = [v for v in model.trainable_variables if str(v.dtype) != "float32"]
    if odd:
        text = f"has the variable {odd[0].path} in {odd[0].dtype}; variables must be float32"
        raise function.wrong(f"returned a model that {text}")
    return model


def _kind(value: object) -> str:
    name = type(value).__name__
    if value is None:
        return "nothing"
    return f"an {name}" if name[:1].lower() in "aeiou" else f"a {name}"
