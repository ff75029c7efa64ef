"""Networks of Keras 3's applications, trained from scratch and sized by the data set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keras import layers

from trainer.failures import BadSpec


def from_scratch(
    application: Callable[..., Any], least: int, input_shape: tuple[int, ...], classes: int
) -> Any:
    """Logits ``[batch, classes]``.

    Images with a side below ``least`` pixels, which the network cannot take, are enlarged to it,
    bilinearly, by the model's first layer.

    Raises:
        BadSpec: the examples are no images.
    """
    if len(input_shape) != 3:
        shape = "x".join(map(str, input_shape))
        raise BadSpec(
            f"the network takes images, height x width x channels, and the data set has examples "
            f"of shape {shape}; choose another model or data set"
        )
    height, width, channels = input_shape
    options = {"weights": None, "classes": classes, "classifier_activation": None}
    if min(height, width) >= least:
        return application(input_shape=input_shape, **options)
    size = max(height, least), max(width, least)
    images = layers.Input(input_shape)
    enlarged = layers.Resizing(*size)(images)
    return application(input_tensor=enlarged, input_shape=(*size, channels), **options)
