"""What a node measures of itself at one moment: CPU, memory, GPUs."""

import time
from typing import Any, Dict, Optional, Tuple

from remote.node import machine, procs
from remote.node.gpu_watch import GpuWatch

_CLOCK_BOOTTIME = 7
"""Of ``<linux/time.h>``; Python 3.6 has no name for it."""


class Meter:
    """Makes samples; each tells how busy the CPUs were since the one before."""

    def __init__(self, gpus: GpuWatch) -> None:
        self._gpus = gpus
        self._boot = procs.boot_id()
        self._before: Optional[Tuple[int, int]] = None

    def pause(self) -> None:
        """The next sample is not about the time since the last."""
        self._before = None

    def sample(self) -> Dict[str, Any]:
        """Times: ``t`` UTC epoch seconds, ``tick`` seconds since boot, which nobody can set."""
        memory = machine.meminfo()
        total, free = memory.get("MemTotal"), memory.get("MemAvailable")
        gpus, note = self._gpus.snapshot()
        return {
            "t": time.time(),
            "boot": self._boot,
            "tick": tick(),
            "cpu_percent": self._cpu_percent(),
            "memory_used_bytes": None if total is None or free is None else total - free,
            "memory_total_bytes": total,
            "gpus": [dict(gpu._asdict()) for gpu in gpus],
            "gpu_note": note,
        }

    def _cpu_percent(self) -> Optional[float]:
        """Busy share of all CPUs since the last sample; None for the first."""
        now, before = _cpu_ticks(), self._before
        self._before = now
        if now is None or before is None or now[1] <= before[1]:
            return None
        return min(100.0, max(0.0, 100.0 * (now[0] - before[0]) / (now[1] - before[1])))


def tick() -> float:
    """Seconds since this boot, suspended time included."""
    try:
        return time.clock_gettime(_CLOCK_BOOTTIME)
    except OSError:
        return time.monotonic()


def _cpu_ticks() -> Optional[Tuple[int, int]]:
    """Busy and total clock ticks since boot (``/proc/stat``); guests are counted in user."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            fields = [int(word) for word in file.readline().split()[1:9]]
    except (OSError, ValueError):
        return None
    if len(fields) < 5:
        return None
    return sum(fields) - fields[3] - fields[4], sum(fields)
