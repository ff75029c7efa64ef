"""The SQLite file under the history: open, check, set aside when damaged, one writer at a time."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import platformdirs

from remote.errors import HistoryError, NewerHistory
from remote.history.disks import locked, over_network
from remote.history.rescue import rescue
from remote.history.schema import VERSION, migrate

DATA_DIR_VARIABLE = "CLEW_DATA_DIR"
_BUSY_S = 4.0
"""So long a statement waits for another process that writes."""
_CHECK_S = 0.25
"""The check at the start ends after this: a window must not wait for the size of a history."""
_STEPS = 2000
"""Instructions of SQLite's machine between two looks at the clock."""


def default_path() -> Path:
    """The history of this account: in ``$CLEW_DATA_DIR`` if set, else where data belong here."""
    folder = os.environ.get(DATA_DIR_VARIABLE)
    base = Path(folder) if folder else platformdirs.user_data_path("clew", appauthor=False)
    return base / "history.db"


class Database:
    """One connection for writing, under a lock; a fresh one for each reading.

    Raises:
        HistoryError: the file cannot be opened or written, or is of a newer Clew.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notice = ""
        """One sentence when a damaged file was set aside."""
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unusable(error.strerror or str(error)) from None
        self._writer = self._open_checked()

    @contextlib.contextmanager
    def writing(self, wait_s: float = _BUSY_S) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is stored, or nothing.

        Args:
            wait_s: so long it waits for another process that writes.

        Raises:
            HistoryError: it cannot be written; nothing has changed.
        """
        with self._lock:
            try:
                self._writer.execute(f"PRAGMA busy_timeout={int(wait_s * 1000)}")
                self._writer.execute("BEGIN IMMEDIATE")
                yield self._writer
                self._writer.execute("COMMIT")
            except sqlite3.Error as error:
                raise self._unusable(str(error)) from None
            finally:
                if _is_open(self._writer) and self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees one consistent state. Raises HistoryError."""
        try:
            with contextlib.closing(self._connect()) as connection:
                connection.execute("BEGIN")
                yield connection
        except sqlite3.Error as error:
            raise self._unusable(str(error)) from None

    def check(self) -> str:
        """Read the whole file through, however long it takes; what is wrong, empty: nothing."""
        try:
            with contextlib.closing(self._connect()) as connection:
                return _verdict(connection, "integrity_check(1)", None)
        except sqlite3.OperationalError as error:
            if not _is_damage(error):
                raise self._unusable(str(error)) from None
            return str(error)
        except sqlite3.DatabaseError as error:
            return str(error)

    def start_anew(self) -> None:
        """Set the file aside as damaged and go on with an empty one. Raises HistoryError."""
        with self._lock:
            self._writer.close()
            with locked(self.path):
                kept = self._set_aside()
                self._writer = self._open_or_say()
                self._take_over(self._writer, kept)

    def close(self) -> None:
        with self._lock:
            self._writer.close()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            str(self.path), timeout=_BUSY_S, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA foreign_keys=ON")
        return connection

    def _open_checked(self) -> sqlite3.Connection:
        try:
            return self._open()
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise self._unusable(str(error)) from None
        with locked(self.path):
            try:
                # Another process may have set it aside, and begun anew, a moment ago.
                return self._open()
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise self._unusable(str(error)) from None
            kept = self._set_aside()
            connection = self._open_or_say()
            self._take_over(connection, kept)
            return connection

    def _open_or_say(self) -> sqlite3.Connection:
        try:
            return self._open()
        except sqlite3.Error as error:
            raise self._unusable(str(error)) from None

    def _open(self) -> sqlite3.Connection:
        connection = self._connect()
        try:
            verdict = _verdict(connection, "quick_check(1)", _CHECK_S)
            if verdict:
                raise sqlite3.DatabaseError(verdict)
            self._choose_journal(connection)
            self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _choose_journal(self, connection: sqlite3.Connection) -> None:
        """Write ahead, except where several computers may see the file: they share no memory."""
        if over_network(self.path):
            connection.execute("PRAGMA journal_mode=DELETE")
            connection.execute("PRAGMA synchronous=FULL")
            return
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if _is_damage(error):
                raise
            connection.execute("PRAGMA journal_mode=DELETE")
        connection.execute("PRAGMA synchronous=NORMAL")

    def _migrate(self, connection: sqlite3.Connection) -> None:
        # Nothing is locked where nothing is to be changed: another process may be writing.
        if self._version(connection) == VERSION:
            return
        connection.execute("BEGIN IMMEDIATE")
        migrate(connection, self._version(connection))
        connection.execute("COMMIT")

    def _version(self, connection: sqlite3.Connection) -> int:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version > VERSION:
            raise NewerHistory(
                f"the history {self.path} was written by a newer Clew (version {version})",
                remedy=f"Install the newest Clew, or set {DATA_DIR_VARIABLE} to another folder.",
            )
        return version

    def _take_over(self, connection: sqlite3.Connection, kept: Path) -> None:
        """Rescue what the damaged file still has, all of that or nothing; ``notice`` says so."""
        try:
            connection.execute("BEGIN IMMEDIATE")
            found = rescue(kept, connection)
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            self.notice += f" Nothing was taken over from it: {error}."
            return
        runs = "1 run was" if found.runs == 1 else f"{found.runs:,} runs were"
        part = "" if found.whole else "; some of what was in it could not be read"
        self.notice += (
            f" {runs} taken over from it{part}." if found.runs else " Nothing in it can be read."
        )

    def _set_aside(self) -> Path:
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        kept = self.path.with_name(f"{self.path.name}.damaged-{stamp}")
        number = 1
        while kept.exists():
            number += 1
            kept = kept.with_name(f"{self.path.name}.damaged-{stamp}-{number}")
        try:
            self.path.rename(kept)
            for suffix in ("-wal", "-shm"):
                side = self.path.with_name(self.path.name + suffix)
                if side.exists():
                    side.rename(kept.with_name(kept.name + suffix))
        except OSError as error:
            raise self._unusable(f"damaged, and not movable: {error.strerror}") from None
        self.notice = (
            f"The history was damaged and a new one was started; the old file is kept as {kept}."
        )
        return kept

    def _unusable(self, why: str) -> HistoryError:
        remedy = f"Check the file's permissions, or set {DATA_DIR_VARIABLE} to another folder."
        if "full" in why or "No space" in why:
            remedy = "Make room on this disk."
        elif "locked" in why:
            remedy = "Another program is using it; it is tried again."
        elif "malformed" in why:
            remedy = "Look at it with: clew runs --check, which sets a damaged file aside."
        return HistoryError(f"the history {self.path} cannot be used: {why}", remedy=remedy)


def _is_damage(error: sqlite3.Error) -> bool:
    """OperationalError is the world's fault (locked, full, no permission), not the file's."""
    return not isinstance(error, sqlite3.OperationalError) or "malformed" in str(error)


def _verdict(connection: sqlite3.Connection, check: str, limit_s: float | None) -> str:
    """What ``check`` finds wrong within ``limit_s``; empty: nothing."""
    if limit_s is not None:
        end = time.monotonic() + limit_s
        connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    try:
        verdict = str(connection.execute(f"PRAGMA {check}").fetchone()[0])
    except sqlite3.OperationalError as error:
        if "interrupted" not in str(error):
            raise
        verdict = "ok"  # as far as there was time
    finally:
        connection.set_progress_handler(None, 0)
    return "" if verdict == "ok" else verdict


def _is_open(connection: sqlite3.Connection) -> bool:
    try:
        connection.total_changes  # noqa: B018 - raises when closed
    except sqlite3.ProgrammingError:
        return False
    return True
