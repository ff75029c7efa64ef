"""A split whose images are files: read, decoded and cropped in parallel, a few batches ahead."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

from trainer.data.bad_files import BadFiles
from trainer.data.colors import Colors, random_colors
from trainer.data.crops import Window, central_window, random_window
from trainer.data.decoder import TOGETHER, Decoder, Wanted
from trainer.data.image_kinds import inspect
from trainer.data.kinds import Options
from trainer.failures import BadData

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from trainer.data.kinds import Batch, Order

    Example = tuple[NDArray[np.uint8], int]

DEFAULT_SIZE = 224
MOST_THREADS = 16
AHEAD = 3
"""Calls that wait ready or are under way for each thread."""


def shape_of(options: Options) -> tuple[int, int, int]:
    """The shape that images are given."""
    size = options.image_size or DEFAULT_SIZE
    return size, size, 3


class Unusable(Exception):
    """Raised by ``Files.read`` for a file that must be skipped; says why."""


class Encoded(NamedTuple):
    """The content of one image file, and the class that it shows."""

    data: bytes
    label: int


class Files(Protocol):
    """Image files of all splits, each with a number."""

    def read(self, number: int) -> Encoded:
        """Read one. Thread-safe. Raises :class:`Unusable`, and ``BadData`` when all is lost."""

    def name(self, number: int) -> str:
        """What the user knows it by."""

    def order(
        self, members: NDArray[np.int64], *, seed: int, epoch: int, index: int, workers: int
    ) -> NDArray[np.int64]:
        """A worker's share of ``members`` in one epoch, shuffled."""


class Workshop:
    """What the splits of a data set share: the decoder, its threads, the count of bad files."""

    def __init__(self, options: Options) -> None:
        cores = len(os.sched_getaffinity(0))
        self.threads = max(1, min(options.threads or cores, MOST_THREADS))
        self.shape = shape_of(options)
        self.bad = BadFiles(options.max_bad_files, options.tell)
        self.color_distortion = options.color_distortion
        self.pool = ThreadPoolExecutor(self.threads, thread_name_prefix="decode")
        self.decoder = Decoder(
            self.shape[0], threads=self.threads, use_truncated=options.truncated == "use"
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ImageSplit:
    """The ``members`` of ``files``. A bad file's place is taken by the next; it is counted."""

    files: Files
    members: NDArray[np.int64]
    workshop: Workshop

    def __len__(self) -> int:
        return len(self.members)

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.workshop.shape

    @property
    def images(self) -> _Column:
        return _Column(self, 0)

    @property
    def labels(self) -> _Column:
        return _Column(self, 1)

    def order(self, *, seed: int, epoch: int, index: int, workers: int) -> NDArray[np.int64]:
        return self.files.order(self.members, seed=seed, epoch=epoch, index=index, workers=workers)

    def stream(self, order: Order, *, batch_size: int, seed: int) -> Iterator[Batch]:
        """Random crops; the same batches for the same seed, whichever thread is faster."""
        examples = self._ahead(self._training_calls(order, seed))
        while True:
            yield self._gather(examples, batch_size)

    def batches(self, size: int) -> Iterator[Batch]:
        """Central crops. The last batch is smaller, each may be where files are bad."""
        for start in range(0, len(self), size):
            yield self.take(slice(start, start + size))

    def take(self, part: slice) -> Batch:
        """Central crops of a part of the members, without those that cannot be used."""
        import numpy as np

        numbers = self.members[part]
        starts = range(0, len(numbers), TOGETHER)
        calls = (
            partial(self._decode, numbers[s : s + TOGETHER], _central, _as_they_are) for s in starts
        )
        found = [example for example in self._ahead(calls) if example is not None]
        images = np.empty((len(found), *self.shape), np.uint8)
        for place, (image, _) in enumerate(found):
            images[place] = image
        self.workshop.bad.sum_up()
        return images, np.array([label for _, label in found], np.int32)

    def _gather(self, examples: Iterator[Example | None], batch_size: int) -> Batch:
        import numpy as np

        images = np.empty((batch_size, *self.shape), np.uint8)
        labels = np.empty(batch_size, np.int32)
        filled, in_vain = 0, 0
        while filled < batch_size:
            example = next(examples)
            if example is None:
                in_vain += 1
                if in_vain > len(self):
                    raise BadData(
                        f"none of {len(self)} images can be used, {self.files.name(0)} among "
                        "them; the log says why"
                    )
                continue
            images[filled], labels[filled] = example
            filled, in_vain = filled + 1, 0
        return images, labels

    def _training_calls(
        self, order: Order, seed: int
    ) -> Iterator[Callable[[], list[Example | None]]]:
        for epoch, numbers in order:
            key = f"{seed} {epoch}"
            for start in range(0, len(numbers), TOGETHER):
                part = numbers[start : start + TOGETHER]
                yield partial(self._decode, part, partial(_random, key), self._colors(key))
            self.workshop.bad.sum_up()

    def _ahead(
        self, calls: Iterator[Callable[[], list[Example | None]]]
    ) -> Iterator[Example | None]:
        """The results of ``calls`` in their order, several under way; None: a bad file."""
        waiting: deque[Future[list[Example | None]]] = deque()
        try:
            while True:
                while len(waiting) < AHEAD * self.workshop.threads:
                    call = next(calls, None)
                    if call is None:
                        break
                    waiting.append(self.workshop.pool.submit(call))
                if not waiting:
                    return
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

    def _colors(self, key: str) -> Callable[[int], Colors | None]:
        """How the colours of an image are changed in one epoch of training, by its number."""
        if not self.workshop.color_distortion:
            return _as_they_are
        return lambda number: random_colors(f"{key} {number} colors")

    def _decode(
        self,
        numbers: NDArray[np.int64],
        window: Callable[[int, int, int], Window],
        colors: Callable[[int], Colors | None],
    ) -> list[Example | None]:
        """On a thread of the pool."""
        read: list[tuple[int, Encoded]] = []
        found: dict[int, Example] = {}
        for number in map(int, numbers):
            try:
                read.append((number, self.files.read(number)))
            except Unusable as why:
                self.workshop.bad.add(self.files.name(number), str(why))
        wanted = [Wanted(e.data, partial(window, n), colors(n)) for n, e in read]
        for (number, encoded), image in zip(read, self._images(wanted), strict=True):
            if image is None:
                self.workshop.bad.add(self.files.name(number), _why(encoded.data))
            else:
                found[number] = image, encoded.label
        return [found.get(int(number)) for number in numbers]

    def _images(self, wanted: Sequence[Wanted]) -> list[NDArray[np.uint8] | None]:
        return self.workshop.decoder.decode(wanted)


class _Column:
    """The images or the labels of a split, as an array would be sliced; decoded for each slice."""

    def __init__(self, split: ImageSplit, column: int) -> None:
        self._split = split
        self._column = column

    def __getitem__(self, part: slice) -> NDArray[np.generic]:
        column: NDArray[np.generic] = self._split.take(part)[self._column]
        return column


def _random(key: str, number: int, height: int, width: int) -> Window:
    return random_window(height, width, f"{key} {number}")


def _central(number: int, height: int, width: int) -> Window:
    return central_window(height, width)


def _as_they_are(number: int) -> None:
    return None


def _why(data: bytes) -> str:
    """Why TensorFlow cannot decode it, as far as can be seen."""
    kind = inspect(data, deep=False)
    if kind.usable:
        return f"{kind.kind} that TensorFlow cannot decode"
    return f"{kind.kind}: {kind.note}" if kind.note else kind.kind
