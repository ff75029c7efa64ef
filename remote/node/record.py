"""A task's ``state.json``: written by its supervisor, read by agents.

    {"v": 1, "run_id", "task", "node", "hostname", "boot_id", "ports": [...],
     "state": "starting" | "running" | "restarting" | "finished" | "failed" | "stopped",
     "reason": str, "supervisor": {"pid", "start_time", "guard": {"pid", "start_time"} | None},
     "restarts": {"used", "in_a_row"}, "began": {"wall", "boottime"}, "disk": str | None,
     "attempts": [{"attempt", "host", "boot_id", "pid", "start_time", "started_at", "ended_at",
                   "exit_code", "signal", "last_lines", "oom", "oom_evidence", "oom_counted",
                   "peak_bytes", "cgroup", "ended_by_us"}]}

Times are UTC epoch seconds of the node's clock; start times are clock ticks since boot. ``cgroup``
is the attempt's own control group, by which it is killed as a whole; None: it has none, and its
process group and its token are used. ``last_lines`` are bounded and free of control characters.
``disk`` says why the task's folder takes no data now.
"""

import os
import time
from typing import Any, Dict, NamedTuple, Optional

from remote.node import files, layout, procs, refused, texts

MAX_STATE_BYTES = 4 * 1024 * 1024
FINAL = frozenset(("finished", "failed", "stopped"))
STATES = FINAL | {"starting", "running", "restarting"}
_SPARE_BYTES = 32 * 1024
CLOCK_BOOTTIME = getattr(time, "CLOCK_BOOTTIME", 7)
"""Seconds since boot, sleep included; Python 3.6 has no name for it."""

Record = Dict[str, Any]


class Observed(NamedTuple):
    """A record, and which of its processes run; a guard counts as its supervisor."""

    record: Record
    task_alive: bool
    supervisor_alive: bool

    @property
    def alive(self) -> bool:
        return self.task_alive or self.supervisor_alive


def load(task_dir: str) -> Optional[Record]:
    """The record in a task's folder; None: there is none that can be read."""
    data = files.read(os.path.join(task_dir, layout.STATE), MAX_STATE_BYTES)
    if data is None:
        return None
    try:
        record = texts.loads(data)
    except (ValueError, RecursionError):
        return None
    return record if _is_record(record) else None


def first(launch: Dict[str, Any], earlier: Optional[Record], guard: int, resumes: bool) -> Record:
    """What the calling supervisor begins with.

    Args:
        earlier: the record in the task's folder.
        guard: pid of its guard.
        resumes: whether it goes on where a supervisor that was killed has left off.
    """
    pid = os.getpid()
    boss = {"pid": pid, "start_time": procs.start_time(pid), "guard": None}
    if resumes and earlier is not None:
        return dict(earlier, supervisor=boss)
    began = {"wall": time.time(), "boottime": time.clock_gettime(CLOCK_BOOTTIME)}
    known = earlier.get("began") if earlier else None
    if isinstance(known, dict) and isinstance(known.get("wall"), float):
        began["wall"] = known["wall"]  # cut off by a reboot: its time runs on
    return {
        "v": 1,
        "run_id": launch["run_id"],
        "task": launch["task"],
        "node": launch["node"],
        "hostname": os.uname().nodename,
        "boot_id": procs.boot_id(),
        "ports": launch["ports"],
        "state": "starting",
        "reason": "",
        "supervisor": boss,
        "restarts": {"used": 0, "in_a_row": 0},
        "began": began,
        # A node that was rebooted goes on counting attempts where it was.
        "attempts": earlier["attempts"] if earlier else [],
    }


def _is_record(value: Any) -> bool:
    """Whether readers on both sides may rely on the shape; somebody may have edited the file."""
    if not isinstance(value, dict) or not isinstance(value.get("attempts"), list):
        return False
    if value.get("state") not in STATES or not isinstance(value.get("reason"), str):
        return False
    return all(isinstance(item, dict) and _is_attempt(item) for item in value["attempts"])


