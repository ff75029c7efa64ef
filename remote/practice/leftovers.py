"""Which processes belong to a practice node: those whose HOME is inside the cluster's folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True, slots=True)
class RunningProcess:
    """A process of a practice node."""

    pid: int
    node: str
    command: str


def running(folder: Path) -> list[RunningProcess]:
    """Processes of this user with their HOME below ``folder``. Empty where there is no /proc."""
    prefix = b"HOME=" + os.fsencode(folder) + b"/"
    found = []
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            variables = Path(f"/proc/{entry}/environ").read_bytes().split(b"\0")
            words = Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0")
        except OSError:  # ended meanwhile, or another user's
            continue
        home = next((item for item in variables if item.startswith(prefix)), None)
        if home is not None and words != [b""]:
            node = os.fsdecode(home[len(prefix) :]).partition("/")[0]
            command = b" ".join(words).decode("utf-8", "replace").strip()
            found.append(RunningProcess(pid=int(entry), node=node, command=command))
    return found
