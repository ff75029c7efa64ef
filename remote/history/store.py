"""Every run, every event, exactly once: the history of this account."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable
from pathlib import Path

from remote.errors import HistoryError
from remote.history.codec import result_text
from remote.history.database import Database, default_path
from remote.history.gaps import Gap, Gaps, write_gaps
from remote.history.orders import StopOrders
from remote.history.overview import OverviewReader
from remote.history.read import HistoryReader
from remote.history.records import Batch, RunRecord, TaskRecord
from remote.history.remarks import Remarks
from remote.history.transfer import Transfer
from remote.history.write import (
    write_marks,
    write_part,
    write_recorded,
    write_samples,
    write_task,
)
from remote.updates import ResultUpdate, RunState


class History(HistoryReader, OverviewReader, Remarks, Transfer):
    """Runs with their events, logs, samples and results in one SQLite file.

    May be used from any thread, and by several processes at once. A file that is damaged is set
    aside under another name, never deleted; ``notice`` then says so.

    Args:
        path: the file; default: ``history.db`` in ``$CLEW_DATA_DIR``, or where this system keeps
            an account's data.

    Raises:
        HistoryError: the file cannot be opened, or was written by a newer Clew. Every method
            raises it when reading or writing fails; what was stored before stays as it was.
    """

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(Database(path or default_path()))
        self.stop_orders = StopOrders(self._database)
        """What is to be stopped on nodes that could not be asked."""
        self.gaps = Gaps(self._database)
        """What is still to be fetched of runs that have ended."""
        self._keys: dict[tuple[str, str], int] = {}
        self._keys_lock = threading.Lock()

    @property
    def path(self) -> Path:
        return self._database.path

    @property
    def folder(self) -> Path:
        """Where this account's data lie, known host keys among them."""
        return self.path.parent

    @property
    def notice(self) -> str:
        """One sentence when a damaged file was set aside at the start; empty otherwise."""
        return self._database.notice

    def add_run(self, run: RunRecord, tasks: list[TaskRecord]) -> None:
        """Record a run before any of its tasks is started. A known run stays as it is."""
        with self._database.writing() as db:
            db.execute(
                "INSERT OR IGNORE INTO runs (id, name, profile, profile_path, training, started_at,"
                " ended_at, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    run.run_id,
                    run.name,
                    run.profile,
                    run.profile_path,
                    run.training,
                    run.started_at,
                    run.ended_at,
                    run.state,
                ),
            )
            key = _run_key(db, run.run_id)
            for task in tasks:
                write_task(db, key, task)

    def set_state(self, run_id: str, state: RunState) -> None:
        """The run's present state; a run that has its result keeps it."""
        with self._database.writing() as db:
            db.execute("UPDATE runs SET state=? WHERE id=? AND result IS NULL", (state, run_id))

    def finish(self, result: ResultUpdate, ended_at: float, gaps: Iterable[Gap] = ()) -> None:
        """Record the run's result, which is its end, and of which nodes more is to be fetched."""
        with self._database.writing() as db:
            db.execute(
                "UPDATE runs SET state=?, ended_at=?, result=? WHERE id=?",
                (result.state, ended_at, result_text(result), result.run_id),
            )
            write_gaps(db, gaps)

    def append(self, run_id: str, batch: Batch, *, wait_s: float = 4.0) -> None:
        """Write everything in ``batch`` in one transaction: events together with their offsets.

        What is stored already (the same line, the same ``(attempt, seq)``) is not stored again.
        Another process that writes is waited for, ``wait_s`` at most.
        """
        with self._database.writing(wait_s) as db:
            run = _run_key(db, run_id)
            for record in batch.tasks:
                write_task(db, run, record)
            for part in batch.files:
                write_part(db, self._task_key(db, run_id, str(part.task)), part)
            write_samples(db, run, batch.samples)
            write_recorded(db, run, batch.recorded, batch.sampled)
            write_marks(db, run, batch.marks)

    def delete(self, run_id: str) -> None:
        """Forget a run and all that belongs to it. Nothing on the nodes changes."""
        with self._database.writing() as db:
            db.execute("DELETE FROM runs WHERE id=?", (run_id,))
        with self._keys_lock:
            self._keys = {k: v for k, v in self._keys.items() if k[0] != run_id}

    def check(self) -> str:
        """Read all of the file through, which may take minutes; what is wrong, empty: nothing."""
        return self._database.check()

    def start_anew(self) -> None:
        """Set the file aside as damaged, which ``notice`` then says; go on with an empty one."""
        self._database.start_anew()
        with self._keys_lock:
            self._keys.clear()

    def close(self) -> None:
        self._database.close()

    def _task_key(self, db: sqlite3.Connection, run_id: str, task: str) -> int:
        with self._keys_lock:
            known = self._keys.get((run_id, task))
        if known is not None:
            return known
        row = db.execute(
            "SELECT t.key FROM tasks t JOIN runs r ON t.run=r.key WHERE r.id=? AND t.task=?",
            (run_id, task),
        ).fetchone()
        if row is None:
            raise HistoryError(f"run {run_id} has no task {task} in the history")
        with self._keys_lock:
            self._keys[run_id, task] = int(row[0])
        return int(row[0])


def _run_key(db: sqlite3.Connection, run_id: str) -> int:
    row = db.execute("SELECT key FROM runs WHERE id=?", (run_id,)).fetchone()
    if row is None:
        raise HistoryError(
            f"there is no run {run_id} in the history", remedy="List them: clew runs"
        )
    return int(row[0])
