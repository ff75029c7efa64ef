"""Processes as ``/proc`` shows them (proc(5)).

A process is named by boot id, pid and start time: a pid alone is given to others later.
"""

import os
from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional

from remote.node import texts

_MAX_PROC_BYTES = 4 * 1024 * 1024


class Stat(NamedTuple):
    """Parts of ``/proc/<pid>/stat``; ``start_time`` is in clock ticks since boot."""

    state: str
    parent: int
    group: int
    start_time: int


def boot_id() -> str:
    """The kernel's random name of this boot.

    A few kernels have none: there it is the machine's name, which with a pid and a start time
    still names one process.
    """
    sources = ("/proc/sys/kernel/random/boot_id", "/etc/machine-id", "/proc/sys/kernel/hostname")
    found = (_read(path).decode("ascii", "replace").strip() for path in sources)
    return next((text for text in found if text), "")


def stat(pid: int) -> Optional[Stat]:
    """None: there is no such process."""
    raw = _read("/proc/%d/stat" % pid)
    # The name in brackets may itself hold blanks and brackets; the fields follow the last one.
    fields = raw[raw.rfind(b")") + 1 :].split()
    try:
        return Stat(fields[0].decode("ascii"), int(fields[1]), int(fields[2]), int(fields[19]))
    except (IndexError, ValueError):
        return None


def start_time(pid: int) -> Optional[int]:
    """Start of a process that runs; None: gone, or dead and only not collected yet."""
    found = stat(pid)
    return None if found is None or found.state in ("Z", "X", "x") else found.start_time


def is_alive(pid: object, started: object, boot: object) -> bool:
    """Whether the very process that was recorded as these three still runs here."""
    if not isinstance(pid, int) or not isinstance(started, int) or pid <= 0:
        return False
    return boot == boot_id() and start_time(pid) == started


def mine() -> Iterator[int]:
    """The pids of this account's processes that run."""
    uid = os.getuid()
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            if os.stat("/proc/" + name).st_uid == uid:
                yield int(name)
        except OSError:
            continue


def environment(pid: int) -> Dict[bytes, bytes]:
    """What the process was started with; empty where it may not be read."""
    pairs = (item.split(b"=", 1) for item in _read("/proc/%d/environ" % pid).split(b"\0"))
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}


def marked(run_id: str, node: str, task: Optional[str] = None) -> List[int]:
    """Running processes of this account that carry exactly this run's and node's token."""
    wanted = {b"CLEW_RUN": os.fsencode(run_id), b"CLEW_NODE": os.fsencode(node)}
    if task is not None:
        wanted[b"CLEW_TASK"] = os.fsencode(task)
    found = []
    for pid in mine():
        values = environment(pid) if pid != os.getpid() else {}
        runs = start_time(pid) is not None
        if runs and all(values.get(key) == value for key, value in wanted.items()):
            found.append(pid)
    return found


def group_members(groups: Iterable[int]) -> List[int]:
    """Running processes of this account in any of these process groups."""
    wanted = set(groups)
    found = []
    for pid in mine():
        known = stat(pid)
        if known is not None and known.group in wanted and known.state not in ("Z", "X", "x"):
            found.append(pid)
    return found


def signal_quietly(pid: int, number: int) -> None:
    """Send a signal; a process that is gone, or became another account's, is let be."""
    try:
        os.kill(pid, number)
    except OSError:
        pass


AGENT = "clew-agent"
"""The last argument of every agent, by which it is told from other programs."""


def is_agent(pid: int) -> bool:
    return _read("/proc/%d/cmdline" % pid).endswith(b"\0" + AGENT.encode() + b"\0")


def program(pid: int) -> str:
    """The command line of a process, at most 200 characters; empty where it is not readable."""
    raw = _read("/proc/%d/cmdline" % pid) or _read("/proc/%d/comm" % pid)
    text = " ".join(raw.decode("utf-8", "replace").replace("\0", " ").split())
    shown: str = texts.to_system("".join(c if c.isprintable() else "?" for c in text)[:200])
    return shown


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(_MAX_PROC_BYTES)
    except OSError:
        return b""
