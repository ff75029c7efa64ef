"""Tables of the history, and how those of an older Clew become them.

``events`` holds each event once: a file's bytes are named by how often it was replaced
(``generation``) and the line's offset, and ``(attempt, seq)`` tells an event that was read again
from a new one. ``files`` says where reading goes on, and which bytes stand just before that place;
it changes in the same transaction. ``sampled`` says the same of what a node recorded of itself.

No table is WITHOUT ROWID: for those, SQLite 3.40's ``quick_check`` reports a NULL in a REAL column
that has none, and a sound history would be set aside.
"""

from __future__ import annotations

import sqlite3

_V1 = (
    """CREATE TABLE runs (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        profile TEXT NOT NULL,
        profile_path TEXT NOT NULL,
        training TEXT NOT NULL,
        started_at REAL NOT NULL,
        ended_at REAL,
        state TEXT NOT NULL,
        result TEXT
    )""",
    """CREATE TABLE tasks (
        key INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES runs(key) ON DELETE CASCADE,
        task TEXT NOT NULL,
        node TEXT NOT NULL,
        root TEXT NOT NULL,
        address TEXT NOT NULL,
        gpus TEXT NOT NULL,
        state TEXT NOT NULL,
        detail TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        UNIQUE (run, task)
    )""",
    """CREATE TABLE events (
        task INTEGER NOT NULL REFERENCES tasks(key) ON DELETE CASCADE,
        generation INTEGER NOT NULL,
        offset INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        type TEXT NOT NULL,
        t REAL NOT NULL,
        step INTEGER,
        body BLOB NOT NULL,
        PRIMARY KEY (task, generation, offset)
    )""",
    "CREATE UNIQUE INDEX events_once ON events (task, attempt, seq)",
    """CREATE TABLE files (
        task INTEGER NOT NULL REFERENCES tasks(key) ON DELETE CASCADE,
        file TEXT NOT NULL,
        generation INTEGER NOT NULL,
        offset INTEGER NOT NULL,
        odd INTEGER NOT NULL,
        PRIMARY KEY (task, file)
    )""",
    """CREATE TABLE log (
        task INTEGER NOT NULL REFERENCES tasks(key) ON DELETE CASCADE,
        generation INTEGER NOT NULL,
        offset INTEGER NOT NULL,
        bytes BLOB NOT NULL,
        PRIMARY KEY (task, generation, offset)
    )""",
    """CREATE TABLE samples (
        run INTEGER NOT NULL REFERENCES runs(key) ON DELETE CASCADE,
        node TEXT NOT NULL,
        t REAL NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (run, node, t)
    )""",
    """CREATE TABLE marks (
        run INTEGER NOT NULL REFERENCES runs(key) ON DELETE CASCADE,
        t REAL NOT NULL,
        kind TEXT NOT NULL,
        task TEXT NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (run, kind, task, text)
    )""",
)
_V2 = (
    "CREATE INDEX runs_newest ON runs (started_at DESC, key DESC)",
    "ALTER TABLE files ADD COLUMN before BLOB NOT NULL DEFAULT x''",
    "ALTER TABLE samples ADD COLUMN boot TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE samples ADD COLUMN tick REAL",
    "CREATE INDEX samples_ticks ON samples (run, node, boot, tick)",
    """CREATE TABLE sampled (
        run INTEGER NOT NULL REFERENCES runs(key) ON DELETE CASCADE,
        node TEXT NOT NULL,
        number INTEGER NOT NULL,
        PRIMARY KEY (run, node)
    )""",
)
_STEPS = (_V1, _V2)
"""What makes version 1 of an empty file, version 2 of version 1, and so on. Only ever added to."""
VERSION = len(_STEPS)
SCHEMA = tuple(statement for step in _STEPS for statement in step)
"""All that makes an empty file one of :data:`VERSION`."""


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring tables of ``version`` (0: an empty file) to :data:`VERSION`, inside a transaction."""
    for statements in _STEPS[version:]:
        for statement in statements:
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version={VERSION}")
