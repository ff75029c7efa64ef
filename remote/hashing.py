"""The SHA-256 of files: read in parallel, and remembered, so that a data set is read once."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from remote.errors import Cancelled

_BLOCK_BYTES = 1 << 20
_THREADS = 4
"""hashlib lets other threads run meanwhile; disks gain little from more."""
_SETTLED_S = 2.0
"""What changed within this time may change again within the grain of its time stamp."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS digest (path BLOB PRIMARY KEY, stamp TEXT NOT NULL, sha256 TEXT NOT NULL)
WITHOUT ROWID"""


@dataclass(frozen=True, slots=True)
class TreeFile:
    """One file: ``path`` in the tree with ``/``; its bytes are read from ``source``."""

    path: str
    source: Path
    size: int
    sha256: str


class KnownDigests:
    """What files' contents were, for as long as nothing about a file has changed.

    Only a convenience: a file of its own that cannot be used is as good as none.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        with contextlib.suppress(sqlite3.Error, OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=1.0, check_same_thread=False)
            self._database.execute(_SCHEMA)

    def close(self) -> None:
        with self._lock, contextlib.suppress(sqlite3.Error):
            if self._database is not None:
                self._database.commit()
                self._database.close()
            self._database = None

    def get(self, source: Path, found: os.stat_result) -> str | None:
        """The SHA-256 of a file that is as it was."""
        query = "SELECT sha256 FROM digest WHERE path = ? AND stamp = ?"
        with self._lock, contextlib.suppress(sqlite3.Error):
            if self._database is not None:
                row = self._database.execute(query, (_key(source), _stamp(found))).fetchone()
                return None if row is None else str(row[0])
        return None

    def put(self, source: Path, found: os.stat_result, sha256: str) -> None:
        """Remember a file that was read after ``found`` was its status."""
        changed = max(found.st_mtime, found.st_ctime)
        if time.time() - changed < _SETTLED_S or _stamp(os.stat(source)) != _stamp(found):
            return
        row = (_key(source), _stamp(found), sha256)
        with self._lock, contextlib.suppress(sqlite3.Error):
            if self._database is not None:
                self._database.execute("INSERT OR REPLACE INTO digest VALUES (?, ?, ?)", row)


def _key(source: Path) -> bytes:
    return os.fsencode(source.absolute())


def _stamp(found: os.stat_result) -> str:
    return f"{found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


@dataclass(frozen=True, slots=True)
class Hashing:
    """How files are hashed.

    Args:
        known: what is remembered; None: nothing.
        progress: takes bytes done and in total, from any thread.
        cancelled: whether the user has stopped it.
    """

    known: KnownDigests | None = None
    progress: Callable[[int, int], None] = lambda done, total: None
    cancelled: Callable[[], bool] = lambda: False

    def all(self, files: Sequence[tuple[str, Path]]) -> list[TreeFile]:
        """Hash files, given as path in the tree and source.

        Raises:
            OSError: a file cannot be read.
            Cancelled: the user stopped it.
        """
        total = sum(source.stat().st_size for _, source in files)
        lock, done = threading.Lock(), 0
        found: dict[int, TreeFile] = {}
        # One iterator for all threads: with many small files a task each would cost more than
        # the hashing. Its next() is one step of the interpreter.
        numbers = iter(range(len(files)))

        def advance(count: int) -> None:
            nonlocal done
            if self.cancelled():
                raise Cancelled("reading the files was stopped")
            with lock:
                done += count
            self.progress(done, total)

        def work() -> None:
            buffer = memoryview(bytearray(_BLOCK_BYTES))
            try:
                for number in numbers:
                    found[number] = self._one(*files[number], buffer, advance)
            except BaseException:
                for _ in numbers:  # nothing is left for the others
                    pass
                raise

        threads = min(_THREADS, len(files))
        with ThreadPoolExecutor(max(1, threads), thread_name_prefix="clew-hash") as pool:
            for working in [pool.submit(work) for _ in range(threads)]:
                working.result()
        return [found[number] for number in range(len(files))]

    def _one(
        self, path: str, source: Path, buffer: memoryview, advance: Callable[[int], None]
    ) -> TreeFile:
        status = source.stat()
        known = None if self.known is None else self.known.get(source, status)
        if known is not None:
            advance(status.st_size)
            return TreeFile(path, source, status.st_size, known)
        digest, size = hashlib.sha256(), 0
        with open(source, "rb", buffering=0) as stream:
            while count := stream.readinto(buffer):
                digest.update(buffer[:count])
                size += count
                advance(count)
        if self.known is not None:
            self.known.put(source, status, digest.hexdigest())
        return TreeFile(path, source, size, digest.hexdigest())
