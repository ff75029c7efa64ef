"""Trees on the disk of a node, whole and unfinished.

An unfinished one is a folder with a journal of what is in it, locked by its only writer.
"""

import errno
import fcntl
import os
import shutil
import time
import uuid
from typing import Any, Dict, List, Optional, Tuple

from remote.node import files, layout, texts

_STALE_S = 86400.0
_REMOVE_TRIES = 5
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
_MOST_JSON_BYTES = 64 * 1024 * 1024
_MOST_CHECKED = 5000
_WORTH_NOTING_BYTES = 1 << 20
"""Only of larger files is it noted that they were begun; a smaller one is soon sent again."""


class Part:
    """The unfinished folder of one tree. Whoever has it open is its only writer."""

    def __init__(self, path: str, journal_fd: int) -> None:
        self.path = path
        self.finished: List[Tuple[str, int]] = []
        """Path and size of each file that is whole and on the disk, in the order they came."""
        self._begun: Optional[Tuple[str, int]] = None
        self._journal_fd = journal_fd
        self._read_journal()

    @classmethod
    def open(cls, parent: str, digest: str) -> Optional["Part"]:
        """The part of a tree, with what an earlier upload left in it.

        None while another writer has it; a new one where files cannot be locked.
        """
        path = os.path.join(parent, layout.PART_PREFIX + digest)
        try:
            return cls(path, hold(path))
        except BlockingIOError:
            return None
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise
        path = os.path.join(parent, layout.PART_PREFIX + uuid.uuid4().hex)
        os.mkdir(path, 0o700)
        return cls(path, open_journal(path))

    def begun_bytes(self) -> int:
        """How many bytes are there of the file after the finished ones."""
        if self._begun is None:
            return 0
        path, size = self._begun
        try:
            return min(size, os.lstat(os.path.join(self.path, path)).st_size)
        except OSError:
            return 0

    @staticmethod
    def is_worth_noting(size: int) -> bool:
        """Whether a file of this size is gone on with where an upload broke off in it."""
        return size >= _WORTH_NOTING_BYTES

    def begin(self, path: str, size: int) -> None:
        self._note({"begun": path, "size": size})

    def finish(self, files: List[Tuple[str, int]]) -> None:
        """Note some files, path and size of each, that are on the disk."""
        self.finished += files
        self._note(*({"file": path, "size": size} for path, size in files))

    def publish(self, final: str) -> None:
        """Make the folder the tree ``final``.

        The journal goes last: without it, whoever waits for its lock would make another and
        take the folder for its own.
        """
        publish(self.path, final)
        files.remove_quietly(os.path.join(final, layout.JOURNAL))

    def remove(self) -> None:
        """Remove the folder, if it is still one."""
        discard(self.path)

    def close(self) -> None:
        os.close(self._journal_fd)

    def _note(self, *entries: Dict[str, Any]) -> None:
        files.write_all(self._journal_fd, b"".join(map(texts.line, entries)))

    def _read_journal(self) -> None:
        data = files.read(os.path.join(self.path, layout.JOURNAL), _MOST_JSON_BYTES) or b""
        good = 0
        for line in data.splitlines(True):
            try:
                entry = texts.loads(line)
                size = int(entry["size"])
                if "begun" in entry:
                    self._begun = (str(entry["begun"]), size)
                else:
                    path = str(entry["file"])
                    if os.lstat(os.path.join(self.path, path)).st_size != size:
                        break
                    self.finished.append((path, size))
                    self._begun = None
            except (OSError, ValueError, KeyError, TypeError):
                break  # written only half, or its file has gone: what is before it counts
            good += len(line)
        os.ftruncate(self._journal_fd, good)


def discard(path: str) -> None:
    """Remove an unfinished folder: out of the way first, since others wait for its journal."""
    gone = os.path.join(os.path.dirname(path), layout.PART_PREFIX + uuid.uuid4().hex)
    try:
        os.rename(path, gone)
    except OSError:
        gone = path
    for _ in range(_REMOVE_TRIES):
        shutil.rmtree(gone, ignore_errors=True)
        if not os.path.lexists(gone):
            break


def is_whole(folder: str) -> bool:
    """Whether a published tree is still there; cleaners remove single files of old folders."""
    data = files.read(os.path.join(folder, layout.MANIFEST), _MOST_JSON_BYTES)
    if data is None:
        return False
    try:
        sizes = texts.loads(data)["files"]
        return all(
            os.stat(os.path.join(folder, path)).st_size == size
            for path, size in sizes[:_MOST_CHECKED]
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def publish(part: str, final: str) -> None:
    """Make an unfinished folder, written to the end, the tree ``final``."""
    if os.path.lexists(final) and not is_whole(final):
        # Damaged: out of the way first; nobody can have been using it with success.
        broken = os.path.join(os.path.dirname(final), layout.PART_PREFIX + uuid.uuid4().hex)
        os.rename(final, broken)
        shutil.rmtree(broken, ignore_errors=True)
    try:
        os.rename(part, final)
    except OSError:
        if not is_whole(final):  # else another agent on a shared disk was faster
            raise
    files.sync_folder(os.path.dirname(final))


def hold(path: str) -> int:
    """Make the folder if need be and lock it; its journal, open, which holds the lock.

    Raises BlockingIOError while somebody else has it, and OSError when it cannot be locked.
    """
    while True:
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            pass
        try:
            fd = open_journal(path)
        except FileNotFoundError:
            continue  # its holder removed or published it just now
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(fd).st_ino == os.stat(os.path.join(path, layout.JOURNAL)).st_ino:
                return fd
        except FileNotFoundError:
            pass  # the same, a moment later
        except OSError:
            os.close(fd)
            raise
        os.close(fd)


def open_journal(path: str) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    return os.open(os.path.join(path, layout.JOURNAL), flags, 0o600)


def remove_stale(parent: str) -> None:
    """Remove unfinished folders that nobody has written to for a day."""
    limit = time.time() - _STALE_S
    for name in os.listdir(parent):
        path = os.path.join(parent, name)
        try:
            if name.startswith(layout.PART_PREFIX) and _last_change(path) < limit:
                shutil.rmtree(path, ignore_errors=True)
        except OSError:
            continue


def _last_change(path: str) -> float:
    try:
        return os.lstat(os.path.join(path, layout.JOURNAL)).st_mtime
    except OSError:
        return os.lstat(path).st_mtime
