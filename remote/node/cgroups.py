"""A control group of a task's own (cgroups(7), version 2), where this account may make one.

It may where it is root, or where systemd has delegated a subtree that the supervisor runs in. A
login session is not delegated; there process groups and the task's token have to do.
"""

import os
import time
from typing import Any, Dict, Iterator, List, Optional, Tuple

from remote.node import procs

PREFIX = "clew-"
"""Of every group's name."""
_OLD_S = 60.0
"""A group that was made so long ago and is empty will not be used."""
_MOUNTS = "/proc/self/mounts"


class Cgroup:
    """One group that was made for one attempt; whatever the attempt starts is born into it."""

    def __init__(self, path: str) -> None:
        self.path = path

    def add(self, pid: int) -> bool:
        """Move a process into it; False: the kernel refused."""
        return _write(os.path.join(self.path, "cgroup.procs"), b"%d" % pid)

    def entrance(self) -> int:
        """A file in which a process that writes ``0`` moves itself; -1: there is none now."""
        try:
            return os.open(os.path.join(self.path, "cgroup.procs"), os.O_WRONLY | os.O_CLOEXEC)
        except OSError:
            return -1

    def pids(self) -> List[int]:
        """Its processes that run, zombies left out."""
        found = []
        for folder in self._folders():
            words = _words(os.path.join(folder, "cgroup.procs"))
            found += [int(word) for word in words if word.isdigit() and int(word) > 0]
        return [pid for pid in found if procs.start_time(pid) is not None]

    def kill(self) -> None:
        """SIGKILL to all of it at once, also to what is being forked (Linux 5.14)."""
        if not _write(os.path.join(self.path, "cgroup.kill"), b"1"):
            for pid in self.pids():
                procs.signal_quietly(pid, 9)

    def remove(self) -> None:
        """Remove it if it is empty, and the folders that a task has made in it."""
        for folder in reversed(list(self._folders())):
            try:
                os.rmdir(folder)
            except OSError:
                return  # something in it still dies; the next attempt makes another

    def _folders(self) -> Iterator[str]:
        for folder, _, _ in os.walk(self.path):
            yield folder


def make(name: str) -> Optional[Cgroup]:
    """A new group below the one that this process is in; None: it may not be made here."""
    parent = _own_folder()
    if parent is None:
        return None
    _clean(parent)
    path = os.path.join(parent, name)
    try:
        os.mkdir(path, 0o755)
    except FileExistsError:
        pass  # of a supervisor that was killed
    except OSError:
        return None
    made = Cgroup(path)
    if os.access(os.path.join(path, "cgroup.procs"), os.W_OK):
        return made
    made.remove()
    return None


def _clean(parent: str) -> None:
    """Remove what was left by tasks that were killed with all that supervised them."""
    for entry in os.listdir(parent):
        path = os.path.join(parent, entry)
        try:
            if entry.startswith(PREFIX) and time.time() - os.stat(path).st_mtime > _OLD_S:
                os.rmdir(path)
        except OSError:
            continue  # somebody is in it


def recorded(path: object) -> Optional[Cgroup]:
    """The group that a record names, if it is there."""
    if isinstance(path, str) and os.path.isfile(os.path.join(path, "cgroup.procs")):
        return Cgroup(path)
    return None


def remove_recorded(known: Dict[str, Any]) -> None:
    """Remove the groups that a task's record names, where nothing is in them any more."""
    for attempt in known["attempts"]:
        group = recorded(attempt.get("cgroup"))
        if group is not None and not group.pids():
            group.remove()


def memory_events(folder: str) -> Optional[int]:
    """``oom_kill`` of one group, its children included; None: it has no memory controller."""
    pairs = _pairs(os.path.join(folder, "memory.events"))
    return next((count for name, count in pairs if name == "oom_kill"), None)


def peak_bytes(folder: str) -> Optional[int]:
    """The most memory that the group has used (``memory.peak``, Linux 5.19)."""
    words = _words(os.path.join(folder, "memory.peak"))
    return int(words[0]) if words and words[0].isdigit() else None


def _own_folder() -> Optional[str]:
    """Where the version 2 hierarchy shows this process' group."""
    mounts = [line.split() for line in _text(_MOUNTS).splitlines()]
    tops = [fields[1] for fields in mounts if len(fields) > 2 and fields[2] == "cgroup2"]
    lines = _text("/proc/self/cgroup").splitlines()
    inner = next((line[3:] for line in lines if line.startswith("0::")), None)
    if not tops or inner is None or inner.startswith("/.."):
        return None
    folder = tops[0].replace("\\040", " ") + inner.rstrip("/")
    return folder if os.path.isdir(folder) else None


def _pairs(path: str) -> List[Tuple[str, int]]:
    words = _words(path)
    return [(words[i], int(words[i + 1])) for i in range(0, len(words) - 1, 2)]


def _words(path: str) -> List[str]:
    return _text(path).split()


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _write(path: str, data: bytes) -> bool:
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        os.write(fd, data)
        return True
    except OSError:
        return False
    finally:
        os.close(fd)
