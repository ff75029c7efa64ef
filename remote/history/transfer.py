"""A run as rows: what leaves the history in a bundle, and comes into one, exactly as it was."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from remote.errors import HistoryError
from remote.history.database import Database
from remote.history.remarks import write_remark
from remote.history.schema import SCHEMA

RUN = ("id", "name", "profile", "profile_path", "training", "started_at", "ended_at", "state")
RUN_COLUMNS = (*RUN, "result")
TASK_COLUMNS = ("task", "node", "root", "address", "gpus", "state", "detail", "attempt")
PART_COLUMNS = {
    "events": ("generation", "offset", "seq", "attempt", "type", "t", "step", "body"),
    "files": ("file", "generation", "offset", "odd", "before"),
    "log": ("generation", "offset", "bytes"),
    "samples": ("node", "t", "body", "boot", "tick"),
    "marks": ("t", "kind", "task", "text"),
}
_OF_TASK = ("events", "files", "log")
_ORDER = {
    "events": "generation, offset",
    "files": "file",
    "log": "generation, offset",
    "samples": "t, node",
    "marks": "t, kind, task, text",
}
_ASK_EVERY = 2000
Row = tuple[Any, ...]


class RunRows:
    """One run's rows in one consistent state of the history."""

    def __init__(self, db: sqlite3.Connection, run_id: str) -> None:
        self._db = db
        found = db.execute(
            f"SELECT key, {', '.join(RUN_COLUMNS)} FROM runs WHERE id=?",  # noqa: S608
            (run_id,),
        ).fetchone()
        if found is None:
            raise HistoryError(
                f"there is no run {run_id} in the history", remedy="List them: clew runs"
            )
        self._key: int = found[0]
        self.run: dict[str, Any] = dict(zip(RUN_COLUMNS, found[1:], strict=True))
        tasks = db.execute(
            f"SELECT key, {', '.join(TASK_COLUMNS)} FROM tasks WHERE run=? ORDER BY task",  # noqa: S608
            (self._key,),
        ).fetchall()
        self.tasks: list[dict[str, Any]] = [
            dict(zip(TASK_COLUMNS, row[1:], strict=True)) for row in tasks
        ]
        self._tasks = {row[1]: int(row[0]) for row in tasks}

    def part(self, table: str, task: str = "") -> Iterator[Row]:
        """Rows of a table that belong to the run, or to one of its tasks."""
        owner, key = ("task", self._tasks[task]) if table in _OF_TASK else ("run", self._key)
        columns = ", ".join(PART_COLUMNS[table])
        sql = f"SELECT {columns} FROM {table} WHERE {owner}=? ORDER BY {_ORDER[table]}"  # noqa: S608
        for row in self._db.execute(sql, (key,)):  # noqa: UP028 - it would close the cursor late
            yield row

    def bytes(self) -> int:
        """About how much there is: of events and logs."""
        total = 0
        for column, table in (("body", "events"), ("bytes", "log")):
            sql = (
                f"SELECT coalesce(sum(length({column})), 0) FROM {table} WHERE task IN "  # noqa: S608
                "(SELECT key FROM tasks WHERE run=?)"
            )
            total += int(self._db.execute(sql, (self._key,)).fetchone()[0])
        return total


class Transfer:
    """The part of :class:`~remote.history.History` for bundles. Raises HistoryError."""

    _database: Database

    @contextlib.contextmanager
    def rows(self, run_id: str) -> Iterator[RunRows]:
        """The run's rows; use as a context, in which they do not change."""
        with self._database.reading() as db:
            yield RunRows(db, run_id)

    def adopt(
        self,
        staged: Staging,
        remark: Mapping[str, Any],
        asked: Callable[[], None] = lambda: None,
    ) -> None:
        """Take in the run that was staged, all of it or nothing.

        Args:
            staged: its rows, checked.
            remark: columns of its remark.
            asked: called now and then; what it raises ends the taking in.
        """
        with staged.open() as source, self._database.writing() as db:
            rows = RunRows(source, staged.run_id)
            if db.execute("SELECT 1 FROM runs WHERE id=?", (staged.run_id,)).fetchone():
                raise HistoryError(f"run {staged.run_id} is in the history already")
            run = _insert(db, "runs", RUN_COLUMNS, tuple(rows.run.values()))
            for task in rows.tasks:
                values = (run, *task.values())
                key = _insert(db, "tasks", ("run", *TASK_COLUMNS), values)
                for table in _OF_TASK:
                    _copy(db, table, "task", key, rows.part(table, task["task"]), asked)
            for table in ("samples", "marks"):
                _copy(db, table, "run", run, rows.part(table), asked)
            write_remark(db, staged.run_id, remark)


class Staging:
    """A file of its own in which a run is put together before the history sees any of it.

    Args:
        path: where; it is left behind, and whoever made its folder removes it.
    """

    def __init__(self, path: Path, run_id: str) -> None:
        self.run_id = run_id
        self._path = path
        self._run = 0
        self._db = sqlite3.connect(str(path), isolation_level=None)
        self._db.execute("PRAGMA journal_mode=OFF")  # the history is what must not be half
        self._db.execute("PRAGMA synchronous=OFF")
        self._db.execute("BEGIN")
        for statement in SCHEMA:
            self._db.execute(statement)

    def add_run(self, values: Sequence[Any]) -> None:
        """The run's row, in the order of RUN_COLUMNS."""
        self._run = _insert(self._db, "runs", RUN_COLUMNS, values)

    def add_task(self, values: Sequence[Any]) -> int:
        """A task's row, in the order of TASK_COLUMNS; returns what its parts belong to."""
        return _insert(self._db, "tasks", ("run", *TASK_COLUMNS), (self._run, *values))

    def add(self, table: str, owner: int | None, rows: Iterable[Row]) -> None:
        """Rows of a part, of a task or (None) of the run. Raises sqlite3.Error for two alike."""
        of = "task" if table in _OF_TASK else "run"
        _copy(self._db, table, of, self._run if owner is None else owner, rows, lambda: None)

    def done(self) -> None:
        """Nothing more comes."""
        self._db.execute("COMMIT")
        self._db.close()

    def close(self) -> None:
        """Let go of the file; safe to call twice."""
        self._db.close()

    @contextlib.contextmanager
    def open(self) -> Iterator[sqlite3.Connection]:
        """The file, to be read."""
        with contextlib.closing(sqlite3.connect(str(self._path))) as db:
            yield db


def _insert(
    db: sqlite3.Connection, table: str, columns: Sequence[str], values: Sequence[Any]
) -> int:
    marks = ", ".join("?" * len(columns))
    cursor = db.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})",  # noqa: S608
        tuple(values),
    )
    return int(cursor.lastrowid or 0)


def _copy(
    db: sqlite3.Connection,
    table: str,
    owner: str,
    key: int,
    rows: Iterable[Row],
    asked: Callable[[], None],
) -> None:
    columns = (owner, *PART_COLUMNS[table])
    marks = ", ".join("?" * len(columns))
    sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608

    def owned() -> Iterator[Row]:
        for number, row in enumerate(rows):
            if number % _ASK_EVERY == 0:
                asked()
            yield (key, *row)

    db.executemany(sql, owned())
