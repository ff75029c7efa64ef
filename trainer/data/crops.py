"""Which part of an image is used: random for training, central for evaluation."""

from __future__ import annotations

import random
from math import sqrt
from typing import NamedTuple

AREA = (0.08, 1.0)
ASPECT = (3 / 4, 4 / 3)
ATTEMPTS = 10
CENTRAL = 0.875


class Window(NamedTuple):
    """A part of an image in pixels; ``flip``: mirrored left to right."""

    top: int
    left: int
    height: int
    width: int
    flip: bool


def random_window(height: int, width: int, key: str) -> Window:
    """A random part of random shape, as Inception was trained on; ``key`` decides which.

    An area of 8 to 100 % and an aspect ratio of 3:4 to 4:3, mirrored every other time (Szegedy et
    al., "Going deeper with convolutions", section 6). When no such part was found, the largest
    central square is taken.
    """
    draw = random.Random(key)  # noqa: S311 - not for secrets
    flip = draw.random() < 0.5
    for _ in range(ATTEMPTS):
        area = draw.uniform(*AREA) * height * width
        aspect = draw.uniform(*ASPECT)
        high, wide = round(sqrt(area / aspect)), round(sqrt(area * aspect))
        if 0 < high <= height and 0 < wide <= width:
            top, left = draw.randint(0, height - high), draw.randint(0, width - wide)
            return Window(top, left, high, wide, flip)
    side = min(height, width)
    return Window((height - side) // 2, (width - side) // 2, side, side, flip)


def central_window(height: int, width: int) -> Window:
    """The central square with 7/8 of the shorter side: 224 of 256 pixels, as is usual."""
    side = max(1, round(CENTRAL * min(height, width)))
    return Window((height - side) // 2, (width - side) // 2, side, side, flip=False)
