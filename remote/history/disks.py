"""What the file system under the history can do, and a lock among processes of this computer."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows, whose open files cannot be renamed by another anyway
    fcntl = None  # type: ignore[assignment]

_NETWORK = frozenset(
    (
        "nfs",
        "nfs4",
        "cifs",
        "smb",
        "smb3",
        "smbfs",
        "afs",
        "ceph",
        "lustre",
        "gpfs",
        "beegfs",
        "glusterfs",
        "9p",
        "fuse.sshfs",
        "fuse.glusterfs",
        "fuse.ceph",
        "fuse.juicefs",
        "fuse.s3fs",
    )
)
_MOUNTS = Path("/proc/self/mounts")
_ESCAPE = re.compile(r"\\([0-7]{3})")


def over_network(path: Path, mounts: Path = _MOUNTS) -> bool:
    """Whether ``path`` lies on a file system that other computers may write to as well.

    ``mounts`` has the form of ``/proc/mounts`` (fstab(5)); False where there is none.
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return False
    real, kind, longest = os.path.realpath(path), "", -1
    for words in (line.split(" ") for line in lines):
        if len(words) < 3:
            continue
        place = _ESCAPE.sub(lambda found: chr(int(found[1], 8)), words[1])
        inside = place == "/" or real == place or real.startswith(place + "/")
        # Of several mounts on one place the last is on top.
        if inside and len(place) >= longest:
            kind, longest = words[2], len(place)
    return kind in _NETWORK


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other processes of this computer from setting ``path`` aside at the same time."""
    try:
        fd = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        yield  # a folder that takes no file: nothing can be renamed in it either
        return
    try:
        if fcntl is not None:
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
