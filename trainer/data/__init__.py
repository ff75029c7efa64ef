"""Data sets: checked with the standard library, loaded with NumPy.

Each kind is a module with ``check(folder) -> Summary``, which reads the files without NumPy, and
``load(folder, seed) -> Dataset``. Both raise :class:`~trainer.failures.BadData` with one sentence
that names the file and what to do.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Protocol, cast

from trainer.data.kinds import Dataset, Summary
from trainer.failures import BadData
from trainer.spec import DATASETS, DATASETS_WITHOUT_FILES

__all__ = ["Dataset", "Summary", "check", "load"]


class _Kind(Protocol):
    def check(self, folder: Path) -> Summary: ...

    def load(self, folder: Path, seed: int) -> Dataset: ...


def check(name: str, data_dir: str | None) -> Summary:
    """Read the files of data set ``name`` and say what they hold. Raises ``BadData``."""
    return _kind(name).check(_folder(name, data_dir))


def load(name: str, data_dir: str | None, seed: int) -> Dataset:
    """Read the data set into memory. Raises ``BadData``."""
    return _kind(name).load(_folder(name, data_dir), seed)


def _kind(name: str) -> _Kind:
    if name not in DATASETS:
        raise BadData(f"{name!r} is no data set; choose one of {', '.join(DATASETS)}")
    return cast(_Kind, importlib.import_module(f"trainer.data.{name}"))


def _folder(name: str, data_dir: str | None) -> Path:
    if name in DATASETS_WITHOUT_FILES:
        return Path()
    if not data_dir:
        raise BadData(f"{name} needs the folder that holds its files; set dataset.path")
    folder = Path(data_dir)
    if not folder.is_dir():
        state = "is not a folder" if folder.exists() else "does not exist"
        raise BadData(f"{folder}: the data folder {state}; set dataset.path to {name}'s folder")
    return folder
