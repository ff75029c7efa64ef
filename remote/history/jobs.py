"""The jobs of runs whose nodes a scheduler gives: a table of its own, made when it is needed.

An older Clew that opens the same history does not mind it.
"""

from __future__ import annotations

from dataclasses import dataclass

from remote.errors import HistoryError
from remote.history.database import Database

_TABLE = """CREATE TABLE IF NOT EXISTS jobs (
    run INTEGER PRIMARY KEY REFERENCES runs(key) ON DELETE CASCADE,
    job TEXT NOT NULL,
    cluster TEXT NOT NULL,
    login TEXT NOT NULL,
    root TEXT NOT NULL
)"""
_PLACE = """INSERT INTO jobs (run, job, cluster, login, root) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (run) DO UPDATE SET job = excluded.job, cluster = excluded.cluster,
        login = excluded.login, root = excluded.root"""
_FIND = """SELECT r.id, j.job, j.cluster, j.login, j.root FROM jobs j JOIN runs r ON j.run = r.key
    WHERE r.id = ?"""


@dataclass(frozen=True, kw_only=True, slots=True)
class JobRecord:
    """The job of a run, where it was handed in, and where its nodes keep the run's files."""

    run_id: str
    job: str
    cluster: str
    login: str
    """Which machine that is: ``ana@login1:22``."""
    root: str
    """The storage root that the login and the job's nodes share."""


class Jobs:
    """May be used from any thread. Every method raises HistoryError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, record: JobRecord) -> None:
        """Record the job of a run that is in the history; a later record takes its place."""
        with self._database.writing() as db:
            row = db.execute("SELECT key FROM runs WHERE id=?", (record.run_id,)).fetchone()
            if row is None:
                raise HistoryError(
                    f"there is no run {record.run_id} in the history",
                    remedy="List them: clew runs",
                )
            db.execute(_TABLE)
            db.execute(_PLACE, (*row, record.job, record.cluster, record.login, record.root))

    def of_run(self, run_id: str) -> JobRecord | None:
        """The run's job; None: it has none, or it is not known here."""
        with self._database.reading() as db:
            known = "SELECT 1 FROM sqlite_master WHERE type='table' AND name='jobs'"
            if db.execute(known).fetchone() is None:
                return None
            row = db.execute(_FIND, (run_id,)).fetchone()
        if row is None:
            return None
        found, job, cluster, login, root = row
        return JobRecord(run_id=found, job=job, cluster=cluster, login=login, root=root)
