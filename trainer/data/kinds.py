"""What every data set looks like to the rest of the trainer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """What a data set holds: counts of examples, shape of one image, number of classes."""

    train: int
    test: int
    shape: tuple[int, int, int]
    classes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Split:
    """``images``: uint8 ``[n, height, width, channels]``; ``labels``: int32 ``[n]``."""

    images: NDArray[np.uint8]
    labels: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True, kw_only=True, slots=True)
class Dataset:
    """A data set in memory. ``scale`` maps pixel values to 0..1; ``test`` is never trained on."""

    train: Split
    test: Split
    scale: float
    classes: int

    @property
    def shape(self) -> tuple[int, int, int]:
        """Height, width and channels of one image."""
        height, width, channels = self.train.images.shape[1:]
        return height, width, channels
