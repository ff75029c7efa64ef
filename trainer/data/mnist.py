"""MNIST and whatever has its form: four IDX files, gzipped or not, ten classes."""

from __future__ import annotations

from pathlib import Path

from trainer.data.idx import IMAGES, LABELS, Idx, read_idx
from trainer.data.kinds import DEFAULTS, Dataset, Options, Split, Summary
from trainer.failures import BadData

CLASSES = 10
FILES = {
    "train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    "test": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
}


def check(folder: Path, options: Options = DEFAULTS) -> Summary:
    """Read all four files and say what they hold. Raises ``BadData``."""
    train, test = _read(folder)
    _, height, width = train[0].dims
    shape = (height, width, 1)
    return Summary(train=train[0].dims[0], test=test[0].dims[0], shape=shape, classes=CLASSES)


def load(folder: Path, seed: int, options: Options = DEFAULTS) -> Dataset:
    """The files' own split; ``seed`` has no part in it. Raises ``BadData``."""
    train, test = _read(folder)
    return Dataset(train=_split(*train), test=_split(*test), scale=1 / 255, classes=CLASSES)


def _read(folder: Path) -> tuple[tuple[Idx, Idx], tuple[Idx, Idx]]:
    train, test = (_read_pair(folder, *FILES[name]) for name in ("train", "test"))
    if train[0].dims[1:] != test[0].dims[1:]:
        sizes = " and ".join("x".join(map(str, pair[0].dims[1:])) for pair in (train, test))
        raise BadData(f"{folder}: training and test images differ in size: {sizes}")
    return train, test


def _read_pair(folder: Path, images_name: str, labels_name: str) -> tuple[Idx, Idx]:
    images_path, labels_path = _find(folder, images_name), _find(folder, labels_name)
    images, labels = read_idx(images_path, IMAGES), read_idx(labels_path, LABELS)
    if images.dims[0] != labels.dims[0]:
        raise BadData(
            f"{labels_path} has {labels.dims[0]} labels for the {images.dims[0]} images of "
            f"{images_path.name}; get both files from the same place"
        )
    if max(labels.data) >= CLASSES:
        raise BadData(
            f"{labels_path} has a label {max(labels.data)}; labels go from 0 to {CLASSES - 1}"
        )
    return images, labels


def _find(folder: Path, name: str) -> Path:
    """The file under one of the names it is known by, e.g. with a dot as Kaggle has it."""
    dotted = name.replace("-idx", ".idx")
    for candidate in (f"{name}.gz", name, f"{dotted}.gz", dotted):
        path = folder / candidate
        if path.exists():
            return path
    raise BadData(f"{folder / name}.gz is missing; put it there or set dataset.path")


def _split(images: Idx, labels: Idx) -> Split:
    import numpy as np

    pixels = np.frombuffer(images.data, np.uint8).reshape(*images.dims, 1)
    return Split(images=pixels, labels=np.frombuffer(labels.data, np.uint8).astype(np.int32))
