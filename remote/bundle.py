"""Trees of files that are sent to nodes, named by their content.

A tree's id is the SHA-256 over the sorted list of its paths, sizes and contents' SHA-256, so
equal content has one place on a node, whoever sends it and however often.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import remote.node
import trainer
from remote.errors import DataError

_BLOCK_BYTES = 1 << 20
MAX_FILES = 200_000


class TreeId(NamedTuple):
    """Names a tree: where it goes (``app`` or ``data``), a readable name, its content's hash."""

    kind: Literal["app", "data"]
    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class TreeFile:
    """One file: ``path`` in the tree with ``/``; its bytes are read from ``source``."""

    path: str
    source: Path
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Tree:
    """A content-addressed list of files, in path order."""

    id: TreeId
    files: tuple[TreeFile, ...]

    @property
    def total_bytes(self) -> int:
        return sum(file.size for file in self.files)


def app_tree() -> Tree:
    """The trainer and the node half, as they are deployed on nodes."""
    files = [_file("remote/__init__.py", Path(remote.node.__path__[0]).parent / "__init__.py")]
    for package, name in ((remote.node, "remote/node"), (trainer, "trainer")):
        folder = Path(package.__path__[0])
        for source in folder.rglob("*.py"):
            files.append(_file(f"{name}/{source.relative_to(folder).as_posix()}", source))
    return _tree("app", "app", files)


def code_tree(path: str | os.PathLike[str]) -> Tree:
    """A folder with modules of the user's own: without what is hidden, and without caches.

    Raises:
        DataError: the folder is missing, empty, too large or not readable.
    """
    root = Path(path).expanduser()
    if root.exists() and not root.is_dir():
        remedy = "Set training.code to the folder that it is in."
        raise DataError(f"{root} is a file, not a folder", remedy=remedy)
    return folder_tree(root, "code", key="code", wanted=_is_code)


def _is_code(relative: str) -> bool:
    parts = relative.split("/")
    return not any(part.startswith(".") or part == "__pycache__" for part in parts)


def folder_tree(
    path: str | os.PathLike[str],
    name: str,
    *,
    key: str = "dataset.path",
    wanted: Callable[[str], bool] = lambda relative: True,
) -> Tree:
    """All files below a folder, or a single file; links are followed, cycles are not.

    ``key``: which part of the training names it. ``wanted`` is asked about each path in it.

    Raises:
        DataError: the folder is missing, empty, too large or not readable.
    """
    root = Path(path).expanduser()
    remedy = f"Correct training.{key} in the profile."
    try:
        if root.is_file():
            files = [_file(root.name, root)]
        elif root.is_dir():
            files = [_file(*found) for found in _walk(root, wanted)]
        else:
            raise DataError(f"there is no folder {root} on this computer", remedy=remedy)
    except OSError as error:
        what = f"{error.filename or root} cannot be read: {error.strerror or error}"
        raise DataError(what, remedy="Look at that file, and try again.") from None
    if not files:
        raise DataError(f"the folder {root} holds no files", remedy=remedy)
    return _tree("data", name, files)


def _walk(root: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, Path]]:
    count, seen = 0, set[tuple[int, int]]()
    for folder, folders, names in os.walk(root, followlinks=True, onerror=_raise):
        found = os.stat(folder)
        if (found.st_dev, found.st_ino) in seen:
            folders.clear()
            continue
        seen.add((found.st_dev, found.st_ino))
        inside = Path(folder).relative_to(root)
        folders[:] = sorted(name for name in folders if wanted((inside / name).as_posix()))
        for name in sorted(names):
            source = Path(folder, name)
            relative = (inside / name).as_posix()
            if not wanted(relative) or not source.is_file():  # a socket, a pipe, a dangling link
                continue
            count += 1
            if count > MAX_FILES:
                what = f"{root} holds more than {MAX_FILES} files"
                remedy = "Put the data on the nodes, and set training.dataset.on to node."
                raise DataError(what, remedy=remedy)
            yield relative, source


def _raise(error: OSError) -> None:
    raise error


def _file(path: str, source: Path) -> TreeFile:
    digest, size = hashlib.sha256(), 0
    with source.open("rb") as stream:
        while block := stream.read(_BLOCK_BYTES):
            digest.update(block)
            size += len(block)
    return TreeFile(path, source, size, digest.hexdigest())


def _tree(kind: Literal["app", "data"], name: str, files: list[TreeFile]) -> Tree:
    ordered = tuple(sorted(files, key=lambda file: os.fsencode(file.path)))
    listed = [[file.path, file.size, file.sha256] for file in ordered]
    digest = hashlib.sha256(json.dumps(listed).encode("ascii")).hexdigest()
    return Tree(TreeId(kind, name, digest), ordered)
