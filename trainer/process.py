"""Facts about this process."""

from __future__ import annotations

import os
import time

_IMPORTED = time.monotonic()


def seconds_since_start() -> float:
    """Seconds since the system started this process; since our import where it does not tell.

    Field 22 of ``/proc/self/stat`` is the start in clock ticks since boot (proc(5)).
    """
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        started = ticks / os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - started
    except (OSError, ValueError, IndexError, AttributeError):
        return time.monotonic() - _IMPORTED
