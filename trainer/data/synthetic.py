"""Images made from the seed: ten blurred patterns under noise. Needs no files, can be learned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from trainer.data.kinds import Dataset, Split, Summary

if TYPE_CHECKING:
    import numpy as np

SHAPE = (28, 28, 1)
CLASSES = 10
TRAIN = 8192
TEST = 1024


def check(folder: Path) -> Summary:
    """What :func:`load` makes; ``folder`` is not read."""
    return Summary(train=TRAIN, test=TEST, shape=SHAPE, classes=CLASSES)


def load(folder: Path, seed: int) -> Dataset:
    """The same images on every task that has the same ``seed``."""
    import numpy as np

    random = np.random.default_rng([seed, 0x51A7])
    coarse = random.random((CLASSES, 7, 7, 1), dtype=np.float32)
    patterns = np.kron(coarse, np.ones((1, 4, 4, 1), np.float32))
    train, test = (_split(random, patterns, count) for count in (TRAIN, TEST))
    return Dataset(train=train, test=test, scale=1 / 255, classes=CLASSES)


def _split(
    random: np.random.Generator,
    patterns: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
    count: int,
) -> Split:
    import numpy as np

    labels = random.integers(0, CLASSES, count, dtype=np.int32)
    noise = random.random((count, *SHAPE), dtype=np.float32)
    images = (255 * (0.5 * patterns[labels] + 0.5 * noise)).astype(np.uint8)
    return Split(images=images, labels=labels)
