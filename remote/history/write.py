"""The statements that write one batch; run inside one transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping

from remote.history.codec import sample_text
from remote.history.log_times import write_log_time
from remote.history.records import FilePart, TaskRecord
from remote.updates import MarkUpdate, NodeSample
from trainer.events import Event

LOG_LIMIT_BYTES = 16 << 20
"""The newest part of a task's log that is kept."""
SAMPLES_LIMIT = 4096
"""Samples that are kept of one node in one run; at the limit every second one goes."""
SAME_MOMENT_S = 0.75
"""A node's own sample that lies so near to one that is there tells nothing new."""

_FILE = """INSERT INTO files (task, file, generation, offset, odd, before)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (task, file) DO UPDATE SET
        odd = odd + excluded.odd,
        before = CASE WHEN excluded.generation > generation OR (excluded.generation = generation
                      AND excluded.offset >= offset) THEN excluded.before ELSE before END,
        offset = CASE WHEN excluded.generation > generation THEN excluded.offset
                      WHEN excluded.generation = generation THEN max(offset, excluded.offset)
                      ELSE offset END,
        generation = max(generation, excluded.generation)"""
_EVENT = """INSERT OR IGNORE INTO events
    (task, generation, offset, seq, attempt, type, t, step, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
# Two watchers of one run cut the log at different places: the longer piece at an offset stays.
_LOG = """INSERT INTO log (task, generation, offset, bytes) VALUES (?, ?, ?, ?)
    ON CONFLICT (task, generation, offset) DO UPDATE SET bytes = excluded.bytes
    WHERE length(excluded.bytes) > length(bytes)"""
_TASK = """INSERT INTO tasks (run, task, node, root, address, gpus, state, detail, attempt)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (run, task) DO UPDATE SET node = excluded.node, root = excluded.root,
        address = excluded.address, gpus = excluded.gpus, state = excluded.state,
        detail = excluded.detail, attempt = excluded.attempt"""


def write_task(db: sqlite3.Connection, run: int, record: TaskRecord) -> None:
    values = (run, str(record.task), record.node, record.root, record.address)
    state = (json.dumps(record.gpus), record.state, record.detail, record.attempt)
    db.execute(_TASK, values + state)


def write_part(db: sqlite3.Connection, task: int, part: FilePart) -> None:
    """A file's new events or bytes, and its new offset."""
    place = (task, part.file, part.generation, part.offset, part.odd, part.before)
    db.execute(_FILE, place)
    db.executemany(
        _EVENT,
        (
            (
                task,
                part.generation,
                placed.offset,
                placed.event.seq,
                placed.event.attempt,
                placed.event.type,
                t,
                step_of(placed.event),
                placed.raw,
            )
            for t, placed in part.events
        ),
    )
    if part.log:
        db.executemany(_LOG, ((task, part.generation, o, data) for o, data in part.log))
        db.execute(
            "DELETE FROM log WHERE task=? AND (generation<? OR offset+length(bytes)<?)",
            (task, part.generation, part.offset - LOG_LIMIT_BYTES),
        )
        write_log_time(db, task, part)


def write_samples(db: sqlite3.Connection, run: int, samples: Iterable[NodeSample]) -> None:
    rows = [(run, s.node, s.t, sample_text(s), s.boot, s.tick) for s in samples]
    db.executemany(_SAMPLE, rows)
    _limit_samples(db, run, {row[1] for row in rows})


def write_recorded(
    db: sqlite3.Connection, run: int, samples: Iterable[NodeSample], sampled: Mapping[str, int]
) -> None:
    """What nodes have kept themselves: whoever watched has those of the same moments already."""
    nodes = set()
    for s in samples:
        span = (s.tick or 0.0) - SAME_MOMENT_S, (s.tick or 0.0) + SAME_MOMENT_S
        if not db.execute(_NEAR, (run, s.node, s.boot, *span)).fetchone():
            db.execute(_SAMPLE, (run, s.node, s.t, sample_text(s), s.boot, s.tick))
            nodes.add(s.node)
    db.executemany(_SAMPLED, ((run, node, number) for node, number in sampled.items()))
    _limit_samples(db, run, nodes)


def _limit_samples(db: sqlite3.Connection, run: int, nodes: Iterable[str]) -> None:
    for node in nodes:
        count = db.execute(
            "SELECT count(*) FROM samples WHERE run=? AND node=?", (run, node)
        ).fetchone()[0]
        if count > SAMPLES_LIMIT:
            db.execute(_THIN, (run, node, run, node))


_SAMPLE = """INSERT OR IGNORE INTO samples (run, node, t, body, boot, tick)
    VALUES (?, ?, ?, ?, ?, ?)"""
_NEAR = """SELECT 1 FROM samples WHERE run=? AND node=? AND boot=?
    AND tick > ? AND tick < ? LIMIT 1"""
_SAMPLED = """INSERT INTO sampled (run, node, number) VALUES (?, ?, ?)
    ON CONFLICT (run, node) DO UPDATE SET number = excluded.number"""
_THIN = """DELETE FROM samples WHERE run=? AND node=? AND t IN (
    SELECT t FROM (SELECT t, row_number() OVER (ORDER BY t DESC) AS n FROM samples
                   WHERE run=? AND node=?) WHERE n % 2 = 0)"""


def write_marks(db: sqlite3.Connection, run: int, marks: Iterable[MarkUpdate]) -> None:
    db.executemany(
        "INSERT OR IGNORE INTO marks (run, t, kind, task, text) VALUES (?, ?, ?, ?, ?)",
        ((run, m.t, m.kind, str(m.task or ""), m.text) for m in marks),
    )


def step_of(event: Event) -> int | None:
    """The last step that an event tells of; None: it tells of none."""
    steps = getattr(event.body, "steps", None)
    if steps is not None:
        return int(steps[-1]) if steps else None
    step = getattr(event.body, "step", None)
    return None if step is None else int(step)
