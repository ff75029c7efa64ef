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
from remote.hashing import Hashing, TreeFile
from remote.ignoring import CLEW, GIT, Ignored

MAX_FILES = 200_000


class TreeId(NamedTuple):
    """Names a tree: where it goes (``app`` or ``data``), a readable name, its content's hash."""

    kind: Literal["app", "data"]
    name: str
    digest: str


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
    files = [("remote/__init__.py", Path(remote.node.__path__[0]).parent / "__init__.py")]
    for package, name in ((remote.node, "remote/node"), (trainer, "trainer")):
        folder = Path(package.__path__[0])
        for source in folder.rglob("*.py"):
            files.append((f"{name}/{source.relative_to(folder).as_posix()}", source))
    return _tree("app", "app", Hashing().all(files))


def code_tree(path: str | os.PathLike[str], hashing: Hashing | None = None) -> Tree:
    """A folder with modules of the user's own.

    What is hidden, caches, and what ``.gitignore`` and ``.clewignore`` leave out stay here.

    Raises:
        DataError: the folder is missing, empty, too large or not readable.
    """
    root = Path(path).expanduser()
    if root.exists() and not root.is_dir():
        remedy = "Set training.code to the folder that it is in."
        raise DataError(f"{root} is a file, not a folder", remedy=remedy)
    ignored = Ignored(root, (GIT, CLEW))
    return _folder_tree(
        root, "code", "code", lambda path: _is_code(path) and path not in ignored, hashing
    )


def _is_code(relative: str) -> bool:
    parts = relative.split("/")
    return not any(part.startswith(".") or part == "__pycache__" for part in parts)


def folder_tree(path: str | os.PathLike[str], name: str, hashing: Hashing | None = None) -> Tree:
    """A data set: all files below a folder, or a single file.

    Links are followed, cycles are not; what ``.clewignore`` leaves out stays here.

    Raises:
        DataError: the folder is missing, empty, too large or not readable.
    """
    root = Path(path).expanduser()
    ignored = Ignored(root, (CLEW,))
    return _folder_tree(
        root, name, "dataset.path", lambda path: path != CLEW and path not in ignored, hashing
    )


def folder_bytes(path: str | os.PathLike[str]) -> int:
    """How much :func:`folder_tree` would hold, without reading any of it. Raises OSError."""
    root = Path(path)
    ignored = Ignored(root, (CLEW,))
    found = _walk(root, lambda path: path != CLEW and path not in ignored)
    return sum(source.stat().st_size for _, source in found)


def _folder_tree(
    root: Path, name: str, key: str, wanted: Callable[[str], bool], hashing: Hashing | None
) -> Tree:
    """``key``: which part of the training names it. ``wanted``: of paths, folders' with ``/``."""
    remedy = f"Correct training.{key} in the profile."
    try:
        if root.is_file():
            found = [(root.name, root)]
        elif root.is_dir():
            found = list(_walk(root, wanted))
        else:
            raise DataError(f"there is no folder {root} on this computer", remedy=remedy)
        files = (hashing or Hashing()).all(found)
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
        folders[:] = sorted(name for name in folders if wanted(f"{(inside / name).as_posix()}/"))
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


def _tree(kind: Literal["app", "data"], name: str, files: list[TreeFile]) -> Tree:
    ordered = tuple(sorted(files, key=lambda file: os.fsencode(file.path)))
    listed = [[file.path, file.size, file.sha256] for file in ordered]
    digest = hashlib.sha256(json.dumps(listed).encode("ascii")).hexdigest()
    return Tree(TreeId(kind, name, digest), ordered)
