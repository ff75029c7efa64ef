"""What every data set looks like to the rest of the trainer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from trainer.data.order import every_nth

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Batch = tuple[NDArray[np.uint8], NDArray[np.int32]]
    Order = Iterator[tuple[int, NDArray[np.int64]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class BadFile:
    """A file that is not what its name says: its true ``kind``, and a ``note`` in words."""

    file: str
    kind: str
    usable: bool
    note: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """What a data set holds: counts of examples, shape of one image, number of classes.

    ``kinds`` counts image files by their true kind, over the ``looked_at`` files that there was
    time for; ``files`` lists those that are odd or bad. All are empty for packed data sets.
    ``notes`` are sentences for the user.
    """

    train: int
    test: int
    shape: tuple[int, ...]
    classes: int
    looked_at: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    files: tuple[BadFile, ...] = ()
    notes: tuple[str, ...] = ()


def _print(text: str) -> None:
    print(text, flush=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """How a data set is wanted, beyond its name and folder; most kinds look at none of it.

    ``image_size``: side of the square images; None: the kind's default. ``max_bad_files``: more
    image files than this that cannot be used end the run. ``truncated``: what to do with a JPEG
    whose end is missing. ``color_distortion``: training images change their colours at random.
    ``threads``: how many decode; None: as many as there are cores.
    ``tell`` gets sentences for the user, from any thread. ``code_dir``: the folder with modules
    of the user's own.
    """

    image_size: int | None = None
    max_bad_files: int = 100
    truncated: Literal["skip", "use"] = "skip"
    color_distortion: bool = False
    threads: int | None = None
    tell: Callable[[str], None] = _print
    code_dir: str | None = None


DEFAULTS = Options()


class Format(NamedTuple):
    """Types of examples and of labels, by NumPy's names, and the shape of one label."""

    images: str = "uint8"
    labels: str = "int32"
    label_shape: tuple[int, ...] = ()


class Source(Protocol):
    """One split of a data set, in memory or on disk. Images are uint8, labels int32."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Height, width and channels of one image."""

    @property
    def images(self) -> Any:
        """Indexed by a slice: uint8 ``[n, height, width, channels]``."""

    @property
    def labels(self) -> Any:
        """Indexed by a slice: int32 ``[n]``."""

    def __len__(self) -> int: ...

    def order(self, *, seed: int, epoch: int, index: int, workers: int) -> NDArray[np.int64]:
        """The examples that worker ``index`` of ``workers`` sees in one epoch, in order."""

    def stream(self, order: Order, *, batch_size: int, seed: int) -> Iterator[Batch]:
        """Training batches, all of ``batch_size``, of what ``order`` yields: (epoch, examples).

        Close the iterator when done: it may own threads. Raises ``BadData``.
        """

    def batches(self, size: int) -> Iterator[Batch]:
        """The whole split once, for evaluation; examples that cannot be used are left out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Split:
    """A split in memory. ``images``: uint8 ``[n, height, width, channels]``; ``labels``: int32.

    A data set of the user's own may have examples and labels of other types and shapes.
    """

    images: NDArray[Any]
    labels: NDArray[Any]

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(map(int, self.images.shape[1:]))

    def order(self, *, seed: int, epoch: int, index: int, workers: int) -> NDArray[np.int64]:
        return every_nth(len(self), seed=seed, epoch=epoch, index=index, workers=workers)

    def stream(self, order: Order, *, batch_size: int, seed: int) -> Iterator[Batch]:
        import numpy as np

        waiting = np.empty(0, np.int64)
        while True:
            while len(waiting) < batch_size:
                waiting = np.concatenate([waiting, next(order)[1]])
            chosen, waiting = waiting[:batch_size], waiting[batch_size:]
            yield self.images[chosen], self.labels[chosen]

    def batches(self, size: int) -> Iterator[Batch]:
        for start in range(0, len(self), size):
            yield self.images[start : start + size], self.labels[start : start + size]


@dataclass(frozen=True, kw_only=True, slots=True)
class Dataset:
    """A data set. ``scale`` maps pixel values to 0..1; ``test`` is never trained on."""

    train: Source
    test: Source
    scale: float
    classes: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Height, width and channels of one image."""
        return self.train.shape

    @property
    def format(self) -> Format:
        """What a batch is made of."""
        if not isinstance(self.train, Split):
            return Format()
        images, labels = self.train.images, self.train.labels
        return Format(str(images.dtype), str(labels.dtype), tuple(map(int, labels.shape[1:])))
