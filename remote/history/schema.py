"""Tables of the history, version 1.

``events`` holds each event once: a file's bytes are named by how often it was replaced
(``generation``) and the line's offset, and ``(attempt, seq)`` tells an event that was read again
from a new one. ``files`` says where reading goes on; it changes in the same transaction.

No table is WITHOUT ROWID: for those, SQLite 3.40's ``quick_check`` reports a NULL in a REAL column
that has none, and a sound history would be set aside.
"""

from __future__ import annotations

VERSION = 1

SCHEMA = (
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
