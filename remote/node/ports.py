"""Who listens on which TCP port, from ``/proc/net/tcp`` and the open files of processes."""

import os
from typing import Dict, List, NamedTuple, Optional, Set

from remote.node import procs

_LISTEN = "0A"


class Listener(NamedTuple):
    """A listening socket: ``uid`` owns it, ``inode`` names it under ``/proc/<pid>/fd``."""

    port: int
    uid: int
    inode: int


class Holder(NamedTuple):
    """Who holds a port; ``pid`` None: not visible to this account."""

    port: int
    uid: int
    pid: Optional[int]
    program: str
    run_id: str
    task: str
    node: str


def listeners() -> List[Listener]:
    """Every listening TCP socket of this network namespace, IPv4 and IPv6."""
    found = []
    for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        try:
            with open(table, encoding="ascii", errors="replace") as file:
                lines = file.readlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            try:
                if fields[3] == _LISTEN:
                    port = int(fields[1].rpartition(":")[2], 16)
                    found.append(Listener(port, int(fields[7]), int(fields[9])))
            except (IndexError, ValueError):
                continue
    return found


def holders(first: int, last: int) -> List[Holder]:
    """Who listens on the ports from ``first`` to ``last``, one entry for each port."""
    by_port: Dict[int, List[Listener]] = {}
    for listener in listeners():
        if first <= listener.port <= last:
            by_port.setdefault(listener.port, []).append(listener)
    if not by_port:
        return []
    owners = _owners({item.inode for items in by_port.values() for item in items})
    return [_holder(port, items, owners) for port, items in sorted(by_port.items())]


def _holder(port: int, items: List[Listener], owners: Dict[int, int]) -> Holder:
    uid = items[0].uid
    pid = next((owners[item.inode] for item in items if item.inode in owners), None)
    if pid is None:
        return Holder(port, uid, None, "", "", "", "")
    values = procs.environment(pid)
    marks = [os.fsdecode(values.get(key, b"")) for key in (b"CLEW_RUN", b"CLEW_TASK", b"CLEW_NODE")]
    return Holder(port, uid, pid, procs.program(pid), *marks)


def _owners(inodes: Set[int]) -> Dict[int, int]:
    """Inode -> pid, as far as this account may look into processes."""
    wanted = {"socket:[%d]" % inode: inode for inode in inodes}
    found: Dict[int, int] = {}
    for name in os.listdir("/proc"):
        if len(found) == len(wanted):
            break
        if name.isdigit():
            for link in _links("/proc/%s/fd" % name):
                if link in wanted:
                    found.setdefault(wanted[link], int(name))
    return found


def _links(folder: str) -> List[str]:
    links: List[str] = []
    try:
        names = os.listdir(folder)
    except OSError:
        return links
    for name in names:
        try:
            links.append(os.readlink(os.path.join(folder, name)))
        except OSError:
            continue
    return links
