"""Out of a damaged history into a new one: every row that can still be read and makes sense.

Tables are read in the order of their rowids, without indexes; where a page cannot be read, reading
goes on behind it. The damaged file is only ever read.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args
from urllib.parse import quote

from remote.history.codec import result_of, sample_of
from remote.history.lines import decode_stored
from remote.updates import END_STATES, RunState, TaskState
from trainer.events import EventError
from trainer.spec import TaskId

LIMIT_S = 60.0
"""For all of it: whoever opens a history waits for this. Runs come first, then what is in them."""
_MOST_HOLES = 2000
_PLACE = "rowid_here"
"""No column of a table has this name."""
_OF_RUN = ("samples", "marks", "sampled", "remarks", "gaps")
_OF_TASK = ("events", "log", "log_times", "files")
"""In this order: where events or log lines are missing, a file is to be read again."""
Row = dict[str, Any]


@dataclass(slots=True)
class Rescued:
    """What was taken over: how many ``runs``, and whether something could not be read."""

    runs: int = 0
    whole: bool = True


@dataclass(slots=True)
class _Work:
    source: sqlite3.Connection
    target: sqlite3.Connection
    deadline: float
    done: Rescued = field(default_factory=Rescued)
    runs: dict[int, int] = field(default_factory=dict)
    """Key of a run in the damaged file -> in the new one."""
    tasks: dict[int, int] = field(default_factory=dict)
    open_runs: set[int] = field(default_factory=set)
    """New keys of runs that have no result: they may be followed again."""
    open_tasks: set[int] = field(default_factory=set)


def rescue(kept: Path, target: sqlite3.Connection, limit_s: float = LIMIT_S) -> Rescued:
    """Take over what ``kept`` still has, inside a transaction of ``target``, which has its tables.

    Raises:
        sqlite3.Error: ``target`` cannot be written.
    """
    if not kept.exists():
        return Rescued(whole=False)
    with contextlib.closing(_opened(kept)) as source:
        work = _Work(source, target, time.monotonic() + limit_s)
        for row in _rows(work, "runs", _is_run):
            _take_run(work, row)
        for row in _rows(work, "tasks", _is_task):
            _take_task(work, row)
        _take(work, "stop_orders", None, None)
        for table in _OF_RUN:
            _take(work, table, "run", work.runs)
        for table in _OF_TASK:
            _take(work, table, "task", work.tasks)
        return work.done


def _opened(kept: Path) -> sqlite3.Connection:
    """Read only; no file appears beside it, unless somebody was killed while writing there."""
    wal = kept.with_name(kept.name + "-wal")
    how = "mode=ro" if wal.exists() and wal.stat().st_size else "mode=ro&immutable=1"
    source = sqlite3.connect(f"file:{quote(str(kept))}?{how}", uri=True, isolation_level=None)
    source.row_factory = sqlite3.Row
    return source


def _rows(work: _Work, table: str, makes_sense: Callable[[Row], object]) -> Iterator[Row]:
    """All rows of a table that can be read, and of which ``makes_sense`` raises nothing."""
    at = holes = 0
    wanted = f"SELECT rowid AS {_PLACE}, * FROM {table} NOT INDEXED WHERE rowid>? ORDER BY rowid"  # noqa: S608
    while holes < _MOST_HOLES and time.monotonic() < work.deadline:
        try:
            for row in work.source.execute(wanted, (at,)):
                at = row[_PLACE]
                found = {key: row[key] for key in row.keys() if key != _PLACE}  # noqa: SIM118
                try:
                    makes_sense(found)
                except (ValueError, TypeError, KeyError, AttributeError, EventError):
                    work.done.whole = False
                    continue
                yield found
                if time.monotonic() > work.deadline:
                    break
            else:
                return
        except sqlite3.DatabaseError as error:
            if "no such table" in str(error):
                return
            holes += 1
            behind = _behind(work.source, wanted, at)
            work.done.whole = False
            if behind is None:
                return
            at = behind
    work.done.whole = False


def _behind(source: sqlite3.Connection, wanted: str, at: int) -> int | None:
    """Where rows can be read again behind ``at``, after which there is a hole; None: nowhere."""

    def can_be_read(place: int) -> bool:
        try:
            source.execute(f"{wanted} LIMIT 1", (place,)).fetchone()
        except sqlite3.DatabaseError:
            return False
        return True

    step = 1
    while not can_be_read(at + step):
        step *= 2
        if step > 1 << 40:
            return None
    bad, good = at + step // 2, at + step
    while good - bad > 1:
        middle = (bad + good) // 2
        bad, good = (bad, middle) if can_be_read(middle) else (middle, good)
    return good


def _take_run(work: _Work, row: Row) -> None:
    key = row.pop("key")
    new = _insert(work.target, "runs", row)
    if new is None:
        return
    work.runs[key] = new
    work.done.runs += 1
    if row["result"] is None:
        work.open_runs.add(new)


def _take_task(work: _Work, row: Row) -> None:
    key, run = row.pop("key"), work.runs.get(row["run"])
    new = _insert(work.target, "tasks", row | {"run": run}) if run is not None else None
    if new is None:
        return
    work.tasks[key] = new
    if run in work.open_runs:
        work.open_tasks.add(new)


def _take(work: _Work, table: str, owner: str | None, keys: dict[int, int] | None) -> None:
    """Rows that belong to what was taken over before."""
    known: set[str] | None = None
    for row in _rows(work, table, _SENSE.get(table, lambda row: None)):
        if owner is not None and keys is not None:
            if row[owner] not in keys:
                continue
            row[owner] = keys[row[owner]]
        if table == "files" and not work.done.whole and row["task"] in work.open_tasks:
            continue  # its node sends all of it again; what is here comes once all the same
        if known is None and not (known := _columns(work, table)):
            return
        _insert(work.target, table, {name: row[name] for name in row if name in known})


def _columns(work: _Work, table: str) -> set[str]:
    """Of the new history's table; one that is made on demand is made as it was."""

    def names() -> set[str]:
        found = work.target.execute(f"PRAGMA table_info({table})").fetchall()
        return {str(row[1]) for row in found}

    if not names():
        wanted = "SELECT sql FROM sqlite_master WHERE type='table' AND name=?"
        with contextlib.suppress(sqlite3.DatabaseError, TypeError):
            sql = work.source.execute(wanted, (table,)).fetchone()[0]
            if str(sql).startswith("CREATE TABLE"):
                work.target.execute(sql)
    return names()


