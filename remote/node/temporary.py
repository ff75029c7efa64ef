"""Temporary files of a run: what a process that was killed could not remove itself."""

import os
import re
import stat
from typing import Iterable, List

from remote.node import layout

_OF_TASK = re.compile(r".+\.[0-9a-f]{12}\.tmp|state\.json\.spare|reports\.pipe")
_OF_CHECKPOINTS = re.compile(r"\.step-.*\.part|\.part-.*")
CHIEF = "worker-0"


def of_task(task_dir: str) -> List[str]:
    """Half-written files, the spare of the record, and the pipe of a user's reports."""
    return _matching(task_dir, _OF_TASK)


def of_checkpoints(folder: str) -> List[str]:
    """Checkpoints and exports that were never finished."""
    return _matching(folder, _OF_CHECKPOINTS)


def of_tasks(paths: layout.Layout, run_id: str, task_dirs: Iterable[str]) -> List[str]:
    """Those of a run's tasks on this node; the checkpoints' where the chief is among them."""
    dirs = list(task_dirs)
    found = [path for task_dir in dirs for path in of_task(task_dir)]
    if any(os.path.basename(task_dir) == CHIEF for task_dir in dirs):
        found += of_checkpoints(paths.checkpoints(run_id))
    return found


def remove(files: Iterable[str]) -> List[str]:
    """Remove them; those that are still there."""
    left = []
    for path in files:
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue
        except OSError:
            left.append(path)
    return left


def _matching(folder: str, pattern: "re.Pattern[str]") -> List[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    paths = [os.path.join(folder, name) for name in sorted(names) if pattern.fullmatch(name)]
    return [path for path in paths if _is_file(path)]


def _is_file(path: str) -> bool:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) or stat.S_ISFIFO(mode)
