"""Leftovers of runs on this node: what there is, and the end of what the user has confirmed.

What is to be removed is named by a key only. It is looked for anew, and removed if it still is
what it was and nobody has taken it up meanwhile: no path ever comes from outside.
"""

import fcntl
import hashlib
import os
import shutil
import stat
import time
import uuid
from typing import TYPE_CHECKING, Any, Dict, List, Set

from remote.node import layout, ports, procs, sweep_files, sweep_processes, temporary
from remote.node.groups import KILL_WAIT_S
from remote.node.sweep_processes import Mark

if TYPE_CHECKING:
    from remote.node.agent import Agent

_PORTS = 200
_GRACE_S = 5.0
_POLL_S = 0.05
_SHOWN = 400
_FILE_KINDS = ("temporary", "lock")

Item = Dict[str, Any]


def sweep_look(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> Dict[str, Any]:
    """All items below ``args["root"]``, and a name for the view of processes that they are in."""
    found = [_public(item) for item in _look(agent, args)]
    return {"space": _space(), "items": found}


def sweep_remove(
    agent: "Agent", number: int, args: Dict[str, Any], payload: bytes
) -> List[Dict[str, Any]]:
    """Remove those of ``args["keys"]`` that are still left; what became of each."""
    items = {_key(item): item for item in _look(agent, args)}
    return [_removed(items.get(key), key, args["root"]) for key in args["keys"]]


def _look(agent: "Agent", args: Dict[str, Any]) -> List[Item]:
    root = os.path.realpath(args["root"])
    paths = layout.Layout(root, agent.node)
    ended = {layout.component(name) for name in args["ended"] if name}
    found = sweep_processes.find(root)
    found += _listeners(int(args["ports_from"]), {pid for item in found for pid in item["pids"]})
    found += sweep_files.find(paths, ended, set(args["keep"]))
    busy = {item["run_id"] for item in found if item["kind"] == "process"}
    for item in found:
        if item["kind"] in ("run", "temporary") and item["run_id"] and item["run_id"] in busy:
            item["state"], item["why"] = "live", "processes of it are still there"
    return found


def _listeners(first: int, marked: Set[int]) -> List[Item]:
    """Ports that this account holds though no process of it is to be seen that does."""
    found = []
    for holder in ports.holders(first, min(first + _PORTS, 65535)):
        if holder.pid is not None or holder.uid != os.getuid():
            continue
        item = sweep_files.blank("listener", "port %d" % holder.port)
        item.update(
            ports=[holder.port], state="live", why="its process is not to be seen from here"
        )
        found.append(item)
    return found


def _public(item: Item) -> Item:
    shown = dict(item, key=_key(item), name=_printable(item["name"]), what=_printable(item["what"]))
    shown.pop("path", None)
    return shown


def _key(item: Item) -> str:
    name = item["name"].encode("utf-8", "surrogateescape")
    return hashlib.sha256(item["kind"].encode("ascii") + b"\0" + name).hexdigest()[:32]


def _printable(text: str) -> str:
    """Whoever made a file chose its name."""
    return "".join(c if c.isprintable() else "?" for c in text)[:_SHOWN]


def _space() -> str:
    """Processes of two nodes with the same answer are the same processes."""
    try:
        return "%s %s" % (procs.boot_id(), os.readlink("/proc/self/ns/pid"))
    except OSError:
        return procs.boot_id()


def _removed(item: Any, key: str, root: str) -> Dict[str, Any]:
    why = ""
    if item is None:
        return {"key": key, "gone": True, "why": "it was gone already"}
    if item["state"] == "live":
        why = item["why"]
    elif item["kind"] == "process":
        why = _end(Mark(item["run_id"], item["node"], item["task"]))
    elif item["kind"] in _FILE_KINDS:
        why = _unlink(item)
    else:
        why = _discard(item)
    return {"key": key, "gone": not why, "why": why}


def _end(mark: Mark) -> str:
    """TERM, KILL, and look; why it is not gone."""
    found = sweep_processes.processes_of(mark)
    found.terminate()
    kill_at = time.monotonic() + _GRACE_S
    end = kill_at + KILL_WAIT_S
    while found.living() and time.monotonic() < end:
        if time.monotonic() >= kill_at:
            found.kill()
        time.sleep(_POLL_S)
    left = sorted(found.living())
    return "process %s did not end" % ", ".join(map(str, left[:5])) if left else ""


def _unlink(item: Item) -> str:
    if item["kind"] != "lock":
        return "it could not be removed" if temporary.remove([item["path"]]) else ""
    try:
        fd = os.open(item["path"], os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(item["path"])
        finally:
            os.close(fd)
    except OSError as error:
        return error.strerror or "it could not be removed"
    return ""


def _discard(item: Item) -> str:
    """Remove a folder: out of the way first, so that nobody meets half of it."""
    path = item["path"]
    if item["kind"] == "part" and sweep_files.is_held(path):
        return "somebody has begun to work on it"
    gone = os.path.join(os.path.dirname(path), layout.PART_PREFIX + uuid.uuid4().hex)
    try:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            return "it is no folder any more"
        os.rename(path, gone)
    except OSError as error:
        return error.strerror or "it could not be moved"
    errors: List[str] = []

    def note(function: Any, where: str, info: Any) -> None:
        errors.append("%s: %s" % (_printable(os.path.basename(where)), info[1].strerror or info[1]))

    shutil.rmtree(gone, onerror=note)
    if os.path.lexists(gone):
        return "some of it could not be removed: %s" % (
            errors[0] if errors else "it is still there"
        )
    return ""
