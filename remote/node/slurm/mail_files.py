"""One direction of a byte channel over files on a disk that both sides see.

Bytes lie in segments of a fixed size, so that a position names a file and a place in it. The writer
appends, flushes, and only then says in its *side* file how far it came; the reader never looks
beyond that, because what a network file system shows of a growing file may have holes. The reader
says in its own side file how far it has taken; segments before that are removed by the writer.

    <call>/<stream>.<n>      bytes [n * SEGMENT_BYTES, (n + 1) * SEGMENT_BYTES) of a stream
    <call>/<side>.json       one side's word: {"beat", "wrote": {stream: n}, "took": ..., ...}

Each side writes its own files only, and each file is opened anew to be read: NFS shows what others
wrote to whoever opens a file, and not to whoever has it open.
"""

import os
import stat
import time
from typing import Any, Dict, Optional

from remote.node import files, texts
from remote.node.refused import Refused

SEGMENT_BYTES = 4 << 20
WINDOW_BYTES = 1 << 20
"""Most bytes of one direction that are on the disk and not yet taken."""
BEAT_S = 1.5
DEAD_S = 8.0
"""A side whose word has not changed for so long is gone. Only own clocks are read."""
_MOST_WORD_BYTES = 64 << 10
Word = Dict[str, Any]


class Writer:
    """Appends to a stream; one thread uses it."""

    def __init__(self, folder: str, stream: str) -> None:
        self._folder = folder
        self._stream = stream
        self.wrote = 0
        self._first = 0

    def write(self, data: bytes) -> None:
        """Append and flush ``data``. Raises OSError."""
        view = memoryview(data)
        while view:
            number, at = divmod(self.wrote, SEGMENT_BYTES)
            piece = view[: SEGMENT_BYTES - at]
            flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            fd = os.open(self._path(number), flags, 0o600)
            try:
                os.lseek(fd, at, os.SEEK_SET)
                files.write_all(fd, bytes(piece))
                os.fsync(fd)
            finally:
                os.close(fd)
            self.wrote += len(piece)
            view = view[len(piece) :]

    def room(self, took: int) -> int:
        """How much may be written, where the reader has taken ``took`` bytes."""
        while (self._first + 1) * SEGMENT_BYTES <= min(took, self.wrote):
            files.remove_quietly(self._path(self._first))
            self._first += 1
        return max(0, WINDOW_BYTES - (self.wrote - took))

    def _path(self, number: int) -> str:
        return os.path.join(self._folder, "%s.%d" % (self._stream, number))


class Reader:
    """Reads a stream from its start; one thread uses it."""

    def __init__(self, folder: str, stream: str) -> None:
        self._folder = folder
        self._stream = stream
        self.took = 0

    def read(self, wrote: int) -> bytes:
        """What there is up to position ``wrote``, maybe only a part of it; may be empty."""
        number, at = divmod(self.took, SEGMENT_BYTES)
        wanted = min(wrote - self.took, SEGMENT_BYTES - at, WINDOW_BYTES)
        if wanted <= 0:
            return b""
        path = os.path.join(self._folder, "%s.%d" % (self._stream, number))
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return b""  # not seen here yet
        try:
            data = os.pread(fd, wanted, at)
        finally:
            os.close(fd)
        self.took += len(data)
        return data


class Side:
    """What this side says, published when it changes and as a sign of life."""

    def __init__(self, folder: str, name: str) -> None:
        self._path = os.path.join(folder, name + ".json")
        self._said: Optional[Word] = None
        self._beat = 0
        self._at = 0.0

    def say(self, word: Word) -> None:
        """Publish ``word`` if it is new, or was said too long ago. Raises OSError."""
        now = time.monotonic()
        if word == self._said and now - self._at < BEAT_S:
            return
        self._beat += 1
        files.publish(self._path, texts.dumps(dict(word, beat=self._beat)))
        self._said, self._at = dict(word), now


class Peer:
    """The other side's word, and whether it still lives."""

    def __init__(self, folder: str, name: str) -> None:
        self._path = os.path.join(folder, name + ".json")
        self._raw: Optional[bytes] = None
        self._changed_at = time.monotonic()
        self.word: Word = {}

    def look(self) -> bool:
        """Read it again; whether it has changed."""
        raw = files.read(self._path, _MOST_WORD_BYTES)
        if raw is None or raw == self._raw:
            return False
        try:
            word = texts.loads(raw)
        except (ValueError, RecursionError):
            return False
        if not isinstance(word, dict):
            return False
        self._raw, self.word, self._changed_at = raw, word, time.monotonic()
        return True

    def position(self, kind: str, stream: str) -> int:
        """``wrote`` or ``took`` of a stream, never negative."""
        numbers = self.word.get(kind)
        value = numbers.get(stream) if isinstance(numbers, dict) else None
        return value if type(value) is int and value > 0 else 0

    @property
    def heard(self) -> bool:
        """Whether it has said anything yet."""
        return self._raw is not None

    @property
    def dead(self) -> bool:
        return time.monotonic() - self._changed_at > DEAD_S


class Pauses:
    """How long to wait before the next look: short while something happens."""

    def __init__(self) -> None:
        self._pause_s = 0.01

    def after(self, busy: bool) -> float:
        self._pause_s = 0.01 if busy else min(self._pause_s * 1.5, 0.2)
        return self._pause_s


def own_folder(path: str) -> None:
    """Make sure that ``path`` is a folder of this account that no other may enter.

    Raises:
        Refused: it is somebody else's, or no folder, or others may enter it.
    """
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise Refused("%s is not a folder of this account" % path, "Look at who made it.")
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise Refused("others may enter %s" % path, "Run: chmod 700 on that folder.")