def _insert(target: sqlite3.Connection, table: str, row: Row) -> int | None:
    """The new row's key; None: one like it is there already, or it breaks a rule of the table."""
    columns, marks = ", ".join(row), ", ".join("?" * len(row))
    sql = f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608
    cursor = target.execute(sql, tuple(row.values()))
    return cursor.lastrowid if cursor.rowcount > 0 else None


def _is_run(row: Row) -> None:
    result_of(row["result"])
    _one_of(row["state"], get_args(RunState))
    if row["result"] is not None:
        _one_of(row["state"], END_STATES)
    _texts(row, "id", "name", "profile", "profile_path", "training")
    float(row["started_at"])
    float(row["ended_at"] or 0.0)


def _is_task(row: Row) -> None:
    TaskId.parse(row["task"])
    _one_of(row["state"], get_args(TaskState))
    _texts(row, "node", "root", "address", "detail")
    if not isinstance(json.loads(row["gpus"]), list):
        raise ValueError(row["gpus"])


def _is_event(row: Row) -> None:
    event = decode_stored(bytes(row["body"]))
    if (event.seq, event.attempt, event.type) != (row["seq"], row["attempt"], row["type"]):
        raise ValueError("it is another event")
    float(row["t"])


def _is_sample(row: Row) -> None:
    sample_of(row["node"], float(row["t"]), row["body"], row.get("boot", ""), row.get("tick"))


def _is_remark(row: Row) -> None:
    tags, files = json.loads(row["tags"]), json.loads(row["files"])
    if not isinstance(tags, list) or not isinstance(files, dict):
        raise ValueError("it is no remark")
    _texts(row, "note")


_SENSE: dict[str, Callable[[Row], object]] = {
    "events": _is_event,
    "samples": _is_sample,
    "remarks": _is_remark,
    "log": lambda row: bytes(row["bytes"]),
    "files": lambda row: _one_of(row["file"], ("events", "log")),
    "stop_orders": lambda row: _texts(row, "run", "node", "place", "root", "depth"),
    "gaps": lambda row: _texts(row, "node", "place", "root"),
}


def _one_of(value: object, known: object) -> None:
    if value not in known:  # type: ignore[operator]
        raise ValueError(value)


def _texts(row: Row, *names: str) -> None:
    for name in names:
        if not isinstance(row[name], str):
            raise TypeError(name)