def _is_attempt(item: Dict[str, Any]) -> bool:
    whole, lines = (int, type(None)), item.get("last_lines")
    return (
        type(item.get("attempt")) is int
        and isinstance(item.get("started_at"), (int, float))
        and isinstance(item.get("ended_at"), (int, float, type(None)))
        and isinstance(item.get("exit_code"), whole)
        and isinstance(item.get("signal"), whole)
        and isinstance(lines, list)
        and all(isinstance(line, str) for line in lines)
    )


def supervisor_alive(record: Record) -> bool:
    """Whether the recorded supervisor itself still runs on this boot of this node."""
    known = record.get("supervisor")
    if not isinstance(known, dict):
        return False
    return procs.is_alive(known.get("pid"), known.get("start_time"), record.get("boot_id"))


def guard_alive(record: Record) -> bool:
    """Whether the guard runs, which replaces a supervisor that was killed."""
    boss = record.get("supervisor")
    guard = boss.get("guard") if isinstance(boss, dict) else None
    if not isinstance(guard, dict):
        return False
    return procs.is_alive(guard.get("pid"), guard.get("start_time"), record.get("boot_id"))


def task_alive(record: Record) -> bool:
    """Whether the process of the last attempt still runs."""
    last = last_attempt(record)
    return last is not None and procs.is_alive(
        last.get("pid"), last.get("start_time"), last.get("boot_id", record.get("boot_id"))
    )


def alive(record: Record) -> bool:
    """Whether anything of the task still runs."""
    return supervisor_alive(record) or task_alive(record) or guard_alive(record)


def observe(task_dir: str) -> Optional[Observed]:
    """The record together with what runs, in this order: dead means the record is the last."""
    known = load(task_dir)
    if known is None:
        return None
    task, boss = task_alive(known), supervisor_alive(known) or guard_alive(known)
    if not task and not boss and known["state"] not in FINAL:
        # A supervisor writes its last record before it ends, maybe after it was read here.
        known = load(task_dir) or known
        task, boss = task_alive(known), supervisor_alive(known) or guard_alive(known)
    return Observed(known, task, boss)


def last_attempt(record: Record) -> Optional[Dict[str, Any]]:
    attempts = record["attempts"]
    return attempts[-1] if attempts else None


class StateFile:
    """Publishes the record, also on a disk that is full.

    A spare file of some KiB is kept: when there is no space for a new file, the content goes into
    the spare's blocks, which are there already, and the spare is renamed into place.
    """

    def __init__(self, task_dir: str) -> None:
        self._path = os.path.join(task_dir, layout.STATE)
        self._spare = self._path + ".spare"
        self.pending: Optional[bytes] = None

    def write(self, record: Record) -> bool:
        """Publish; False: the disk takes nothing now, call :meth:`retry` later."""
        self.pending = texts.dumps(record)
        return self.retry()

    def retry(self) -> bool:
        """Publish what an earlier :meth:`write` could not."""
        if self.pending is None:
            return True
        data = self.pending
        try:
            files.publish(self._path, data)
        except OSError as error:
            if not refused.full(error) or not self._use_spare(data):
                return False
        self.pending = None
        self._make_spare()
        return True

    def remove_spare(self) -> None:
        files.remove_quietly(self._spare)

    def _use_spare(self, data: bytes) -> bool:
        try:
            fd = os.open(self._spare, os.O_WRONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            if os.fstat(fd).st_size < len(data):
                return False
            files.write_all(fd, data)
            os.ftruncate(fd, len(data))
            os.fsync(fd)
            os.replace(self._spare, self._path)
        except OSError:
            return False
        finally:
            os.close(fd)
        return True

    def _make_spare(self) -> None:
        try:
            fd = os.open(self._spare, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError:
            return  # it is there already, or there is no space for it now
        try:
            files.write_all(fd, b" " * _SPARE_BYTES)
        except OSError:
            files.remove_quietly(self._spare)
        finally:
            os.close(fd)
