"""Image files in ``train/<class>/`` and, perhaps, ``val/<class>/``, as ImageNet is unpacked."""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from trainer.data.images import Encoded, Unusable
from trainer.data.names import shown
from trainer.data.order import every_nth
from trainer.failures import BadData

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ENDINGS = (".jpeg", ".jpg", ".jpe", ".png", ".gif", ".bmp", ".webp")
VALIDATION = ("val", "validation")
HELD_OUT = 20
"""Without a folder for validation, one in so many images is kept for it."""
_IGNORED = frozenset({"thumbs.db", "desktop.ini"})


@dataclass(frozen=True, slots=True)
class Tree:
    """What lies in a folder; files are (class number, path from ``folder`` on), sorted.

    ``classes`` are the class folders' names, sorted: their places are the labels. ``held_out``:
    ``test`` was taken out of the training images. ``ignored``: files that are no images by name;
    ``deeper``: folders within class folders, which are not looked into.
    """

    folder: Path
    classes: tuple[str, ...]
    train: list[tuple[int, str]]
    test: list[tuple[int, str]]
    held_out: bool
    ignored: list[str] = field(default_factory=list)
    deeper: list[str] = field(default_factory=list)


def read_tree(folder: Path) -> Tree:
    """List the images. Raises ``BadData`` when they do not lie as they should."""
    top = folder / "train"
    if not top.is_dir():
        raise BadData(_what_it_is(folder))
    classes = tuple(sorted(_names(top, folders=True)))
    ignored: list[str] = []
    deeper: list[str] = []
    train = _images(folder, "train", classes, ignored, deeper)
    if not train:
        raise BadData(_no_images(top, deeper))
    name = next((n for n in VALIDATION if (folder / n).is_dir()), None)
    if name is None:
        if len(train) < 2:
            raise BadData(
                f"{shown(top)} holds one image; there must be one to train on and one to test"
            )
        train, test = _hold_out(train)
        return Tree(folder, classes, train, test, True, ignored, deeper)
    _check_validation(folder / name, classes)
    test = _images(folder, name, classes, ignored, deeper)
    return Tree(folder, classes, train, test, False, ignored, deeper)


class FolderFiles:
    """The training images, then the test images, of a tree."""

    def __init__(self, tree: Tree) -> None:
        self._folder = tree.folder
        self._files = tree.train + tree.test

    def read(self, number: int) -> Encoded:
        label, path = self._files[number]
        try:
            with open(os.path.join(self._folder, path), "rb") as file:
                return Encoded(file.read(), label)
        except OSError as error:
            raise Unusable(error.strerror or str(error)) from None

    def name(self, number: int) -> str:
        return shown(os.path.join(self._folder, self._files[number][1]))

    def order(
        self, members: NDArray[np.int64], *, seed: int, epoch: int, index: int, workers: int
    ) -> NDArray[np.int64]:
        chosen = every_nth(len(members), seed=seed, epoch=epoch, index=index, workers=workers)
        return members[chosen]


def _names(folder: Path, *, folders: bool) -> list[str]:
    """The entries that are folders, or that are not; hidden ones are left out."""
    try:
        with os.scandir(folder) as entries:
            return [e.name for e in entries if e.name[0] != "." and _is_folder(e) == folders]
    except OSError as error:
        raise BadData(f"{shown(folder)} cannot be read: {error.strerror or error}") from None


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a link that leads to itself: no more than a file that cannot be read


def _images(
    folder: Path, top: str, classes: tuple[str, ...], ignored: list[str], deeper: list[str]
) -> list[tuple[int, str]]:
    found = []
    for label, name in enumerate(classes):
        if not (folder / top / name).is_dir():
            continue
        for file in sorted(_names(folder / top / name, folders=False)):
            path = os.path.join(top, name, file)
            if file.lower().endswith(ENDINGS):
                found.append((label, path))
            elif file.lower() not in _IGNORED:
                ignored.append(path)
        for inner in _names(folder / top / name, folders=True):
            deeper.append(os.path.join(top, name, inner))
    return found


def _hold_out(
    files: list[tuple[int, str]],
) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Every run holds out the same images, whatever its seed: their names decide."""
    ranked = sorted(files, key=lambda file: (zlib.crc32(os.fsencode(file[1])), file[1]))
    held = set(ranked[: max(1, len(files) // HELD_OUT)])
    return [f for f in files if f not in held], [f for f in files if f in held]


def _check_validation(folder: Path, classes: tuple[str, ...]) -> None:
    names = _names(folder, folders=True)
    strange = sorted(set(names) - set(classes))
    if strange:
        raise BadData(
            f"{shown(folder / strange[0])} is no class of train/; make both folders hold the same "
            "classes"
        )
    if not names:
        what = "holds images without class folders" if _names(folder, folders=False) else "is empty"
        raise BadData(
            f"{shown(folder)} {what}, so that nobody knows what they show; sort them into "
            f"{folder.name}/<class>/, or move the folder away to hold out a part of train/"
        )


def _no_images(top: Path, deeper: list[str]) -> str:
    packed = [name for name in _names(top, folders=False) if name.endswith((".tar", ".zip"))]
    if packed:
        return f"{shown(top / packed[0])} is packed; unpack each archive into a folder of its class"
    if deeper:
        return (
            f"{shown(top.parent / deeper[0])} is a folder, and images belong into train/<class>/ "
            "itself; move them up, or give the folder whose train/ holds the class folders"
        )
    return (
        f"{shown(top)} holds no images; they belong into train/<class>/, one folder for each class"
    )


def _what_it_is(folder: Path) -> str:
    names = _names(folder, folders=True)
    archives = [n for n in _names(folder, folders=False) if n.endswith((".tar", ".tar.gz", ".zip"))]
    if archives:
        text = "is an archive; unpack it so that there is train/<class>/"
        return f"{shown(folder / archives[0])} {text}"
    if len(names) > 1:
        return (
            f"{shown(folder)} has no train/: if it holds the class folders itself, rename it to "
            "train and give the folder above"
        )
    return f"{shown(folder)} holds neither train/<class>/ nor shards named train-00000-of-00008"
