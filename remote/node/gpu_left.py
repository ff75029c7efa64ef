"""Whether the GPUs still count memory of processes that have ended."""

import time
from typing import Any, Dict, List, Set

from remote.node import gpu_users, procs

WAIT_S = 5.0
"""A driver takes a moment to free what a killed process had."""
_POLL_S = 0.25


def held_by(pids: Set[int], wait_s: float = WAIT_S) -> List[str]:
    """In words, what the driver still counts for ``pids``, which have ended; waits for its end.

    Nothing where there is no ``nvidia-smi``, or it gives no answer: that is told elsewhere.
    """
    end = time.monotonic() + wait_s
    while pids:
        left = [user for user in gpu_users.computing() if _is_of(user, pids)]
        if not left or time.monotonic() >= end:
            return [_words(user) for user in left]
        time.sleep(_POLL_S)
    return []


def _is_of(user: Dict[str, Any], pids: Set[int]) -> bool:
    """Not if the pid went to another process meanwhile: that one runs, without our mark."""
    return user["pid"] in pids and (bool(user["run_id"]) or procs.start_time(user["pid"]) is None)


def _words(user: Dict[str, Any]) -> str:
    memory = user["memory_bytes"]
    amount = "memory" if memory is None else "%d MB" % (memory >> 20)
    return "GPU %s still counts %s for process %d" % (user["gpu"], amount, user["pid"])
