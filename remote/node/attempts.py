"""One start of a task's process, from fork to the last of what it left running."""

import hashlib
import os
import subprocess
import time
from typing import Any, Callable, Dict, Optional, Tuple

from remote.node import cgroups, endings, guard, layout, memory_kills, procs, wrapper
from remote.node.groups import KILL_WAIT_S, TaskProcesses

_CLEANUP_GRACE_S = 2.0
"""What a process leaves running when it ends by itself gets so long after SIGTERM."""
_PEAK_EVERY_S = 1.0
_UNSEEN_S = 2.0
"""How long an exit status that the guard has may be on its way."""


class Attempt:
    """Starts the process and is polled until it and all that it started are gone.

    Args:
        lease: the task's end of its guard's pipe.
        spare: pids that are never touched, the guard's.
        publish: publishes the record that ``record`` is part of.
    """

    def __init__(
        self,
        task_dir: str,
        launch: Dict[str, Any],
        lease: int,
        spare: Tuple[int, ...],
        publish: Callable[[], None],
    ) -> None:
        self._dir = task_dir
        self._launch = launch
        self._lease = lease
        self._spare = spare
        self._publish = publish
        self._log = os.path.join(task_dir, layout.LOG)
        self._ours = False
        """Whether the process is a child of this one."""
        self._cgroup: Optional[cgroups.Cgroup] = None
        self._oom_before = memory_kills.Counters(None, None)
        self._peak: Optional[int] = None
        self._peak_at = 0.0
        self._since = time.monotonic()
        self._deadline: Optional[float] = None
        self._unseen_since: Optional[float] = None
        self.killed = False
        """Whether SIGKILL was sent by us."""
        self.record: Dict[str, Any] = {}

    def start(self, number: int) -> None:
        """Start the process in a session of its own. Raises OSError."""
        self.record = _first_record(number)
        launch = self._launch
        variables = dict(launch["env"], CLEW_ATTEMPT=str(number))
        variables[guard.LEASE_VARIABLE] = str(self._lease)
        argv = wrapper.wrap(launch["argv"], launch["setup"], variables)
        log = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        entrance = -1
        try:
            self.record["log_start"] = os.fstat(log).st_size
            self._cgroup = cgroups.make(_cgroup_name(self._dir, number))
            entrance = self._cgroup.entrance() if self._cgroup else -1
            self._oom_before = memory_kills.counters(self._cgroup.path if self._cgroup else None)
            process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._dir,
                env=dict(os.environ, **variables),
                start_new_session=True,
                pass_fds=(self._lease,),
                # Moved by itself before it is the program: from outside, what it starts at once
                # could be quicker than the move.
                preexec_fn=lambda: _enter(entrance),
            )
        finally:
            os.close(log)
            if entrance >= 0:
                os.close(entrance)
        pid = process.pid
        process.returncode = 0  # it is collected here, and Popen would warn of it
        self._ours = True
        if self._cgroup is not None and not self._cgroup.add(pid):
            self._cgroup.remove()
            self._cgroup = None
        self.record.update(pid=pid, start_time=procs.start_time(pid), started_at=time.time())
        self.record["oom_before"] = list(self._oom_before)
        self.record["cgroup"] = self._cgroup.path if self._cgroup else None

    def never_started(self, what: str) -> Dict[str, Any]:
        """The record of an attempt whose process could not be started."""
        self.record.update(ended_at=time.time(), exit_code=127, last_lines=[what])
        return self.record

    def take_over(self, known: Dict[str, Any]) -> None:
        """Go on with the attempt of a supervisor that was killed, from its record."""
        self.record = known
        self._cgroup = cgroups.recorded(known.get("cgroup"))
        before = known.get("oom_before")
        if isinstance(before, list) and len(before) == 2:
            self._oom_before = memory_kills.Counters(before[0], before[1])
        self._since = time.monotonic() - max(0.0, time.time() - known["started_at"])

    def poll(self, grace_s: Optional[float], exits: Dict[int, int], guarded: bool) -> bool:
        """Move on; True: the process and everything it started are gone, ``record`` is complete.

        Args:
            grace_s: seconds between SIGTERM and SIGKILL; 0: at once; None: no stop is ordered.
            exits: wait statuses that the guard has collected.
            guarded: whether the guard lives, so that a status may still come.
        """
        self._look_at_end(exits, guarded)
        self._look_at_peak()
        ended = self.record["ended_at"] is not None
        if not ended and grace_s is None:
            return False
        processes = self._processes()
        if ended and not processes.living():
            if self._cgroup is not None:
                self._cgroup.remove()
            return True
        return self._press(processes, ended, grace_s)

    def _press(self, processes: TaskProcesses, ended: bool, grace_s: Optional[float]) -> bool:
        now = time.monotonic()
        limit = now + _CLEANUP_GRACE_S
        if grace_s is not None:
            limit = min(limit, now + grace_s) if ended else now + grace_s
        if self._deadline is None:
            self._deadline = limit
            self.record["ended_by_us"] = not ended
            if grace_s is None or grace_s > 0:
                processes.terminate()
        self._deadline = min(self._deadline, limit)
        if now >= self._deadline:
            if self.killed and now >= self._deadline + KILL_WAIT_S and ended:
                return True  # what survives SIGKILL hangs in the kernel; stop_run reports it
            self.killed = True
            processes.kill()
        return False

    def _processes(self) -> TaskProcesses:
        launch = self._launch
        groups = [self.record["pid"]]
        token = launch["run_id"], launch["node"], launch["task"]
        return TaskProcesses(token[0], token[1], token[2], groups, self._spare, self._cgroup)

    def _look_at_end(self, exits: Dict[int, int], guarded: bool) -> None:
        """Record the end before it is collected: whoever takes over then finds it in either."""
        pid = self.record["pid"]
        if self.record["ended_at"] is None:
            if self._ours:
                found = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if found is not None:
                    by_signal = found.si_code != os.CLD_EXITED
                    self._end(*((None, found.si_status) if by_signal else (found.si_status, None)))
            elif pid in exits:
                self._end(*decode_status(exits[pid]))
            elif not procs.is_alive(pid, self.record["start_time"], self.record["boot_id"]):
                self._miss(guarded)
        _collect(0 if self.record["ended_at"] is not None or not self._ours else pid)

    def _miss(self, guarded: bool) -> None:
        """It is gone, and nobody has said how; the guard may be about to."""
        if self._unseen_since is None:
            self._unseen_since = time.monotonic()
        if not guarded or time.monotonic() - self._unseen_since > _UNSEEN_S:
            self._end(None, None)

    def _end(self, code: Optional[int], by_signal: Optional[int]) -> None:
        lines = endings.tail_lines(self._log, int(self.record.get("log_start") or 0))
        self.record.update(ended_at=time.time(), exit_code=code, signal=by_signal, last_lines=lines)
        if endings.killed_by_node(code, by_signal) and not self.killed:
            folder = self._cgroup.path if self._cgroup else None
            found = memory_kills.evidence(
                self.record["pid"], self._since, self._oom_before, folder, self._peak
            )
            self.record.update(oom=found.sure, oom_evidence=found.where)
            self.record.update(oom_counted=found.counted, peak_bytes=found.peak_bytes)
        self._publish()

    def _look_at_peak(self) -> None:
        now = time.monotonic()
        if self.record["ended_at"] is None and now >= self._peak_at:
            self._peak_at = now + _PEAK_EVERY_S
            self._peak = memory_kills.peak_of(self.record["pid"]) or self._peak


