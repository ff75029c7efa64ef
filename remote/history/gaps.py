"""What the history may lack of a run that has ended, and on which node it lies.

A gap is recorded with the run's result, in one transaction, for every node that was not read to
its end by then; it is taken away once that has been done. The table is made when the first gap is
recorded, beside the versioned ones: an older Clew that opens the same history does not mind it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from remote.history.database import Database

_TABLE = """CREATE TABLE IF NOT EXISTS gaps (
    run INTEGER NOT NULL REFERENCES runs(key) ON DELETE CASCADE,
    node TEXT NOT NULL,
    place TEXT NOT NULL,
    root TEXT NOT NULL,
    PRIMARY KEY (run, node)
)"""
_ALL = "SELECT r.id, g.node, g.place, g.root FROM gaps g JOIN runs r ON g.run=r.key"
_PUT = """INSERT OR REPLACE INTO gaps (run, node, place, root)
    SELECT key, ?, ?, ? FROM runs WHERE id=?"""
_REMOVE = "DELETE FROM gaps WHERE node=? AND run=(SELECT key FROM runs WHERE id=?)"


@dataclass(frozen=True, kw_only=True, slots=True)
class Gap:
    """The last events and log lines of a run's tasks on one node may not be in the history.

    ``place`` says which machine the node's name meant; ``root`` is the storage root there.
    """

    run_id: str
    node: str
    place: str
    root: str


class Gaps:
    """The gaps of all runs. May be used from any thread. Every method raises HistoryError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def waiting(self) -> list[Gap]:
        """All gaps, those of older runs first."""
        with self._database.reading() as db:
            return read_gaps(db)

    def of_run(self, run_id: str) -> list[Gap]:
        """Those of one run."""
        with self._database.reading() as db:
            return _read(db, f"{_ALL} WHERE r.id=? ORDER BY g.node", (run_id,))

    def remove(self, run_id: str, node: str) -> None:
        """Everything that the node had of the run is in the history."""
        with self._database.writing() as db:
            db.execute(_TABLE)
            db.execute(_REMOVE, (node, run_id))


def write_gaps(db: sqlite3.Connection, gaps: Iterable[Gap]) -> None:
    """Record gaps, inside a transaction; of runs that are not there nothing is recorded."""
    rows = [(g.node, g.place, g.root, g.run_id) for g in gaps]
    if rows:
        db.execute(_TABLE)
        db.executemany(_PUT, rows)


def read_gaps(db: sqlite3.Connection) -> list[Gap]:
    """All gaps, those of older runs first."""
    return _read(db, f"{_ALL} ORDER BY r.started_at, g.node", ())


def _read(db: sqlite3.Connection, wanted: str, values: tuple[str, ...]) -> list[Gap]:
    try:
        rows = db.execute(wanted, values).fetchall()
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return []
        raise
    return [Gap(run_id=run, node=node, place=place, root=root) for run, node, place, root in rows]
