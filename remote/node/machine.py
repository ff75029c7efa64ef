"""What the node is made of, as far as this account may use it."""

import os
from typing import Dict, Iterator, List, Optional

_CGROUP = "/sys/fs/cgroup"


def cpus() -> int:
    """CPUs that this account's processes may use: affinity, and a quota where there is one."""
    count = len(os.sched_getaffinity(0))
    for folder in cgroup_folders():
        quota = _words(os.path.join(folder, "cpu.max"))
        if len(quota) == 2 and quota[0].isdigit() and quota[1].isdigit() and int(quota[1]):
            count = min(count, max(1, -(-int(quota[0]) // int(quota[1]))))
    return count


def memory_bytes() -> int:
    """Memory that this account's processes may use: the machine's, or a lower cgroup limit."""
    total = meminfo().get("MemTotal", 0)
    limits = [_words(os.path.join(folder, "memory.max")) for folder in cgroup_folders()]
    limits.append(_words(os.path.join(_CGROUP, "memory", "memory.limit_in_bytes")))
    numbers = [int(words[0]) for words in limits if words and words[0].isdigit()]
    return min([total] + [number for number in numbers if number > 0])


def meminfo() -> Dict[str, int]:
    """``/proc/meminfo`` in bytes."""
    values = {}
    try:
        with open("/proc/meminfo", encoding="ascii", errors="replace") as file:
            for line in file:
                name, _, rest = line.partition(":")
                words = rest.split()
                if words and words[0].isdigit():
                    values[name] = int(words[0]) * (1024 if words[-1] == "kB" else 1)
    except OSError:
        pass
    return values


def cgroup_folders(pid: Optional[int] = None) -> Iterator[str]:
    """The version 2 cgroup of a process (None: this one) and those around it."""
    try:
        with open("/proc/%s/cgroup" % (pid or "self"), encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return
    inner = next((line[3:] for line in lines if line.startswith("0::")), None)
    while inner is not None:
        yield _CGROUP + (inner if inner != "/" else "")
        inner = os.path.dirname(inner) if inner not in ("/", "") else None


def oom_kills(pid: Optional[int] = None) -> Optional[int]:
    """How many processes of a cgroup the kernel killed for memory; None: not readable."""
    for folder in cgroup_folders(pid):
        try:
            with open(os.path.join(folder, "memory.events"), encoding="ascii") as file:
                pairs = dict(line.split() for line in file)
            return int(pairs["oom_kill"])
        except (OSError, ValueError, KeyError):
            continue
    return None


def _words(path: str) -> List[str]:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read().split()
    except OSError:
        return []
