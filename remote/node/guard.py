"""What stands behind a supervisor: starts it anew when it is killed, and keeps its task's exit.

A guard is the parent of a task's supervisor. When a supervisor is killed, its task becomes the
guard's child (prctl(2), ``PR_SET_CHILD_SUBREAPER``), so the exit status is not lost, and the next
supervisor takes the task over as it runs. When the guard is killed, its supervisor goes on without.

Only if both are killed is a task alone. It notices by itself: guard and supervisors hold one end of
a pipe, the lease, and the task has the other; when that says end of file, nobody is left.
"""

import ctypes
import os
import signal
import sys
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from remote.node import procs, record

LEASE_VARIABLE = "CLEW_LEASE_FD"
"""In a task's environment: the descriptor that says end of file when nobody is left."""

_PR_SET_CHILD_SUBREAPER = 36
_GOOD_S = 60.0
"""A supervisor that lived so long starts the count of those that died anew."""
_MOST_DEATHS = 20
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 5.0


class Post(NamedTuple):
    """What a supervisor is given by its guard."""

    guard: int
    """Pid of the guard."""
    resumes: bool
    """Whether an earlier supervisor of the same guard was killed."""
    exits: int
    """Reading end of a pipe with ``<pid> <wait status>`` lines of what the guard collected."""
    lease: int
    """The task's end of the lease."""


def adopt_orphans() -> None:
    """Have processes whose parent ends become children of this one (prctl(2))."""
    try:
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass  # they are found by their token as well


class Guard:
    """Runs ``supervise`` in a child until it returns; single-threaded.

    Args:
        supervise: sees the task to its end; called in a child, which ends with it.
    """

    def __init__(self, task_dir: str, supervise: Callable[[Post, int], None]) -> None:
        self._dir = task_dir
        self._supervise = supervise
        self._child = 0
        self._collected: List[Tuple[int, int]] = []
        self._lease, self._lease_held = os.pipe()

    def run(self, ready_fd: int) -> int:
        """Stand by until the task has ended; the exit status."""
        adopt_orphans()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._pass_on)
        deaths = 0
        while True:
            began = time.monotonic()
            status = self._one_supervisor(ready_fd, resumes=deaths > 0)
            if ready_fd >= 0:
                os.close(ready_fd)
                ready_fd = -1
            if status == 0:
                return 0
            if not self._has_published():
                return 1  # it could not even begin; whoever waits for it sees its last words
            deaths = 1 if time.monotonic() - began > _GOOD_S else deaths + 1
            if deaths > _MOST_DEATHS:
                return 1  # the end of the lease ends the task
            time.sleep(min(_FIRST_PAUSE_S * 2 ** (deaths - 1), _LONGEST_PAUSE_S))

    def _one_supervisor(self, ready_fd: int, resumes: bool) -> int:
        """Start one and wait for its end; its wait status."""
        exits, told = os.pipe()
        os.set_blocking(told, False)
        guard = os.getpid()
        self._child = os.fork()
        if self._child == 0:
            os.close(told)
            _end_with(lambda: self._supervise(Post(guard, resumes, exits, self._lease), ready_fd))
        os.close(exits)
        try:
            for pid, status in self._collected:
                _tell(told, pid, status)
            while True:
                pid, status = os.waitpid(-1, 0)
                if pid == self._child:
                    return status
                self._collected.append((pid, status))
                _tell(told, pid, status)
        finally:
            self._child = 0
            os.close(told)

    def _has_published(self) -> bool:
        known = record.load(self._dir)
        boss = known.get("supervisor") if known else None
        guard = boss.get("guard") if isinstance(boss, dict) else None
        return isinstance(guard, dict) and guard.get("pid") == os.getpid()

    def _pass_on(self, number: int, frame: Any) -> None:
        if self._child:
            procs.signal_quietly(self._child, number)


def parse_exits(data: bytes) -> Dict[int, int]:
    """Wait statuses by pid, from whole lines of :attr:`Post.exits`."""
    found = {}
    for line in data.split(b"\n"):
        words = line.split()
        if len(words) == 2 and words[0].isdigit() and words[1].isdigit():
            found[int(words[0])] = int(words[1])
    return found


def identity(pid: int) -> Optional[Dict[str, Any]]:
    """A process as the record names it; None: it is gone."""
    started = procs.start_time(pid)
    return None if started is None else {"pid": pid, "start_time": started}


def _tell(fd: int, pid: int, status: int) -> None:
    try:
        os.write(fd, b"%d %d\n" % (pid, status))
    except OSError:
        pass  # it was killed, or has not read for thousands of exits; the next one is told all


def _end_with(work: Callable[[], None]) -> None:
    """Do ``work`` and end this process, with a trace in the log if it fails."""
    status = 1
    try:
        work()
        status = 0
    except BaseException:  # this is a whole process' end; its guard starts another
        import traceback

        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)
