"""What a user says about a run, and what is known of it beside its events: a table of its own.

The table is made when something is first written into it. An older Clew does not mind it, so it
needs no new version of the history.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from remote.errors import HistoryError
from remote.history.database import Database

MAX_NOTE = 20_000
"""Characters of a note that are kept."""
MAX_TAG, MAX_TAGS = 60, 40
_TABLE = """CREATE TABLE IF NOT EXISTS remarks (
    run INTEGER PRIMARY KEY REFERENCES runs(key) ON DELETE CASCADE,
    note TEXT NOT NULL DEFAULT '',
    tags TEXT NOT NULL DEFAULT '[]',
    files TEXT NOT NULL DEFAULT '{}',
    imported_at REAL
)"""
_ALL = (
    "SELECT r.id, m.note, m.tags, m.files, m.imported_at FROM remarks m JOIN runs r ON m.run=r.key"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Remark:
    """A run's note and tags; which files it was made of; when it was imported, if it was."""

    note: str = ""
    tags: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    """What went to the nodes, by kind (``app``, ``code``, ``data``): names that end in a hash."""
    imported_at: float | None = None


NOTHING = Remark()


class Remarks:
    """The part of :class:`~remote.history.History` about remarks. Raises HistoryError."""

    _database: Database

    def remarks(self) -> dict[str, Remark]:
        """All remarks by run; runs without any are left out."""
        with self._database.reading() as db:
            return read_remarks(db)

    def remark(self, run_id: str) -> Remark:
        """What is said of a run; an empty remark when nothing is."""
        with self._database.reading() as db:
            return read_remarks(db, run_id).get(run_id, NOTHING)

    def set_note(self, run_id: str, note: str) -> None:
        """Keep ``note`` with the run."""
        self._set(run_id, "note", clean_note(note))

    def set_tags(self, run_id: str, tags: Iterable[str]) -> None:
        """Keep ``tags`` with the run, each once, in their order."""
        self._set(run_id, "tags", json.dumps(clean_tags(tags)))

    def set_files(self, run_id: str, files: Mapping[str, str]) -> None:
        """Keep what the run was made of."""
        self._set(run_id, "files", json.dumps(dict(files)))

    def set_imported(self, run_id: str, at: float | None = None) -> None:
        """Mark the run as one that was not started or followed here."""
        self._set(run_id, "imported_at", time.time() if at is None else at)

    def _set(self, run_id: str, column: str, value: str | float) -> None:
        with self._database.writing() as db:
            write_remark(db, run_id, {column: value})


def read_remarks(db: sqlite3.Connection, run_id: str | None = None) -> dict[str, Remark]:
    """The remarks of all runs, or of one."""
    try:
        if run_id is None:
            rows = db.execute(_ALL).fetchall()
        else:
            rows = db.execute(f"{_ALL} WHERE r.id=?", (run_id,)).fetchall()
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return {}
        raise
    return {
        run: Remark(
            note=note,
            tags=tuple(json.loads(tags)),
            files=json.loads(files),
            imported_at=imported_at,
        )
        for run, note, tags, files, imported_at in rows
    }


def write_remark(db: sqlite3.Connection, run_id: str, values: Mapping[str, Any]) -> None:
    """Set some columns of a run's remark. Raises HistoryError: there is no such run."""
    row = db.execute("SELECT key FROM runs WHERE id=?", (run_id,)).fetchone()
    if row is None:
        raise HistoryError(
            f"there is no run {run_id} in the history", remedy="List them: clew runs"
        )
    db.execute(_TABLE)
    db.execute("INSERT OR IGNORE INTO remarks (run) VALUES (?)", row)
    for column, value in values.items():
        db.execute(f"UPDATE remarks SET {column}=? WHERE run=?", (value, *row))  # noqa: S608


def clean_note(text: str) -> str:
    """``text`` without blanks at its ends and lone surrogates, cut where it is too long."""
    return _storable(text).strip()[:MAX_NOTE]


def clean_tags(tags: Iterable[str]) -> list[str]:
    """Tags as they are kept: no commas, no blanks at the ends, each once."""
    words = (" ".join(_storable(tag).replace(",", " ").split())[:MAX_TAG] for tag in tags)
    return list(dict.fromkeys(word for word in words if word))[:MAX_TAGS]


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
