"""ImageNet and whatever has its form: TFRecord shards, or image files in class folders.

Shards have the usual layout (``train-00000-of-01024``, ``validation-00000-of-00128``; features
``image/encoded`` and ``image/class/label``, which counts from 1). Folders are
``train/<class>/*.JPEG`` and ``val/<class>/*.JPEG``; labels are the places of the sorted class
names. Where there is nothing for validation, a twentieth of the training images is kept for it,
always the same ones. Images are decoded while training goes on; see :mod:`trainer.data.images`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from trainer.data.check_images import check_folder, check_shards
from trainer.data.folder import HELD_OUT, FolderFiles, read_tree
from trainer.data.images import Files, ImageSplit, Workshop
from trainer.data.kinds import DEFAULTS, Dataset, Options, Summary
from trainer.data.records import RecordFiles, find_labels
from trainer.data.shards import Shards, find_shards
from trainer.failures import BadData

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCALE = 1 / 255


def has_shards(folder: Path) -> bool:
    """Whether ``folder`` holds shards rather than image files. Raises ``BadData``."""
    try:
        return bool((folder / "manifest.json").exists() or find_shards(folder)["train"])
    except OSError as error:
        raise BadData(f"{folder} cannot be read: {error.strerror or error}") from None


def check(folder: Path, options: Options = DEFAULTS) -> Summary:
    """Look at as many files as a minute allows and say what they are. Raises ``BadData``."""
    return (check_shards if has_shards(folder) else check_folder)(folder, options)


def load(folder: Path, seed: int, options: Options = DEFAULTS) -> Dataset:
    """List the images; none is read yet. ``seed`` has no part in the split. Raises ``BadData``."""
    import numpy as np

    workshop = Workshop(options)
    if has_shards(folder):
        files, train, test, classes = _load_shards(folder, options)
    else:
        tree = read_tree(folder)
        files, classes = FolderFiles(tree), len(tree.classes)
        train = np.arange(len(tree.train))
        test = len(train) + np.arange(len(tree.test))
    splits = (ImageSplit(files=files, members=m, workshop=workshop) for m in (train, test))
    return Dataset(train=next(splits), test=next(splits), scale=SCALE, classes=classes)


def _load_shards(
    folder: Path, options: Options
) -> tuple[Files, NDArray[np.int64], NDArray[np.int64], int]:
    import numpy as np

    shards = Shards(folder)
    counts = shards.counts(options.tell)
    labels = find_labels(shards, counts)
    files = RecordFiles(shards, counts, labels)
    everything = np.arange(sum(counts))
    train = everything[: sum(counts[: len(shards.train)])]
    test = everything[len(train) :]
    if not len(test):
        held = train % HELD_OUT == HELD_OUT - 1 if len(train) >= HELD_OUT else train == train[-1]
        train, test = train[~held], train[held]
    if not len(train):
        raise BadData(f"{folder} holds too few images to keep some for a test")
    return files, train, test, labels.classes
