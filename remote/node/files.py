"""Publishing files so that a reader sees the old content or the new, never half of it."""

import os
import uuid
from typing import Any, Dict, Optional

from remote.node import texts


def publish(path: str, data: bytes, mode: int = 0o600) -> None:
    """Write ``data`` beside ``path``, flush it to the disk, rename it into place."""
    part = "%s.%s.tmp" % (path, uuid.uuid4().hex[:12])
    try:
        write_new(part, data, mode)
        os.replace(part, path)
    except OSError:
        remove_quietly(part)
        raise
    sync_folder(os.path.dirname(path))


def write_new(path: str, data: bytes, mode: int = 0o600) -> None:
    """Create ``path``, which must not exist, and flush it to the disk."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        write_all(fd, data)
        os.fsync(fd)
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write every byte, however often the system takes only some."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def read(path: str, limit: int) -> Optional[bytes]:
    """At most ``limit`` bytes from the start of a file; None: it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(limit)
    except OSError:
        return None


def document(path: str, limit: int) -> Dict[str, Any]:
    """The JSON object in a file; empty: there is none that can be read."""
    try:
        found = texts.loads(read(path, limit) or b"")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def sync_folder(path: str) -> None:
    """Flush a folder's entries; file systems that cannot are let be."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.fsync(fd)
    except OSError:
        pass
    finally:
        os.close(fd)


def remove_quietly(path: str) -> None:
    """Remove a file if it is there."""
    try:
        os.unlink(path)
    except OSError:
        pass
