"""Random changes of an image's colours in training, as Inception was trained."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

BRIGHTNESS = 32 / 255
SATURATION = (0.5, 1.5)
HUE = 0.2
CONTRAST = (0.5, 1.5)


class Colors(NamedTuple):
    """How the colours of one image are changed.

    ``brightness`` is added to values in 0..1, ``hue`` to the angle in turns, ``saturation`` and
    ``contrast`` are factors; ``contrast_first``: before saturation and hue.
    """

    brightness: float
    saturation: float
    hue: float
    contrast: float
    contrast_first: bool


def random_colors(key: str) -> Colors:
    """A random change; ``key`` decides which.

    Limits and orders are those of the preprocessing that Inception v3 was trained with
    (``inception_preprocessing.distort_color`` of TensorFlow's models).
    """
    draw = random.Random(key)  # noqa: S311 - not for secrets
    return Colors(
        brightness=draw.uniform(-BRIGHTNESS, BRIGHTNESS),
        saturation=draw.uniform(*SATURATION),
        hue=draw.uniform(-HUE, HUE),
        contrast=draw.uniform(*CONTRAST),
        contrast_first=draw.random() < 0.5,
    )


class Recoloring:
    """The operations, in the current TensorFlow graph."""

    def __init__(self) -> None:
        import tensorflow.compat.v1 as tf

        self._image = tf.placeholder(tf.uint8, [None, None, 3])
        self._numbers = tf.placeholder(tf.float32, [4])
        brightness, saturation, hue, contrast = tf.unstack(self._numbers)
        bright = tf.cast(self._image, tf.float32) / 255.0 + brightness

        def colored(image: Any) -> Any:
            return tf.image.adjust_hue(tf.image.adjust_saturation(image, saturation), hue)

        first = colored(tf.image.adjust_contrast(bright, contrast))
        last = tf.image.adjust_contrast(colored(bright), contrast)
        self._results = {True: _as_bytes(first), False: _as_bytes(last)}
        self._calls: dict[bool, Any] = {}

    def open(self, session: Any) -> None:
        """Make it callable in ``session``."""
        feeds = [self._image, self._numbers]
        self._calls = {k: session.make_callable(r, feeds) for k, r in self._results.items()}

    def __call__(self, image: Any, colors: Colors) -> Any:
        """The image, uint8 ``[height, width, 3]``, in its new colours. Thread-safe."""
        return self._calls[colors.contrast_first](image, colors[:4])


def _as_bytes(image: Any) -> Any:
    import tensorflow.compat.v1 as tf

    return tf.cast(tf.clip_by_value(image, 0.0, 1.0) * 255.0 + 0.5, tf.uint8)
