"""Ends every process of one task: its group, what left the group, and what was double-forked."""

import os
import signal
from typing import Iterable, Optional, Set

from remote.node import procs
from remote.node.cgroups import Cgroup

KILL_WAIT_S = 5.0
"""How long a process may take to go after SIGKILL before it counts as left behind."""


class TaskProcesses:
    """The processes of a task: members of its groups, and carriers of its token.

    Args:
        groups: process groups that were recorded for the task and are known to be its own.
        spare: pids that are never touched (the caller, the supervisor and its guard).
        cgroup: the task's own, if it has one.
    """

    def __init__(
        self,
        run_id: str,
        node: str,
        task: str,
        groups: Iterable[int],
        spare: Iterable[int],
        cgroup: Optional[Cgroup] = None,
    ) -> None:
        self._token = (run_id, node, task)
        self._groups = set(groups)
        self._spare = set(spare) | {os.getpid()}
        self._cgroup = cgroup

    def living(self) -> Set[int]:
        """Pids that run now, zombies left out."""
        found = set(procs.marked(*self._token)) | set(procs.group_members(self._groups))
        if self._cgroup is not None:
            found |= set(self._cgroup.pids())
        return found - self._spare

    def terminate(self) -> None:
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        if self._cgroup is not None:
            self._cgroup.kill()
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        for pid in self.living():
            procs.signal_quietly(pid, number)
