"""How this process treats the memory that it frees."""

from __future__ import annotations

import ctypes
import os

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
"""Of mallopt(3), from glibc's malloc.h."""
_ONE_GIB = 1 << 30


def keep_freed_memory() -> None:
    """Let what one step frees serve the next step, instead of going back to the system.

    glibc maps each large array anew, and the kernel clears its pages each time: with 13 MB of
    variables that took a fifth of a ps' time. One arena, because the others can hold no large
    array. Nothing happens where the C library is another one, or the environment has a choice of
    the user's (``MALLOC_...``).
    """
    if any(name.startswith(("MALLOC_", "GLIBC_TUNABLES")) for name in os.environ):
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    mallopt(_M_MMAP_THRESHOLD, _ONE_GIB)
    mallopt(_M_TRIM_THRESHOLD, _ONE_GIB)
    mallopt(_M_ARENA_MAX, 1)
