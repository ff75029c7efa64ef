"""Data sets: checked with the standard library, loaded with NumPy.

Each kind is a module with ``check(folder, options) -> Summary``, which reads the files without
NumPy, and ``load(folder, seed, options) -> Dataset``. Both raise
:class:`~trainer.failures.BadData` with one sentence that names the file and what to do.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, cast

from trainer.data import own
from trainer.data.kinds import DEFAULTS, Dataset, Options, Summary
from trainer.failures import BadData
from trainer.spec import DATASETS, DATASETS_WITHOUT_FILES, DatasetSpec, is_own

__all__ = ["Dataset", "Options", "Summary", "check", "load", "options_of"]


class _Kind(Protocol):
    def check(self, folder: Path, options: Options) -> Summary: ...

    def load(self, folder: Path, seed: int, options: Options) -> Dataset: ...


def check(name: str, data_dir: str | None, options: Options = DEFAULTS) -> Summary:
    """Read the files of data set ``name`` and say what they hold. Raises ``BadData``."""
    if is_own(name):
        return own.check(name, _own_folder(data_dir), options.code_dir)
    return _kind(name).check(_folder(name, data_dir), options)


def load(name: str, data_dir: str | None, seed: int, options: Options = DEFAULTS) -> Dataset:
    """The data set: in memory, or listed and decoded as it is needed. Raises ``BadData``."""
    if is_own(name):
        return own.load(name, _own_folder(data_dir), options.code_dir, seed)
    return _kind(name).load(_folder(name, data_dir), seed, options)


def options_of(
    spec: DatasetSpec,
    *,
    tell: Callable[[str], None] = DEFAULTS.tell,
    threads: int | None = None,
    code_dir: str | None = None,
) -> Options:
    """What ``spec`` says about how the data set is wanted."""
    return Options(
        image_size=spec.image_size,
        max_bad_files=spec.max_bad_files,
        truncated=spec.truncated,
        color_distortion=spec.color_distortion,
        threads=threads,
        tell=tell,
        code_dir=code_dir,
    )


def _kind(name: str) -> _Kind:
    if name not in DATASETS:
        raise BadData(f"{name!r} is no data set; choose one of {', '.join(DATASETS)}")
    return cast(_Kind, importlib.import_module(f"trainer.data.{name}"))


def _own_folder(data_dir: str | None) -> Path | None:
    return Path(data_dir) if data_dir else None


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
