"""A lock on a file of one window that ends with its process, however that ends."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from PySide6.QtCore import QLockFile

if sys.platform != "win32":
    import fcntl


class WindowLock:
    """The system's own lock: a process's number would not do, since others get it later."""

    def __init__(self, file: Path) -> None:
        self._file = file.with_suffix(".lock")
        self._handle: int | None = None
        self._other: QLockFile | None = None

    def take(self) -> bool:
        """Whether it is held now, by this object."""
        if sys.platform == "win32":
            self._other = QLockFile(str(self._file))
            self._other.setStaleLockTime(0)
            return bool(self._other.tryLock(0))
        try:
            handle = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            return False
        self._handle = handle
        return True

    def unlock(self) -> None:
        """Let go of it, and remove its file."""
        if self._other is not None:
            self._other.unlock()
        if self._handle is not None:
            with contextlib.suppress(OSError):
                self._file.unlink()
            os.close(self._handle)
            self._handle = None
