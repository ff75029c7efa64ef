"""What runs inside a node, seen from outside."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Process:
    """A process on a node; ``pid`` is that of this machine's view."""

    pid: int
    command: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.command)


def pids_inside(unshare_pid: int) -> list[int]:
    """Every process in the pid namespace that ``unshare`` made."""
    try:
        children = Path(f"/proc/{unshare_pid}/task/{unshare_pid}/children").read_text().split()
        first = children[0]
    except (OSError, IndexError):
        return []
    namespace = os.readlink(f"/proc/{first}/ns/pid")
    found = []
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if entry.isdigit() and os.readlink(f"/proc/{entry}/ns/pid") == namespace:
                found.append(int(entry))
    return found


def is_sshd(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip() == "sshd"
    except OSError:
        return True  # gone


def inner_pid(pid: int) -> int:
    """The pid that the process has in its own namespace."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("NSpid:"):
                return int(line.split()[-1])
    return 0


def command_of(pid: int) -> tuple[str, ...]:
    """The command line; empty for a process that is gone or a zombie."""
    try:
        data = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return ()
    return tuple(part.decode("utf-8", "replace") for part in data.split(b"\0") if part)


def wait_until_gone(pids: list[int], limit_s: float = 60.0) -> None:
    """Wait until none of these processes runs any more."""
    deadline = time.monotonic() + limit_s
    while any(command_of(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.005)
