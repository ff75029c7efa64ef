"""Freed memory serves the next step, unless the user's environment chooses otherwise."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.trainer.cluster import REPOSITORY

PROGRAM = """
import ctypes, resource
from trainer.memory import keep_freed_memory

keep_freed_memory()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
size = 40 << 20

def step():
    array = libc.malloc(ctypes.c_size_t(size))
    ctypes.memset(array, 1, size)
    libc.free(array)

step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(**environment: str) -> int:
    """Pages that five arrays of 40 MiB, one after another, had the kernel bring."""
    own = {k: v for k, v in os.environ.items() if not k.startswith(("MALLOC_", "GLIBC_"))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=REPOSITORY,
        env={**own, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_that_an_array_takes_the_pages_of_the_one_before() -> None:
    assert faults() < 1000


def test_that_the_users_choice_stands() -> None:
    assert faults(MALLOC_MMAP_THRESHOLD_="131072") > 5 * 1000
