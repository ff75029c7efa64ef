"""Flushes received files several at a time: a disk takes many at once as fast as one."""

import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Deque, Tuple

from remote.node.parts import Part

_AT_ONCE = 8
MOST_WAITING = 16
"""Files that are written and not flushed yet; each keeps a descriptor, and is sent
again when the connection ends before it is on the disk."""


class Flushing:
    """The files of one part on their way to the disk, noted in the order in which they came."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="flush")
        self._waiting: Deque[Tuple["Future[None]", str, int]] = deque()

    def begin(self, path: str, size: int) -> None:
        """Another file begins; that is noted after those before it."""
        if self._part.is_worth_noting(size):
            self.wait()
            self._part.begin(path, size)

    def finish(self, fd: int, path: str, size: int) -> None:
        """Flush and close ``fd``, and note the file. Raises OSError of this one or an earlier."""
        self._waiting.append((self._pool.submit(_flush, fd), path, size))
        self._note(MOST_WAITING)

    def wait(self) -> None:
        """Until all are on the disk and noted. Raises OSError."""
        self._note(0)

    def close(self) -> None:
        """Note what reaches the disk; after an error only what came before it."""
        try:
            self.wait()
        except OSError:
            pass  # whoever finished or waited has met it
        self._pool.shutdown()

    def _note(self, most: int) -> None:
        while self._waiting and (len(self._waiting) > most or self._waiting[0][0].done()):
            flushed, path, size = self._waiting[0]
            flushed.result()  # an error stays at the front: nothing behind it is noted
            self._waiting.popleft()
            self._part.finish(path, size)


def _flush(fd: int) -> None:
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
