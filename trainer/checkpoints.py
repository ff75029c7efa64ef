"""Checkpoints: one file of arrays and one manifest each, published whole or not at all.

A checkpoint holds the variables one by one, not packed, so that a run may go on with another
number of ps. ``step-<n>.npz`` is published first, ``step-<n>.json`` last: what has no manifest
does not exist.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from trainer.failures import BadSpec
from trainer.text import one_line

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT = 1
MOST_STEPS = 10**12
KEEP = 3
"""How many are kept where nothing else is said."""
PARAMETERS = "parameters"
"""The arrays of a model's trainable variables."""
MODEL_STATE = "model_state"
"""The arrays of what a model keeps besides its trainable variables, such as batch-norm averages."""


@dataclass(frozen=True, slots=True)
class State:
    """All that a run needs to go on: per array name one array per variable, and the step.

    Under ``MODEL_STATE`` there is one array for each of the model's other variables.
    """

    step: int
    arrays: dict[str, list[NDArray[np.float32]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Description:
    """What a checkpoint must have in common with the run that restores it."""

    model: str
    input_shape: tuple[int, ...]
    classes: int
    optimizer: str
    variables: tuple[tuple[str, tuple[int, ...]], ...]
    state: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """Names and shapes of the variables of ``MODEL_STATE``."""

    def of(self, array: str) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Names and shapes of what is kept under the name ``array``."""
        return self.state if array == MODEL_STATE else self.variables

    def as_json(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "input_shape": list(self.input_shape),
            "classes": self.classes,
            "optimizer": self.optimizer,
            "variables": [[name, list(shape)] for name, shape in self.variables],
            "state": [[name, list(shape)] for name, shape in self.state],
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Saved:
    """A checkpoint that was found or written."""

    step: int
    path: Path
    bytes: int
    manifest: dict[str, Any]


class CheckpointStore:
    """The checkpoints of one run in one folder. Only the chief writes there.

    ``keep``: how many stay, the newest. ``tensorflow``: the version that would restore one; a
    checkpoint of another major or minor version is refused. Empty: any will do.
    """

    def __init__(
        self,
        folder: Path,
        run_id: str,
        description: Description,
        *,
        keep: int = KEEP,
        tensorflow: str = "",
    ) -> None:
        self.folder = folder
        self._run_id = run_id
        self._description = description
        self._keep = keep
        self._tensorflow = tensorflow
        self.passed_over: dict[str, str] = {}
        """Checkpoints that cannot be used, by file name, and why."""

    def check(self) -> None:
        """Raise :class:`BadSpec`, in one sentence, when the newest checkpoint does not fit."""
        for saved in self._found():
            difference = _difference(saved.manifest.get("description"), self._description)
            difference = difference or self._other_tensorflow(saved)
            if difference:
                owner = saved.manifest.get("run_id")
                raise BadSpec(
                    f"{self.folder} holds a checkpoint of run {owner} at step {saved.step} that "
                    f"does not fit this run: {difference}; choose what it has or another folder"
                )
            return

    def newest(self) -> Saved | None:
        """The newest complete checkpoint, unread."""
        return next(self._found(), None)

    def load(self) -> tuple[Saved, State] | None:
        """The newest checkpoint that can be read, or None. Damaged ones are passed over."""
        for saved in self._found():
            try:
                return saved, _read(saved, self._description)
            except ValueError as why:
                self.passed_over[saved.path.name] = one_line(str(why), 300)
        return None

    def save(self, state: State, *, layout: list[list[str]], tensorflow: str) -> Saved:
        """Write a checkpoint and remove the oldest ones. Raises ``OSError``: no space, ..."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"step-{state.step:012d}.npz"
        named: dict[str, Any] = {
            f"{name}/{i}": array
            for name, arrays in state.arrays.items()
            for i, array in enumerate(arrays)
        }
        size = _publish(path, lambda file: np.savez(file, **named))
        manifest = {
            "format": FORMAT,
            "run_id": self._run_id,
            "step": state.step,
            "bytes": size,
            "description": self._description.as_json(),
            "arrays": list(state.arrays),
            "layout": layout,
            "tensorflow": tensorflow,
            "saved_at": time.time(),
        }
        text = json.dumps(manifest, indent=1).encode("ascii")
        _publish(path.with_suffix(".json"), lambda file: file.write(text))
        self._prune()
        return Saved(step=state.step, path=path, bytes=size, manifest=manifest)

    def _found(self) -> Iterator[Saved]:
        """Complete checkpoints, the newest first."""
        for manifest_path in sorted(self.folder.glob("step-*.json"), reverse=True):
            try:
                found = _look_at(manifest_path)
            except OSError as error:
                why = f"{error.strerror or error}"
            except (ValueError, RecursionError) as error:
                why = str(error)
            else:
                yield found
                continue
            self.passed_over[manifest_path.with_suffix(".npz").name] = one_line(why, 300)

    def _other_tensorflow(self, saved: Saved) -> str:
        theirs = str(saved.manifest.get("tensorflow") or "")
        if not theirs or not self._tensorflow or _minor(theirs) == _minor(self._tensorflow):
            return ""
        return f"TensorFlow is {theirs} there and {self._tensorflow} here"

    def _prune(self) -> None:
        """Remove the oldest, and what a writer that was killed has left: only one ever writes."""
        for manifest in sorted(self.folder.glob("step-*.json"))[: -self._keep]:
            manifest.unlink(missing_ok=True)
        for arrays in self.folder.glob("step-*.npz"):
            if not arrays.with_suffix(".json").exists():
                arrays.unlink(missing_ok=True)
        for part in self.folder.glob(".step-*.part"):
            part.unlink(missing_ok=True)


def _minor(version: str) -> list[str]:
    return version.split(".")[:2]


def _publish(path: Path, write: Any) -> int:
    """Write, fsync, rename, fsync the folder. Returns the size in bytes."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return size


def _look_at(path: Path) -> Saved:
    """The checkpoint of a manifest, unread. Raises ``OSError``, ``ValueError``: why not."""
    manifest = json.loads(path.read_bytes())
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ValueError("its manifest is not one of this version")
    step, size, arrays = (manifest.get(key) for key in ("step", "bytes", "arrays"))
    if type(step) is not int or not 0 <= step <= MOST_STEPS:
        raise ValueError("its manifest has no step")
    if not isinstance(arrays, list) or not all(isinstance(name, str) for name in arrays):
        raise ValueError("its manifest does not list its arrays")
    file = path.with_suffix(".npz")
    found = file.stat().st_size
    if not file.is_file() or size != found:
        raise ValueError(f"it has {found} bytes, and its manifest says {size}")
    return Saved(step=step, path=file, bytes=found, manifest=manifest)


def _read(saved: Saved, description: Description) -> State:
    """Raises ``ValueError``: why it cannot be used."""
    wanted = {PARAMETERS, MODEL_STATE} if description.state else {PARAMETERS}
    if missing := wanted - set(saved.manifest["arrays"]):
        raise ValueError(f"it lacks the {min(missing)}")
    arrays: dict[str, list[NDArray[np.float32]]] = {}
    try:
        with saved.path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            for name in saved.manifest["arrays"]:
                arrays[name] = [file[f"{name}/{i}"] for i in range(len(description.of(name)))]
    except Exception as error:  # whatever damaged bytes make zipfile, zlib and NumPy raise
        text = " ".join(str(error).split())[:200] or type(error).__name__
        raise ValueError(f"its arrays cannot be read: {text}") from None
    for name, values in arrays.items():
        for value, (variable, shape) in zip(values, description.of(name), strict=True):
            if value.shape != shape or value.dtype != np.float32:
                found = f"{value.dtype} {_words(list(value.shape))}"
                raise ValueError(f"{variable} is {found} in it, not float32 {_words(list(shape))}")
    return State(step=saved.step, arrays=arrays)


def _difference(found: Any, wanted: Description) -> str:
    """The first difference in words; empty when there is none."""
    here = wanted.as_json()
    if not isinstance(found, dict):
        return "its manifest does not describe it"
    for key in ("model", "input_shape", "classes", "optimizer"):
        if found.get(key) != here[key]:
            what = key.replace("_", " ")
            return f"{what} is {_words(found.get(key))} there and {_words(here[key])} here"
    for key in ("variables", "state"):
        difference = _first_difference(found.get(key, []), here[key])
        if difference:
            return difference
    return ""


def _first_difference(theirs: Any, ours: list[Any]) -> str:
    """The first variable that differs in shape, or that one of the two does not have."""
    if not isinstance(theirs, list) or not all(isinstance(v, list) and len(v) == 2 for v in theirs):
        return "its manifest does not list its variables"
    if len(theirs) != len(ours):
        return f"it has {len(theirs)} variables there and {len(ours)} here"
    for (_, their_shape), (name, shape) in zip(theirs, ours, strict=True):
        if their_shape != shape:
            return f"{name} is {_words(their_shape)} there and {_words(shape)} here"
    return ""


def _words(value: Any) -> str:
    """A value, or a shape as 512x10."""
    return "x".join(map(str, value)) if isinstance(value, list) else str(value)
