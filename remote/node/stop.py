"""Stops a run on this node and looks whether anything of it is left."""

import os
import time
from typing import TYPE_CHECKING, Any, Dict, List

from remote.node import files, layout, ports, procs, record, texts
from remote.node.cgroups import remove_recorded
from remote.node.groups import KILL_WAIT_S, TaskProcesses

if TYPE_CHECKING:
    from remote.node.agent import Agent

_POLL_S = 0.05
_SUPERVISOR_MARGIN_S = 3.0
"""Beyond the grace and the kill, a supervisor gets so long to write its record."""


def stop_run(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> List[str]:
    """Stop all tasks of a run on this node; returns what is still there, in words."""
    paths = layout.Layout(args["root"], agent.node)
    run_id, grace_s = args["run_id"], float(args["grace_s"])
    tasks = [_Task(paths, run_id, name) for name in paths.task_names(run_id)]
    for task in tasks:
        task.order(grace_s)
    deadline = time.monotonic() + grace_s
    while any(task.goes_on() for task in tasks) and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    end = time.monotonic() + KILL_WAIT_S + _SUPERVISOR_MARGIN_S
    while any(task.goes_on() for task in tasks) and time.monotonic() < end:
        for task in tasks:
            task.kill()
        time.sleep(_POLL_S)
    _kill_marked(run_id, agent.node)
    for task in tasks:
        task.record_stop()
    return _leftovers(run_id, agent.node, tasks)


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

    @property
    def ports(self) -> List[int]:
        found = self._known.get("ports") if self._known else None
        return [port for port in found if isinstance(port, int)] if isinstance(found, list) else []

    def order(self, grace_s: float) -> None:
        """Tell the supervisor; where there is none, tell the processes."""
        try:
            files.publish(
                os.path.join(self.dir, layout.STOP_ORDER), texts.dumps({"grace_s": grace_s})
            )
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
        known.update(state="stopped", reason="stopped as ordered; its supervisor was gone")
        state_file = record.StateFile(self.dir)
        state_file.write(known)
        state_file.remove_spare()

    def _supervisor(self) -> int:
        if self._known is None or not record.supervisor_alive(self._known):
            return 0
        return int(self._known["supervisor"]["pid"])

    def _processes(self) -> TaskProcesses:
        return TaskProcesses(
            self._token[0], self._token[1], self._token[2], self._groups, [self._supervisor()]
        )


def _kill_marked(run_id: str, node: str) -> None:
    """Whatever still carries the run's token has had its time."""
    end = time.monotonic() + KILL_WAIT_S
    left = procs.marked(run_id, node)
    while left and time.monotonic() < end:
        for pid in left:
            procs.signal_quietly(pid, 9)
        time.sleep(_POLL_S)
        left = procs.marked(run_id, node)


def _leftovers(run_id: str, node: str, tasks: List[_Task]) -> List[str]:
    left = procs.marked(run_id, node)
    words = ["process %d (%s) did not end" % (pid, procs.program(pid)) for pid in left]
    for port in sorted({port for task in tasks for port in task.ports}):
        for holder in ports.holders(port, port):
            ours = holder.pid in left if holder.pid else holder.uid == os.getuid()
            if ours:
                who = "process %d (%s)" % (holder.pid, holder.program) if holder.pid else "somebody"
                words.append("port %d is still held by %s" % (port, who))
    return words
