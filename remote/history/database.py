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

from remote.errors import HistoryError
from remote.history.schema import SCHEMA, VERSION

DATA_DIR_VARIABLE = "CLEW_DATA_DIR"
_BUSY_S = 10.0
_CHECK_LIMIT_BYTES = 256 << 20
"""A larger file is only opened, not read through: starting must not take minutes."""


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
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is stored, or nothing. Raises HistoryError."""
        with self._lock:
            try:
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
            # OperationalError is the world's fault (locked, full, no permission), not the file's.
            if isinstance(error, sqlite3.OperationalError) and "malformed" not in str(error):
                raise self._unusable(str(error)) from None
        self._set_aside()
        try:
            return self._open()
        except sqlite3.Error as error:
            raise self._unusable(str(error)) from None

    def _open(self) -> sqlite3.Connection:
        connection = self._connect()
        try:
            if self.path.stat().st_size < _CHECK_LIMIT_BYTES:
                verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
                if verdict != "ok":
                    raise sqlite3.DatabaseError(verdict)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _migrate(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise HistoryError(
                f"the history {self.path} was written by a newer Clew (version {version})",
                remedy=f"Install the newest Clew, or set {DATA_DIR_VARIABLE} to another folder.",
            )
        if version < VERSION:
            for statement in SCHEMA:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={VERSION}")
        connection.execute("COMMIT")

    def _set_aside(self) -> None:
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

    def _unusable(self, why: str) -> HistoryError:
        full = "full" in why or "No space" in why
        remedy = (
            "Make room on this disk."
            if full
            else f"Check the file's permissions, or set {DATA_DIR_VARIABLE} to another folder."
        )
        return HistoryError(f"the history {self.path} cannot be used: {why}", remedy=remedy)


def _is_open(connection: sqlite3.Connection) -> bool:
    try:
        connection.total_changes  # noqa: B018 - raises when closed
    except sqlite3.ProgrammingError:
        return False
    return True
