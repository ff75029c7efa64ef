"""Flushes received files in groups: a disk takes many at once nearly as fast as one.

A group is first told to be written, then waited for file by file: most file systems have all of
it on the disk by the time that its first file is.
"""

import ctypes
import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Deque, List, Optional, Tuple

from remote.node.parts import Part

GROUP = 8
_AT_ONCE = 4
MOST_WAITING = GROUP * _AT_ONCE
"""Files that are written and not flushed yet; each keeps a descriptor, and is sent
again when the connection ends before it is on the disk."""
_WRITE = 2
"""Linux' SYNC_FILE_RANGE_WRITE: begin to write what is dirty, and wait for nothing."""

_File = Tuple[int, str, int]

try:
    _LIBC: Optional[ctypes.CDLL] = ctypes.CDLL(None)
except OSError:
    _LIBC = None


class Flushing:
    """The files of one part on their way to the disk, noted in the order in which they came."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="flush")
        self._next: List[_File] = []
        self._waiting: Deque[_Group] = deque()

    def begin(self, path: str, size: int) -> None:
        """Another file begins; that is noted after those before it."""
        if self._part.is_worth_noting(size):
            self.wait()
            self._part.begin(path, size)

    def finish(self, fd: int, path: str, size: int) -> None:
        """Flush and close ``fd``, and note the file. Raises OSError of this one or an earlier."""
        self._next.append((fd, path, size))
        if len(self._next) == GROUP:
            self._submit()
            self._note(_AT_ONCE - 1)

    def wait(self) -> None:
        """Until all are on the disk and noted. Raises OSError."""
        self._submit()
        self._note(0)

    def close(self) -> None:
        """Note what reaches the disk; after an error only what came before it."""
        try:
            self.wait()
        except OSError:
            pass  # whoever finished or waited has met it
        self._pool.shutdown()

    def _submit(self) -> None:
        if self._next:
            self._waiting.append(_Group(self._pool, self._next))
            self._next = []

    def _note(self, most: int) -> None:
        while self._waiting and (len(self._waiting) > most or self._waiting[0].is_flushed()):
            # One with an error stays at the front: nothing behind it is noted.
            self._part.finish(self._waiting[0].flushed())
            self._waiting[0].check()
            self._waiting.popleft()


class _Group:
    """Some files that are being flushed."""

    def __init__(self, pool: ThreadPoolExecutor, files: List[_File]) -> None:
        self._files = files
        self._done: List[Tuple[str, int]] = []
        self._wrong: Optional[OSError] = None
        self._flushed = pool.submit(self._flush)

    def is_flushed(self) -> bool:
        return self._flushed.done()

    def flushed(self) -> List[Tuple[str, int]]:
        """Waits; path and size of each file up to the first that the disk refused, told once."""
        self._flushed.result()
        done, self._done = self._done, []
        return done

    def check(self) -> None:
        """Raises OSError when the disk refused a file."""
        if self._wrong is not None:
            raise self._wrong

    def _flush(self) -> None:
        for fd, _, _ in self._files:
            _begin_to_write(fd)
        for fd, path, size in self._files:
            try:
                if self._wrong is None:
                    os.fsync(fd)
                    self._done.append((path, size))
            except OSError as error:
                self._wrong = error
            finally:
                os.close(fd)


def _begin_to_write(fd: int) -> None:
    """A hint only: whatever comes of it, the file is flushed after it."""
    if _LIBC is not None and hasattr(_LIBC, "sync_file_range"):
        start = length = ctypes.c_int64(0)
        _LIBC.sync_file_range(fd, start, length, ctypes.c_uint(_WRITE))
