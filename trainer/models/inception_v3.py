"""Inception v3 (Szegedy et al., 2015) as Keras 3 has it; 21.8 M parameters for 10 classes."""

from __future__ import annotations

from typing import Any

from keras import applications

from trainer.models.applications import from_scratch

LEAST = 75
"""Pixels of the smallest side."""


def build(input_shape: tuple[int, ...], classes: int) -> Any:
    """Logits ``[batch, classes]`` for images in 0..1."""
    return from_scratch(applications.InceptionV3, LEAST, input_shape, classes)
