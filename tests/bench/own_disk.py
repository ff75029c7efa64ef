"""A file system of a bench's own: what others did to the machine's must not count.

Making files takes several times as long where thousands have just been deleted, as after tests.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_CLONE_NEWNS = 0x20000
_OPTIONS = "lazy_itable_init=0,lazy_journal_init=0"
"""Nothing is left to be done to the new file system while it is measured."""


@contextmanager
def own_disk(folder: Path, size: str = "2G") -> Iterator[Path]:
    """An empty folder: a new ext4 in a file, mounted for this process and those it starts.

    The mount ends with them, however that comes. Needs root; where it cannot be made that is said,
    and the folder is an ordinary one.
    """
    image, disk = folder / "disk.ext4", folder / "disk"
    disk.mkdir()
    is_mounted = _is_alone() and all(
        _succeeds(*command)
        for command in (
            ("mount", "--make-rprivate", "/"),
            ("truncate", "--size", size, str(image)),
            ("mkfs.ext4", "-q", "-F", "-E", _OPTIONS, str(image)),
            ("mount", "-o", "loop", str(image), str(disk)),
        )
    )
    yield disk
    if is_mounted:
        _succeeds("umount", str(disk))


def _is_alone() -> bool:
    """Gives this process a mount namespace of its own."""
    if ctypes.CDLL(None).unshare(_CLONE_NEWNS) == 0:
        return True
    print("  no file system of its own: no mount namespace can be made here")
    return False


def _succeeds(*command: str) -> bool:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"  no file system of its own: {command[0]}: {done.stderr.strip()}")
    return done.returncode == 0
