"""The networks, built with Keras 3 in the current TensorFlow v1 graph.

Each is a module of its name with ``build(input_shape, classes) -> keras.Model`` that returns
logits. Importing this package does not import Keras.
"""

from __future__ import annotations

import importlib
from typing import Any

from trainer.spec import MODELS


def build(name: str, input_shape: tuple[int, int, int], classes: int, seed: int) -> Any:
    """The Keras model ``name``; its initial weights follow from ``seed``."""
    if name not in MODELS:
        raise ValueError(f"{name!r} is not one of {', '.join(MODELS)}")
    import keras

    keras.utils.set_random_seed(seed)
    return importlib.import_module(f"trainer.models.{name}").build(input_shape, classes)
