"""Reads a growing file from an offset, and notices when it is cut or replaced."""

import os
import stat
from typing import Iterator, Optional, Tuple

from remote.node import wire

_PIECE_BYTES = 64 * 1024
"""Small enough that a slow link still carries a whole frame within the heartbeat's limit."""
_BEFORE_BYTES = 512
Piece = Tuple[int, bool, bytes]
"""Offset, whether the desktop must forget what it had of this file, the bytes."""


class Tail:
    """One followed file. At most :data:`wire.FOLLOW_WINDOW_BYTES` are under way.

    ``before`` are bytes that stood just before ``offset`` when they were read: where others stand
    there now, the file is another one, or was cut and has grown again, whatever its size says.
    """

    def __init__(self, path: str, offset: int, before: bytes = b"") -> None:
        self._path = path
        self._before = before[-_BEFORE_BYTES:] if len(before) <= offset else b""
        self._fd = -1
        self._inode: Optional[Tuple[int, int]] = None
        self._sent = offset
        self._taken = offset

    def took(self, offset: int) -> None:
        """The other side has everything before ``offset``."""
        if self._taken < offset <= self._sent:
            self._taken = offset

    def pieces(self) -> Iterator[Piece]:
        """What is new, as far as the window allows."""
        try:
            found: Optional[os.stat_result] = os.stat(self._path)
        except OSError:
            found = None
        is_new = found is None or (found.st_dev, found.st_ino) != self._inode
        if is_new and self._fd >= 0:
            # Replaced or removed: the rest of the old file comes first, the window permitting.
            for piece in self._read_on():
                yield piece
            if not self._is_at_end():
                return
        if found is None:
            return
        known = self._inode is not None
        if is_new and not self._open():
            return
        if (is_new and known) or self._was_cut(found.st_size, is_new):
            yield self._restart()
        if found.st_size != self._sent:
            for piece in self._read_on():
                yield piece

    def is_drained(self) -> bool:
        """Whether everything that the file holds now has been sent, or it cannot be read."""
        if self._fd < 0:
            return True
        try:
            found = os.stat(self._path)
        except OSError:
            return True
        return (found.st_dev, found.st_ino) == self._inode and found.st_size == self._sent

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _open(self) -> bool:
        self.close()
        try:
            # Never wait for the other end, should somebody have put a pipe there.
            flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
            self._fd = os.open(self._path, flags)
        except OSError:
            return False
        found = os.fstat(self._fd)
        if not stat.S_ISREG(found.st_mode):
            self.close()
            return False
        self._inode = (found.st_dev, found.st_ino)
        return True

    def _restart(self) -> Piece:
        self._sent = self._taken = 0
        self._before = b""
        return 0, True, b""

    def _was_cut(self, size: int, is_new: bool) -> bool:
        """Whether the file is shorter, or has other bytes where those stood that were read last."""
        if size == self._sent and not is_new:
            return False
        if size < self._sent:
            return True
        length = len(self._before)
        try:
            return os.pread(self._fd, length, self._sent - length) != self._before
        except OSError:
            return False  # it cannot be read at all now, and not from its start either

    def _is_at_end(self) -> bool:
        return os.fstat(self._fd).st_size <= self._sent

    def _read_on(self) -> Iterator[Piece]:
        while True:
            room = wire.FOLLOW_WINDOW_BYTES - (self._sent - self._taken)
            if room <= 0:
                return
            try:
                data = os.pread(self._fd, min(_PIECE_BYTES, room), self._sent)
            except OSError:
                return
            if not data:
                return
            offset, self._sent = self._sent, self._sent + len(data)
            self._before = (self._before + data)[-_BEFORE_BYTES:]
            yield offset, False, data
