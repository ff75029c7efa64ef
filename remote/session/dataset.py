"""The data set before the launch: is it there, is it of the right kind."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import trainer.spec
from remote.errors import Cancelled, DataError
from trainer.spec import DatasetSpec, TrainingSpec, is_own

_TICK_S = 0.1
_LIMIT_S = 600.0
_REMEDY = "Correct training.dataset in the profile."


def needs_files(training: TrainingSpec) -> bool:
    """Whether the nodes need a folder of data; a command of the user's gets one if it is named."""
    return bool(training.dataset.path) if training.command else training.dataset.needs_files


def can_be_checked(training: TrainingSpec) -> bool:
    """Whether the files are of a kind that is known here."""
    return not training.command and not is_own(training.dataset.name)


def local_folder(dataset: DatasetSpec) -> Path:
    """The folder on this computer. Raises DataError when there is none."""
    folder = Path(dataset.path or "").expanduser()
    if not folder.is_dir():
        what = "is a file, not a folder" if folder.exists() else "there is no such folder here"
        raise DataError(f"data set {dataset.name}: {folder}: {what}", remedy=_REMEDY)
    return folder


def check_local(dataset: DatasetSpec, cancelled: Callable[[], bool]) -> list[str]:
    """Read the files through, in a process of its own, as the trainer would.

    Returns what is worth saying about a data set that can be used.

    Raises:
        DataError: they are damaged or of another kind; the sentence names the file.
        Cancelled: the user stopped it.
    """
    folder = local_folder(dataset)
    command = [sys.executable, "-m", "trainer.check_data", dataset.name, str(folder)]
    command += _choices(dataset)
    home = str(Path(trainer.spec.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": home, "PYTHONSAFEPATH": "1"}
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is this process's business
    ) as process:
        output = _output(process, cancelled)
    try:
        answer = json.loads(output)
        problem = None if answer["ok"] else str(answer["error"])
        notes = [f"data set {dataset.name}: {note}" for note in answer.get("notes", ())]
    except (ValueError, KeyError, TypeError):
        problem = f"the check of {folder} broke off (exit status {process.returncode})"
    if problem is not None:
        raise DataError(f"data set {dataset.name}: {problem}", remedy=_REMEDY)
    return notes


def _choices(dataset: DatasetSpec) -> list[str]:
    """``KEY=VALUE`` for each choice of this kind of data set that was made."""
    values = {f.name: (getattr(dataset, f.name), f.default) for f in dataclasses.fields(dataset)}
    return [
        f"{name}={value}"
        for name, (value, default) in values.items()
        if name not in ("name", "path", "on") and value != default
    ]


def _output(process: subprocess.Popen[bytes], cancelled: Callable[[], bool]) -> bytes:
    waited = 0.0
    while True:
        try:
            return process.communicate(timeout=_TICK_S)[0]
        except subprocess.TimeoutExpired:
            waited += _TICK_S
        if cancelled() or waited > _LIMIT_S:
            process.kill()
            process.communicate()
            if cancelled():
                raise Cancelled("the check of the data set was stopped")
            raise DataError(f"reading the data set took over {_LIMIT_S:.0f} s", remedy=_REMEDY)
