"""A closer look at a node before a run, beyond what :mod:`remote.node.probe` always asks.

Only facts; what they mean is judged on the desktop. Each part has a time limit of its own: a
file system or a driver that hangs costs its own answer, not the others'.
"""

import os
import pwd
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List

from remote.node import disks, gpu_users, refused, task_limits, task_python

if TYPE_CHECKING:
    from remote.node.agent import Agent

_DISK_S = 15.0
_TASK_S = task_python.LIMIT_S + 2.0
_GPU_S = 25.0


def survey(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> Dict[str, Any]:
    """Disks, limits, GPU users and the login shell.

    Args of the request: ``places`` ([purpose, path]), ``python`` (empty: it is known not to work),
    ``setup``, ``variables``.
    ``silent`` names the parts that gave no answer in time.
    """
    task = args["python"], args["setup"], args["variables"]
    parts = [
        _Part("task", _TASK_S, lambda: task_limits.look(*task) if task[0] else None),
        _Part("gpus", _GPU_S, gpu_users.look),
        _Part("quota", _DISK_S, disks.quota),
    ]
    for purpose, path in args["places"]:
        parts.append(_Part("disk " + path, _DISK_S, _disk(purpose, path, agent.node)))
    found = {part.name: part.result() for part in parts}
    return {
        "t": time.time(),
        "shell": _shell(),
        "infiniband": _infiniband(),
        "threads": task_limits.threads_of_account(),
        "task": found["task"],
        "gpus": found["gpus"] or {"driver": "", "users": []},
        "quota": found["quota"] or [],
        "disks": [found[part.name] for part in parts[3:] if found[part.name] is not None],
        "silent": [part.name for part in parts if part.late],
    }


def _disk(purpose: str, path: str, node: str) -> Callable[[], Dict[str, Any]]:
    def look() -> Dict[str, Any]:
        try:
            return disks.look(purpose, path, node)
        except OSError as error:
            found = refused.from_os_error(error, node, path)
            return {"purpose": purpose, "path": path, "error": found.what, "remedy": found.remedy}

    return look


def _shell() -> str:
    try:
        return os.path.basename(pwd.getpwuid(os.getuid()).pw_shell)
    except KeyError:
        return os.path.basename(os.environ.get("SHELL", ""))


def _infiniband() -> List[str]:
    try:
        return sorted(os.listdir("/sys/class/infiniband"))[:16]
    except OSError:
        return []


class _Part:
    """One question, asked on a thread of its own, which is left behind when it is late."""

    def __init__(self, name: str, limit_s: float, ask: Callable[[], Any]) -> None:
        self.name = name
        self.late = False
        self._answer: Any = None
        self._end = time.monotonic() + limit_s
        self._ask = ask
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def result(self) -> Any:
        """The answer; None when there is none, or none in time."""
        self._thread.join(max(0.0, self._end - time.monotonic()))
        self.late = self._thread.is_alive()
        return None if self.late else self._answer

    def _run(self) -> None:
        self._answer = self._ask()
