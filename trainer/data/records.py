"""Images in TFRecord shards, read at random from a few shards at a time."""

from __future__ import annotations

import sys
import threading
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from trainer.data.example import ExampleError, parse_example
from trainer.data.images import Encoded, Unusable
from trainer.data.order import by_shards
from trainer.data.shards import Shards
from trainer.data.tfrecord import bad_data_sentence, read_record
from trainer.failures import BadData

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

IMAGE = "image/encoded"
LABEL = "image/class/label"
IMAGENET_CLASSES = 1000
READ_ALL_BYTES = 256 << 20
"""Shards of up to this size together are read through for their labels."""
SAMPLE = 512
_OPEN = 2 * 8
"""Files that each thread keeps open."""


class Labels(NamedTuple):
    """``base`` is the lowest label in the files, which becomes class 0."""

    base: int
    classes: int


class RecordFiles:
    """The images of all shards, numbered in the order of the shards. Thread-safe."""

    def __init__(self, shards: Shards, counts: list[int], labels: Labels) -> None:
        self._shards = shards
        self._starts = [0, *accumulate(counts)]
        self._labels = labels
        self._readers = Readers(fast=True)

    def read(self, number: int) -> Encoded:
        shard, record = self._place(number)
        path = self._shards.all[shard].path
        offset = self._shards.offsets(shard)[record]
        image, label = parse_image(path, record, self._readers.read(path, record, offset))
        if not 0 <= label - self._labels.base < self._labels.classes:
            last = self._labels.base + self._labels.classes - 1
            raise BadData(
                f"{path} record {record} has the label {label}, but labels go from "
                f"{self._labels.base} to {last}; write a manifest by building the shards again"
            )
        return Encoded(image, label - self._labels.base)

    def name(self, number: int) -> str:
        shard, record = self._place(number)
        return f"{self._shards.all[shard].path} record {record}"

    def order(
        self, members: NDArray[np.int64], *, seed: int, epoch: int, index: int, workers: int
    ) -> NDArray[np.int64]:
        import numpy as np

        parts = np.split(members, np.searchsorted(members, self._starts[1:-1]))
        return by_shards(parts, seed=seed, epoch=epoch, index=index, workers=workers)

    def _place(self, number: int) -> tuple[int, int]:
        shard = bisect_right(self._starts, number) - 1
        return shard, number - self._starts[shard]


def parse_image(path: Path, record: int, data: bytes) -> tuple[bytes, int]:
    """Image and label of one record. Raises ``Unusable``, and ``BadData`` if it is no image."""
    try:
        features = parse_example(data)
    except ExampleError as error:
        raise Unusable(f"it is not a tf.train.Example: {error}") from None
    image, label = features.get(IMAGE), features.get(LABEL)
    if not image or not label or not isinstance(image[0], bytes) or not isinstance(label[0], int):
        names = ", ".join(sorted(features)) or "nothing"
        raise BadData(
            f"{path} record {record} has no {IMAGE} with {LABEL}: it has {names[:200]}; "
            "give shards in ImageNet's usual layout"
        )
    return image[0], label[0]


def find_labels(shards: Shards, counts: list[int]) -> Labels:
    """Where labels begin and how many classes there are.

    A manifest says so. Without one, small sets are read through: a label 0 means that labels count
    from 0, otherwise they count from 1, as in the usual layout. Large sets are taken to have
    ImageNet's 1000 classes, and a sample decides between 0 and 1. Raises ``BadData``.
    """
    if shards.manifest is not None:
        return Labels(shards.manifest.label_base, len(shards.manifest.classes))
    small = sum(shard.path.stat().st_size for shard in shards.all) <= READ_ALL_BYTES
    seen = _seen_labels(shards, counts, None if small else SAMPLE)
    if min(seen) < 0 or (not small and max(seen) > IMAGENET_CLASSES):
        raise BadData(
            f"{shards.folder} has labels from {min(seen)} to {max(seen)} and no manifest that says "
            "how many classes there are; build the shards with clew data"
        )
    base = 0 if 0 in seen else 1
    return Labels(base, max(seen) - base + 1 if small else IMAGENET_CLASSES)


def _seen_labels(shards: Shards, counts: list[int], most: int | None) -> set[int]:
    readers = Readers()
    each = max(counts, default=1) if most is None else -(-most // max(1, len(counts)))
    seen = set()
    for shard, count in enumerate(counts):
        path = shards.all[shard].path
        for record in _spread(count, each):
            try:
                data = readers.read(path, record, shards.offsets(shard)[record])
                seen.add(parse_image(path, record, data)[1])
            except Unusable:
                continue  # training counts it
    if not seen:
        raise BadData(f"no record in {shards.folder} can be read; build the shards again")
    return seen


def _spread(count: int, wanted: int) -> Iterable[int]:
    """About ``wanted`` numbers below ``count``, or all of them."""
    return range(0, count, max(1, count // max(1, wanted)))


class Readers(threading.local):
    """Open files of one thread; data is checked against its checksum.

    ``fast``: by TensorFlow's own reader where TensorFlow is imported; it checks without holding the
    interpreter's lock. Not to be asked for while another thread still imports TensorFlow.
    """

    def __init__(self, *, fast: bool = False) -> None:
        self._fast = fast
        self._open: dict[Path, Any] = {}

    def read(self, path: Path, record: int, offset: int) -> bytes:
        """One record's data. Raises ``Unusable`` for bad data, ``BadData`` for a cut file."""
        try:
            make_reader = _tensorflow_reader() if self._fast else None
            if make_reader is None:
                return self._read_slowly(path, record, offset)
            data: bytes = self._opened(path, make_reader).read(offset)[0]
        except OSError as error:
            raise BadData(f"{path} cannot be read: {error.strerror or error}") from None
        except IndexError:
            raise BadData(f"{path} was cut while it was read, at record {record}") from None
        except Exception as error:
            if type(error).__name__ != "DataLossError":
                raise
            raise Unusable(bad_data_sentence(path, record).partition(": ")[2]) from None
        return data

    def _read_slowly(self, path: Path, record: int, offset: int) -> bytes:
        try:
            with path.open("rb") as file:
                return read_record(path, file, record, offset)
        except BadData as error:
            if str(error) == bad_data_sentence(path, record):
                raise Unusable(str(error).partition(": ")[2]) from None
            raise

    def _opened(self, path: Path, make_reader: Any) -> Any:
        reader = self._open.pop(path, None)
        if reader is None:
            reader = make_reader(str(path))
            if len(self._open) >= _OPEN:
                self._open.pop(next(iter(self._open))).close()
        self._open[path] = reader
        return reader


def _tensorflow_reader() -> Any:
    if "tensorflow" not in sys.modules:
        return None
    try:
        from tensorflow.python.lib.io.tf_record import tf_record_random_reader
    except ImportError:  # not part of TensorFlow's public interface
        return None
    return tf_record_random_reader
