"""Stops a run on this node and looks whether anything of it is left."""

import os
import time
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Set, Tuple

from remote.node import gpu_left, latest, layout, orders, ports, procs, record, temporary
from remote.node.cgroups import Cgroup, recorded, remove_recorded
from remote.node.groups import KILL_WAIT_S, TaskProcesses

if TYPE_CHECKING:
    from remote.node.agent import Agent

_POLL_S = 0.05
_CGROUP_PREFIX = "clew-"
"""A record that somebody has edited must not have other groups killed."""
_SUPERVISOR_MARGIN_S = 3.0
"""Beyond the grace and the kill, a supervisor gets so long to write its record."""


def stop_run(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> List[str]:
    """Stop all tasks of a run on this node; returns what is still there, in words.

    ``depth`` is one of :mod:`remote.node.orders`, ``grace_s`` the time between TERM and KILL. A
    call that goes deeper than an earlier one is the one that counts; both answer when all is over.
    """
    paths = layout.Layout(args["root"], agent.node)
    run_id, grace_s = args["run_id"], float(args["grace_s"])
    depth = args.get("depth", orders.NOW)
    tasks = [_Task(paths, run_id, name) for name in paths.task_names(run_id)]
    pids = set(procs.marked(run_id, agent.node))
    _order_run(paths.run(run_id), depth, args.get("by", ""), grace_s)
    for task in tasks:
        task.order(depth, args.get("by", ""), grace_s)
    deadline = time.monotonic() + grace_s
    while any(task.goes_on() for task in tasks) and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    end = time.monotonic() + KILL_WAIT_S + _SUPERVISOR_MARGIN_S
    while any(task.goes_on() for task in tasks) and time.monotonic() < end:
        for task in tasks:
            task.kill()
        time.sleep(_POLL_S)
    pids |= _kill_marked(run_id, agent.node)
    for task in tasks:
        task.record_stop()
    return _leftovers(paths, run_id, tasks, pids)


def _order_run(folder: str, depth: str, by: str, grace_s: float) -> None:
    """Tell the supervisors of other nodes, too, where they share this disk."""
    try:
        if os.path.isdir(folder):
            orders.write(folder, depth, by, grace_s)
    except OSError:
        pass  # each node is told by itself as well


class _Task:
    """One task that is being stopped, with or without a living supervisor."""

    def __init__(self, paths: layout.Layout, run_id: str, name: str) -> None:
        self.dir = paths.task(run_id, name)
        self._known = record.load(self.dir)
        self._token = (run_id, paths.node, name)
        groups = []
        if self._known is not None and record.task_alive(self._known):
            # The group of a process that is surely ours; an old number may be another's by now.
            groups = [self._known["attempts"][-1]["pid"]]
        self._groups = groups
        self._cgroup = _cgroup_of(self._known)

    @property
    def ports(self) -> List[int]:
        found = self._known.get("ports") if self._known else None
        return [port for port in found if isinstance(port, int)] if isinstance(found, list) else []

    def order(self, depth: str, by: str, grace_s: float) -> None:
        """Tell the supervisor; where there is none, tell the processes."""
        try:
            orders.write(self.dir, depth, by, grace_s)
        except OSError:
            pass  # a full disk: the signal below stops the task as well
        if self._supervisor():
            procs.signal_quietly(self._supervisor(), 15)
        else:
            self._processes().terminate()

    def goes_on(self) -> bool:
        return bool(self._supervisor()) or bool(self._processes().living())

    def kill(self) -> None:
        self._processes().kill()

    def hidden(self) -> Set[int]:
        """Processes of its control group, which may have lost group and mark."""
        return set(self._cgroup.pids()) if self._cgroup is not None else set()

    def record_stop(self) -> None:
        """Write the end where the supervisor can no more."""
        known = record.load(self.dir)
        if known is not None:
            remove_recorded(known)
        if known is None or known["state"] in record.FINAL or record.alive(known):
            return
        last = record.last_attempt(known)
        if last is not None and last.get("ended_at") is None:
            last["ended_at"] = time.time()
        state, reason = self._end_of(known, last)
        known.update(state=state, reason=reason)
        state_file = record.StateFile(self.dir)
        state_file.write(known)
        state_file.remove_spare()

    def _end_of(self, known: record.Record, last: Optional[Dict[str, Any]]) -> Tuple[str, str]:
        """How a task has ended that no supervisor saw end: state and reason."""
        events = os.path.join(self.dir, layout.EVENTS)
        if last is not None and latest.finished(events, last["attempt"]):
            return "finished", ""
        if self._groups:
            return "stopped", "stopped as ordered; its supervisor was gone"
        if known.get("boot_id") != procs.boot_id():
            return "failed", "its node was restarted while it ran"
        return "failed", "it ended without a last word: its supervisor was killed"

    def _supervisor(self) -> int:
        if self._known is None or not record.supervisor_alive(self._known):
            return 0
        return int(self._known["supervisor"]["pid"])

    def _processes(self) -> TaskProcesses:
        return TaskProcesses(
            self._token[0],
            self._token[1],
            self._token[2],
            self._groups,
            [self._supervisor()],
            self._cgroup,
        )


def _cgroup_of(known: Optional[record.Record]) -> Optional[Cgroup]:
    """The last attempt's control group, if that was on this boot."""
    last = record.last_attempt(known) if known is not None else None
    if known is None or last is None or known.get("boot_id") != procs.boot_id():
        return None
    named = last.get("cgroup")
    ours = isinstance(named, str) and os.path.basename(named).startswith(_CGROUP_PREFIX)
    return recorded(named) if ours else None


def _kill_marked(run_id: str, node: str) -> Set[int]:
    """Whatever still carries the run's token has had its time; which processes those were."""
    end = time.monotonic() + KILL_WAIT_S
    left = procs.marked(run_id, node)
    killed = set(left)
    while left and time.monotonic() < end:
        for pid in left:
            procs.signal_quietly(pid, 9)
        time.sleep(_POLL_S)
        left = procs.marked(run_id, node)
        killed.update(left)
    return killed


def _leftovers(paths: layout.Layout, run_id: str, tasks: List[_Task], pids: Set[int]) -> List[str]:
    """What of the run is there after all; ``pids`` are those that it had."""
    hidden = {pid for task in tasks for pid in task.hidden()}
    left = sorted(hidden | set(procs.marked(run_id, paths.node)))
    words = ["process %d (%s) did not end" % (pid, procs.program(pid)) for pid in left]
    for port in sorted({port for task in tasks for port in task.ports}):
        for holder in ports.holders(port, port):
            ours = holder.pid in left if holder.pid else holder.uid == os.getuid()
            if ours:
                who = "process %d (%s)" % (holder.pid, holder.program) if holder.pid else "somebody"
                words.append("port %d is still held by %s" % (port, who))
    words += gpu_left.held_by(pids - set(left))
    if not left:  # else somebody may still be writing them
        scraps = temporary.of_tasks(paths, run_id, [task.dir for task in tasks])
        shown = [_shown(path) for path in temporary.remove(scraps)]
        words += ["the temporary file %s could not be removed" % path for path in shown]
    return words


def _shown(path: str) -> str:
    """A path in words: whoever made the file chose its name."""
    return "".join(c if c.isprintable() else "?" for c in path)[:300]
