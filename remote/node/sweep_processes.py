"""Processes that carry a run's mark, and which of them nobody looks after any more."""

import os
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

from remote.node import layout, ports, procs, record
from remote.node.groups import TaskProcesses
from remote.node.refused import Refused

_SUPERVISOR = b"remote.node.supervisor"
_MOST_PIDS = 200
_MAX_BYTES = 1 << 20


class Mark(NamedTuple):
    """What a task's processes have in their environment."""

    run_id: str
    node: str
    task: str


def find(root: str) -> List[Dict[str, Any]]:
    """One item for each task that has processes here, whichever node's name they carry."""
    by_mark: Dict[Mark, List[int]] = {}
    for pid in procs.mine():
        mark = _mark(pid)
        if mark is not None and pid != os.getpid() and procs.start_time(pid) is not None:
            by_mark.setdefault(mark, []).append(pid)
    listening = ports.by_pid({pid for pids in by_mark.values() for pid in pids})
    found = [_item(root, mark, pids, listening) for mark, pids in sorted(by_mark.items())]
    return [item for item in found if item["pids"]]


def processes_of(mark: Mark) -> TaskProcesses:
    """What can be ended of it."""
    return TaskProcesses(mark.run_id, mark.node, mark.task, (), ())


def state_of(root: str, mark: Mark, pids: List[int]) -> Tuple[str, str]:
    """``live`` or ``left``, and why."""
    if any(_SUPERVISOR in _command(pid) for pid in pids):
        return "live", "its supervisor looks after it"
    known = _record(root, mark, pids)
    if known is None:
        return "left", "there is no record of its run"
    if known["state"] in record.FINAL:
        return "left", "its task has %s" % _ENDED[known["state"]]
    if record.alive(known):
        return "live", "its task goes on, without its supervisor"
    return "left", "its task and its supervisor are gone"


_ENDED = {"finished": "finished", "failed": "failed", "stopped": "been stopped"}


def _item(root: str, mark: Mark, pids: List[int], listening: Dict[int, Set[int]]) -> Dict[str, Any]:
    state, why = state_of(root, mark, pids)
    living = [pid for pid in pids if procs.start_time(pid) is not None]
    held = sorted({port for pid in living for port in listening.get(pid, ())})
    return {
        "kind": "process",
        "name": "/".join(mark),
        "what": procs.program(living[0]) if living else "",
        "run_id": mark.run_id,
        "task": mark.task,
        "node": mark.node,
        "pids": living[:_MOST_PIDS],
        "ports": held[:_MOST_PIDS],
        "age_s": max([_age_s(pid) for pid in living] or [0.0]),
        "bytes": 0,
        "mark": "",
        "unsure": [],
        "state": state,
        "why": why,
    }


def _mark(pid: int) -> Optional[Mark]:
    values = procs.environment(pid)
    texts = [os.fsdecode(values.get(key, b"")) for key in (b"CLEW_RUN", b"CLEW_NODE", b"CLEW_TASK")]
    return Mark(*texts) if texts[0] else None


def _record(root: str, mark: Mark, pids: List[int]) -> Optional[record.Record]:
    """Its record: below this root, or where its processes work, should that be another one."""
    folders = []
    try:
        folders.append(layout.Layout(root, mark.node).task(mark.run_id, mark.task))
    except Refused:
        pass  # a mark that Clew never makes
    for pid in pids:
        try:
            folders.append(os.readlink("/proc/%d/cwd" % pid))
        except OSError:
            continue
    for folder in folders:
        known = record.load(folder)
        if known is not None and _belongs(known, mark):
            return known
    return None


def _belongs(known: record.Record, mark: Mark) -> bool:
    return (known.get("run_id"), known.get("node"), known.get("task")) == mark


def _command(pid: int) -> bytes:
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            return file.read(_MAX_BYTES)
    except OSError:
        return b""


def _age_s(pid: int) -> float:
    started = procs.start_time(pid)
    if started is None:
        return 0.0
    try:
        with open("/proc/uptime", encoding="ascii") as file:
            up_s = float(file.read().split()[0])
        return max(0.0, up_s - started / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError):
        return 0.0
