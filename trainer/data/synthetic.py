"""Images made from the seed: ten blurred patterns under noise. Needs no files, can be learned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from trainer.data.kinds import DEFAULTS, Dataset, Options, Split, Summary

if TYPE_CHECKING:
    import numpy as np

SHAPE = (28, 28, 1)
CLASSES = 10
TRAIN = 8192
TEST = 1024
PART = 1024
"""Images whose noise is drawn together: it takes four times their bytes."""
MAX_BYTES = 256 << 20
"""Large images are fewer, so that the training split stays below this."""


def check(folder: Path, options: Options = DEFAULTS) -> Summary:
    """What :func:`load` makes; ``folder`` is not read."""
    shape = _shape(options)
    train, test = _counts(shape)
    return Summary(train=train, test=test, shape=shape, classes=CLASSES)


def load(folder: Path, seed: int, options: Options = DEFAULTS) -> Dataset:
    """The same images on every task that has the same ``seed``; coloured if a size is wished."""
    import numpy as np

    shape = _shape(options)
    random = np.random.default_rng([seed, 0x51A7])
    coarse = random.random((CLASSES, 7, 7, shape[2]), dtype=np.float32)
    cells = [np.arange(side) * 7 // side for side in shape[:2]]
    patterns = coarse[:, cells[0]][:, :, cells[1]]
    train, test = (_split(random, patterns, count) for count in _counts(shape))
    return Dataset(train=train, test=test, scale=1 / 255, classes=CLASSES)


def _shape(options: Options) -> tuple[int, int, int]:
    return (options.image_size, options.image_size, 3) if options.image_size else SHAPE


def _counts(shape: tuple[int, int, int]) -> tuple[int, int]:
    """Training and test images."""
    fitting = MAX_BYTES // (shape[0] * shape[1] * shape[2])
    return min(TRAIN, max(64, fitting)), min(TEST, max(16, fitting // 8))


def _split(
    random: np.random.Generator,
    patterns: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
    count: int,
) -> Split:
    import numpy as np

    labels = random.integers(0, CLASSES, count, dtype=np.int32)
    shape = patterns.shape[1:]
    images = np.empty((count, *shape), np.uint8)
    for part in (slice(start, start + PART) for start in range(0, count, PART)):
        noise = random.random((len(labels[part]), *shape), dtype=np.float32)
        images[part] = 255 * (0.5 * patterns[labels[part]] + 0.5 * noise)
    return Split(images=images, labels=labels)
