"""By when which part of a log had been read; a table that an earlier Clew does without.

A row says: when ``second`` (UTC epoch) ended, the bytes before ``offset`` had been read.
"""

from __future__ import annotations

import sqlite3

from remote.history.records import FilePart

_TABLE = """CREATE TABLE IF NOT EXISTS log_times (
    task INTEGER NOT NULL REFERENCES tasks(key) ON DELETE CASCADE,
    generation INTEGER NOT NULL,
    second INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    PRIMARY KEY (task, generation, second)
)"""
_WRITE = """INSERT INTO log_times (task, generation, second, offset) VALUES (?, ?, ?, ?)
    ON CONFLICT (task, generation, second) DO UPDATE SET offset = max(offset, excluded.offset)"""
_READ = """SELECT offset, second + 1.0 FROM log_times WHERE task=?1 AND generation=
    (SELECT max(generation) FROM log_times WHERE task=?1) ORDER BY second"""
_THERE = "SELECT 1 FROM sqlite_master WHERE type='table' AND name='log_times'"


def write_log_time(db: sqlite3.Connection, task: int, part: FilePart) -> None:
    """Note when the part's log was read, to the second; inside the part's transaction."""
    if part.read_at is not None:
        db.execute(_TABLE)
        db.execute(_WRITE, (task, part.generation, int(part.read_at), part.offset))


def read_log_times(db: sqlite3.Connection, task: int) -> list[tuple[int, float]]:
    """Offsets and when the bytes before them had been read, of the file as it is now."""
    if db.execute(_THERE).fetchone() is None:
        return []
    return db.execute(_READ, (task,)).fetchall()
