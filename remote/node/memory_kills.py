"""Whether the system killed a process because memory ran out: what counters and log say.

The kernel counts such kills for each control group with a memory limit (``memory.events``; in
version 1 ``memory.oom_control``) and for the whole machine (``oom_kill`` in ``/proc/vmstat``). Its
log names the process, where this account may read it. None of these is evidence alone: only a kill
by SIGKILL that the supervisor did not send is looked at.
"""

import os
import re
from typing import Dict, NamedTuple, Optional

from remote.node import cgroups, machine

_LOG = "/dev/kmsg"
"""One line of the kernel's log a read, with microseconds since boot (dev-kmsg)."""
_LINE_BYTES = 8192
_MOST_LINES = 100000
_V1_TOP = "/sys/fs/cgroup/memory"


class Counters(NamedTuple):
    """Kills for memory so far; None: not readable."""

    group: Optional[int]
    machine: Optional[int]


class Evidence(NamedTuple):
    """``where`` says what counted or named the kill; empty: nothing did.

    ``sure``: it was this process, or one of its group. ``counted``: whether there is a counter
    for it here, so that its silence says something.
    """

    where: str
    sure: bool
    counted: bool
    peak_bytes: Optional[int]


def counters(folder: Optional[str]) -> Counters:
    """What is counted now. ``folder``: the task's own control group, if it has one."""
    own = cgroups.memory_events(folder) if folder else None
    if own is None:
        own = machine.oom_kills()
    return Counters(_v1() if own is None else own, _vmstat().get("oom_kill"))


def evidence(
    pid: int, since: float, before: Counters, folder: Optional[str], peak_bytes: Optional[int]
) -> Evidence:
    """What speaks for memory, of a process that was killed by SIGKILL.

    Args:
        since: when the process was started, on the monotonic clock.
        before: what was counted then.
        peak_bytes: the most memory that it was seen to use.
    """
    after = counters(folder)
    whole = cgroups.peak_bytes(folder) if folder else None
    peak = max(whole or 0, peak_bytes or 0) or None
    counted = before.machine is not None and after.machine is not None
    where = ""
    if _named_in_log(pid, since):
        where = "the kernel's log names it"
    elif _more(before.group, after.group):
        where = "its cgroup counted the kill"
    sure = bool(where)
    if not sure and _more(before.machine, after.machine):
        where = "the kernel counted such a kill on this machine meanwhile"
    return Evidence(where, sure, counted, peak)


def peak_of(pid: int) -> Optional[int]:
    """The most memory that a process had at once so far (``VmHWM``), in bytes."""
    try:
        with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as file:
            for line in file:
                words = line.split()
                if words[:1] == ["VmHWM:"] and len(words) > 1 and words[1].isdigit():
                    return int(words[1]) * 1024
    except OSError:
        pass
    return None


def _more(before: Optional[int], after: Optional[int]) -> bool:
    return before is not None and after is not None and after > before


def _vmstat() -> Dict[str, int]:
    try:
        with open("/proc/vmstat", encoding="ascii", errors="replace") as file:
            pairs = (line.split() for line in file)
            return {p[0]: int(p[1]) for p in pairs if len(p) == 2 and p[1].isdigit()}
    except OSError:
        return {}


def _v1() -> Optional[int]:
    """``oom_kill`` of this process' version 1 memory group."""
    try:
        with open("/proc/self/cgroup", encoding="utf-8", errors="replace") as file:
            lines = [line.rstrip("\n").split(":", 2) for line in file]
        inner = next(parts[2] for parts in lines if "memory" in parts[1].split(","))
        with open(os.path.join(_V1_TOP + inner, "memory.oom_control"), encoding="ascii") as file:
            pairs = dict(line.split() for line in file)
        return int(pairs["oom_kill"])
    except (OSError, ValueError, KeyError, StopIteration, IndexError):
        return None


def _named_in_log(pid: int, since: float) -> bool:
    """Whether the kernel's log says since then (monotonic) that it killed this process.

    Many systems let only root read it.
    """
    try:
        fd = os.open(_LOG, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    pattern = re.compile(rb"^\d+,\d+,(\d+),[^;]*;.*[Kk]illed process %d \(" % pid)
    try:
        for _ in range(_MOST_LINES):
            try:
                found = pattern.match(os.read(fd, _LINE_BYTES))
            except BrokenPipeError:
                continue  # older lines were overwritten meanwhile
            if found is not None and int(found.group(1)) / 1e6 >= since:
                return True
    except OSError:
        pass  # EAGAIN: that was all
    finally:
        os.close(fd)
    return False
