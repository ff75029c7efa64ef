"""Trainings to begin with: a few that Clew brings, and the user's own in the data folder. No Qt."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gui.kept_files import data_folder, read_kept, write_kept
from gui.language import tr
from remote.errors import ClewError

Data = dict[str, Any]
FILE = "presets.json"
MOST = 200
LONGEST_NAME = 80


@dataclass(frozen=True)
class Preset:
    """A name, what it is good for, and a training as the profile's file has it."""

    name: str
    about: str
    training: Data
    own: bool = False
    """Whether the user has saved it."""


BUILT_IN = (
    Preset(
        tr("First try, no data needed"),
        tr("A small network on made-up images, 200 steps: shows that all of it works"),
        {"model": "mnist_cnn", "dataset": {"name": "synthetic"}, "steps": 200},
    ),
    Preset(
        tr("MNIST quickstart"),
        tr("A small network, one worker on each GPU, two epochs; give the folder of MNIST"),
        {"model": "mnist_cnn", "dataset": {"name": "mnist"}, "epochs": 2, "batch_size": 64},
    ),
    Preset(
        tr("Synchronous workers"),
        tr("All workers take each step together, with a step size for all of them"),
        {
            "model": "mnist_cnn",
            "dataset": {"name": "mnist"},
            "update": "sync",
            "epochs": 2,
            "optimizer": {"scale_with_workers": "linear"},
        },
    ),
    Preset(
        tr("Baseline: one process"),
        tr("The same model without ps or network: what speedups are measured against"),
        {
            "model": "mnist_cnn",
            "dataset": {"name": "mnist"},
            "baseline": "single",
            "epochs": 2,
        },
    ),
    Preset(
        tr("ResNet-50 on ImageNet"),
        tr("Needs the data on the nodes: give its folder. Mixed precision, 90 epochs"),
        {
            "model": "resnet50",
            "dataset": {"name": "imagenet", "on": "node"},
            "batch_size": 256,
            "epochs": 90,
            "update": "sync",
            "ps": 2,
            "mixed_precision": True,
            "optimizer": {
                "learning_rate": 0.1,
                "schedule": "cosine",
                "warmup_steps": 2500,
                "weight_decay": 5e-5,
                "scale_with_workers": "linear",
            },
        },
    ),
)


class OwnPresets:
    """The user's presets, by name. Read at each use: another window may have changed them.

    Raises ClewError where the file cannot be read or written.
    """

    def __init__(self, folder: Callable[[], Path] = data_folder) -> None:
        self._folder = folder

    def all(self) -> list[Preset]:
        """Those that were saved, by name."""
        return sorted(self._read().values(), key=lambda preset: preset.name.casefold())

    def save(self, name: str, training: Data) -> Preset | None:
        """Keep ``training`` as ``name``; returns the one of that name that it replaces."""
        name = checked_name(name)
        found = self._read()
        before = found.get(name)
        if before is None and len(found) >= MOST:
            raise ClewError(
                tr("there are {MOST} presets", MOST=MOST), remedy=tr("Delete some first.")
            )
        found[name] = Preset(name, "", copy.deepcopy(training), own=True)
        self._write(found)
        return before

    def delete(self, name: str) -> Preset | None:
        """Forget ``name``; returns what it was, to :meth:`save` it again."""
        found = self._read()
        gone = found.pop(name, None)
        if gone is not None:
            self._write(found)
        return gone

    @property
    def _path(self) -> Path:
        return self._folder() / FILE

    def _read(self) -> dict[str, Preset]:
        kept = read_kept(self._path)
        entries = kept.get("presets") if isinstance(kept, dict) else None
        if kept is not None and not isinstance(entries, dict):
            raise ClewError(tr("{path} is damaged", path=self._path), remedy=tr("Move it away."))
        return {
            str(name): Preset(str(name), "", training, own=True)
            for name, training in (entries or {}).items()
            if isinstance(training, dict)
        }

    def _write(self, presets: dict[str, Preset]) -> None:
        entries = {name: preset.training for name, preset in sorted(presets.items())}
        write_kept(self._path, {"v": 1, "presets": entries})


def checked_name(text: str) -> str:
    """A name that can be told from the others, on one line. Raises ClewError."""
    name = " ".join(text.split())
    if not name:
        raise ClewError(tr("a preset needs a name"))
    if len(name) > LONGEST_NAME:
        raise ClewError(
            tr("a preset's name has at most {LONGEST_NAME} characters", LONGEST_NAME=LONGEST_NAME)
        )
    if name.casefold() in {preset.name.casefold() for preset in BUILT_IN}:
        raise ClewError(
            tr("{name} is one of Clew's own presets", name=name), remedy=tr("Take another name.")
        )
    return name


def applied(preset: Preset, training: Data) -> Data:
    """The training that choosing ``preset`` makes.

    A preset says everything but where data and code are: a folder that ``training`` names for the
    same data set stays.
    """
    found = copy.deepcopy(preset.training)
    before = training.get("dataset")
    after = found.get("dataset")
    if not isinstance(before, dict) or not isinstance(after, dict) or not needs_folder(found):
        return found
    if before.get("path") and before.get("name") == after.get("name"):
        after.update({key: before[key] for key in ("path", "on") if before.get(key)})
    return found


def needs_folder(training: Data) -> bool:
    """Whether somebody has to say where the data are."""
    dataset = training.get("dataset")
    if not isinstance(dataset, dict):
        return False
    return dataset.get("name") in ("mnist", "cifar10", "imagenet") and not dataset.get("path")
