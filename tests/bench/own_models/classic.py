"""The network of the classic MNIST tutorial, as a user would bring it: ``classic:build``."""

from __future__ import annotations

from typing import Any


def build(input_shape: tuple[int, ...], classes: int) -> Any:
    """Logits ``[batch, classes]``; 3.3 M parameters for 28x28x1."""
    import keras
    from keras import layers

    return keras.Sequential(
        [
            layers.Input(input_shape),
            layers.Conv2D(32, 5, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(64, 5, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(1024, activation="relu"),
            layers.Dense(classes),
        ],
        name="classic",
    )
