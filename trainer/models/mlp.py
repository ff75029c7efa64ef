"""One hidden layer: steps so small that everything else shows."""

from __future__ import annotations

from typing import Any

import keras
from keras import layers


def build(input_shape: tuple[int, ...], classes: int) -> Any:
    """Logits ``[batch, classes]``; 0.1 M parameters for 28x28x1."""
    return keras.Sequential(
        [
            layers.Input(input_shape),
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            layers.Dense(classes),
        ],
        name="mlp",
    )
