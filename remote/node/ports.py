"""Who has which TCP port, from ``/proc/net/tcp`` and from processes' files and environments."""

import os
from typing import Dict, List, NamedTuple, Optional, Set

from remote.node import procs

_LISTEN = "0A"
UNSEEN = "a program that cannot be seen from here, as of another container"
OTHER_AGENT = "Clew itself: a check or a launch of another desktop"
VARIABLE = "CLEW_PORTS"
"""In the environment of a task's processes: the ports that are its own, with commas between."""


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
    own = os.getuid()
    if any(i.uid == own and i.inode not in owners for items in by_port.values() for i in items):
        # Who was looked for may have ended meanwhile, and nobody holds the port any more.
        still = {item.inode for item in listeners()} | set(owners)
        by_port = {
            port: [item for item in items if item.inode in still] for port, items in by_port.items()
        }
    return [_holder(port, items, owners) for port, items in sorted(by_port.items()) if items]


def promised(first: int, last: int) -> List[Holder]:
    """The ports from ``first`` to ``last`` that tasks of this account have, listening or not.

    A task opens its port many seconds after it was started, and has none between two attempts.
    """
    own_network = _network("self")
    found: Dict[int, Holder] = {}
    for pid in procs.mine():
        values = procs.environment(pid)
        given = values.get(VARIABLE.encode(), b"").decode("ascii", "replace")
        for word in given.split(","):
            port = int(word) if word.isdigit() else 0
            if first <= port <= last and port not in found and _network(str(pid)) == own_network:
                found[port] = _holder_of(port, os.getuid(), pid, values)
    return [found[port] for port in sorted(found)]


def by_pid(pids: Set[int]) -> Dict[int, Set[int]]:
    """The ports on which each of these processes listens."""
    port_of = {item.inode: item.port for item in listeners()}
    found: Dict[int, Set[int]] = {}
    for pid in pids:
        for link in _links("/proc/%d/fd" % pid):
            if link.startswith("socket:[") and int(link[8:-1]) in port_of:
                found.setdefault(pid, set()).add(port_of[int(link[8:-1])])
    return found


def taken(first: int, last: int) -> List[Holder]:
    """Who listens on the ports from ``first`` to ``last``, or will, one entry for each port."""
    by_port = {holder.port: holder for holder in promised(first, last)}
    by_port.update({holder.port: holder for holder in holders(first, last)})
    return [by_port[port] for port in sorted(by_port)]


def _network(pid: str) -> str:
    """The network namespace of a process; processes of another one have other ports."""
    try:
        return os.readlink("/proc/%s/ns/net" % pid)
    except OSError:
        return ""


def _holder(port: int, items: List[Listener], owners: Dict[int, int]) -> Holder:
    uid = items[0].uid
    pid = next((owners[item.inode] for item in items if item.inode in owners), None)
    if pid is None:
        unseen = UNSEEN if uid == os.getuid() else ""
        return Holder(port, uid, None, unseen, "", "", "")
    return _holder_of(port, uid, pid, procs.environment(pid))


def _holder_of(port: int, uid: int, pid: int, values: Dict[bytes, bytes]) -> Holder:
    marks = [os.fsdecode(values.get(key, b"")) for key in (b"CLEW_RUN", b"CLEW_TASK", b"CLEW_NODE")]
    program = OTHER_AGENT if procs.is_agent(pid) else procs.program(pid)
    return Holder(port, uid, pid, program, *marks)


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