def decode_status(status: int) -> Tuple[Optional[int], Optional[int]]:
    """Exit code and signal, one of them None, of a wait status."""
    if os.WIFSIGNALED(status):
        return None, os.WTERMSIG(status)
    return os.WEXITSTATUS(status), None


def clear(launch: Dict[str, Any], spare: Tuple[int, ...]) -> None:
    """End what an attempt has started that nobody has recorded: its supervisor was killed."""
    left = TaskProcesses(launch["run_id"], launch["node"], launch["task"], (), spare)
    end = time.monotonic() + KILL_WAIT_S
    while left.living() and time.monotonic() < end:
        left.kill()
        time.sleep(0.05)
        _collect(0)


def _first_record(number: int) -> Dict[str, Any]:
    return {
        "attempt": number,
        "host": os.uname().nodename,
        "pid": None,
        "start_time": None,
        "boot_id": procs.boot_id(),
        "started_at": time.time(),
        "ended_at": None,
        "exit_code": None,
        "signal": None,
        "last_lines": [],
        "oom": False,
        "oom_evidence": "",
        "oom_counted": False,
        "peak_bytes": None,
        "cgroup": None,
        "ended_by_us": False,
    }


def _enter(entrance: int) -> None:
    """In the child: into the control group; it is looked at afterwards whether that went well."""
    try:
        if entrance >= 0:
            os.write(entrance, b"0")
    except OSError:
        pass


def _cgroup_name(task_dir: str, number: int) -> str:
    """Of this task's folder alone: groups are shared by all namespaces and accounts of a node."""
    found = os.stat(task_dir)
    place = "%s\0%d\0%d" % (task_dir, found.st_dev, found.st_ino)
    digest = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()
    return "%s%s-%d" % (cgroups.PREFIX, digest[:20], number)


def _collect(but: int) -> None:
    """Take the exit of every child, and of every orphan that was left to this process, ``but`` one.

    0: of all.
    """
    try:
        while True:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if found is None or found.si_pid == but:
                return
            os.waitpid(found.si_pid, 0)
    except ChildProcessError:
        pass
