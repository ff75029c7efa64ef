"""One start of a task's process, from fork to the last of what it left running."""

import ctypes
import os
import subprocess
import time
from typing import Any, Dict, Optional

from remote.node import endings, layout, machine, procs, wrapper
from remote.node.groups import KILL_WAIT_S, TaskProcesses

_PR_SET_CHILD_SUBREAPER = 36
_CLEANUP_GRACE_S = 2.0
"""What a process leaves running when it ends by itself gets so long after SIGTERM."""


def adopt_orphans() -> None:
    """Have processes that a task double-forks become children of this one (prctl(2))."""
    try:
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass  # they are found by their token as well


class Attempt:
    """Starts the process and is polled until it and all that it started are gone."""

    def __init__(self, task_dir: str, launch: Dict[str, Any], number: int) -> None:
        self._dir = task_dir
        self._launch = launch
        self._log = os.path.join(task_dir, layout.LOG)
        self._log_start = 0
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._oom_before: Optional[int] = None
        self._deadline: Optional[float] = None
        self._killed = False
        self.record: Dict[str, Any] = {
            "attempt": number,
            "pid": None,
            "start_time": None,
            "boot_id": procs.boot_id(),
            "started_at": time.time(),
            "ended_at": None,
            "exit_code": None,
            "signal": None,
            "last_lines": [],
            "oom": False,
        }

    def start(self) -> None:
        """Start the process in a session of its own. Raises OSError."""
        launch = self._launch
        variables = dict(launch["env"], CLEW_ATTEMPT=str(self.record["attempt"]))
        argv = wrapper.wrap(launch["argv"], launch["setup"], variables)
        log = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            self._log_start = os.fstat(log).st_size
            self._oom_before = machine.oom_kills()
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._dir,
                env=dict(os.environ, **variables),
                start_new_session=True,
            )
        finally:
            os.close(log)
        pid = self._process.pid
        self.record.update(pid=pid, start_time=procs.start_time(pid), started_at=time.time())

    def never_started(self, what: str) -> Dict[str, Any]:
        """The record of an attempt whose process could not be started."""
        self.record.update(ended_at=time.time(), exit_code=127, last_lines=[what])
        return self.record

    def poll(self, grace_s: Optional[float]) -> bool:
        """Move on; True: the process and everything it started are gone, ``record`` is complete.

        ``grace_s`` is None while no stop is ordered.
        """
        self._collect()
        ended = self.record["ended_at"] is not None
        if not ended and grace_s is None:
            return False
        processes = self._processes()
        if ended and not processes.living():
            return True
        now = time.monotonic()
        if self._deadline is None:
            self._deadline = now + (_CLEANUP_GRACE_S if grace_s is None else grace_s)
            processes.terminate()
        elif now >= self._deadline:
            if self._killed and now >= self._deadline + KILL_WAIT_S and ended:
                return True  # what survives SIGKILL hangs in the kernel; stop_run reports it
            processes.kill()
            self._killed = True
        return False

    def _processes(self) -> TaskProcesses:
        launch = self._launch
        groups = [self.record["pid"]]
        return TaskProcesses(launch["run_id"], launch["node"], launch["task"], groups, ())

    def _collect(self) -> None:
        """Take the exit status of the process, and of every orphan that it left to us."""
        assert self._process is not None
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self._process.pid:
                self._end(status)

    def _end(self, status: int) -> None:
        assert self._process is not None
        by_signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        code = None if by_signal is not None else os.WEXITSTATUS(status)
        self._process.returncode = -by_signal if by_signal is not None else code
        lines = endings.tail_lines(self._log, self._log_start)
        self.record.update(ended_at=time.time(), exit_code=code, signal=by_signal, last_lines=lines)
        after = machine.oom_kills()
        counted = after is not None and self._oom_before is not None and after > self._oom_before
        self.record["oom"] = counted and endings.killed_by_node(code, by_signal)
