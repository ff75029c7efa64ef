"""The small network of the first MNIST tutorials: two convolutions, two dense layers."""

from __future__ import annotations

from typing import Any

import keras
from keras import layers


def build(input_shape: tuple[int, int, int], classes: int) -> Any:
    """Logits ``[batch, classes]`` for images in 0..1; 0.2 M parameters for 28x28x1."""
    return keras.Sequential(
        [
            layers.Input(input_shape),
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            layers.Dense(classes),
        ],
        name="mnist_cnn",
    )
