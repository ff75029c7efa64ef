"""What a task prints goes to a log file; a full disk costs lines of it, and nothing else."""

from __future__ import annotations

import errno
import io
import sys
from typing import Any

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG})
"""Errors of a disk that takes no more: full, over quota, read-only, file too large."""


class _Patient(io.RawIOBase):
    """Writes to a descriptor; what a full disk does not take is dropped."""

    def __init__(self, fd: int) -> None:
        super().__init__()
        self._file = io.FileIO(fd, "wb", closefd=False)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._file.fileno()

    def isatty(self) -> bool:
        return self._file.isatty()

    def write(self, data: Any) -> int:
        try:
            return self._file.write(data) or 0
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            return len(data)


def survive_full_disk() -> None:
    """From here on printing raises no error for want of space."""
    for name, fd in (("stdout", 1), ("stderr", 2)):
        try:
            raw = _Patient(fd)
        except OSError:
            continue  # the descriptor is closed
        stream = io.TextIOWrapper(raw, "utf-8", "backslashreplace", write_through=True)  # type: ignore[type-var]
        setattr(sys, name, stream)
