"""What the window, the command line and an export read from the history."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Literal

from remote.errors import HistoryError
from remote.history.codec import result_of, sample_of
from remote.history.database import Database
from remote.history.ids import resolve
from remote.history.lines import decode_stored
from remote.history.log_times import read_log_times
from remote.history.logtext import LogText, rising
from remote.history.records import (
    Oddities,
    Resume,
    RunRecord,
    Standing,
    StepSeries,
    StoredEvent,
    TaskRecord,
)
from remote.updates import EvalUpdate, MarkUpdate, NodeSample
from trainer.events import CheckpointSaved, Evaluated, Restored, Steps
from trainer.spec import TaskId

MarkKind = Literal["checkpoint", "restored", "restart", "failure"]
_SUMMARY = (
    "SELECT id, name, started_at, '', profile_path, '', ended_at, state, result FROM runs "
    "ORDER BY started_at DESC, key DESC"
)
_RUN = (
    "SELECT id, name, started_at, profile, profile_path, training, ended_at, state, result "
    "FROM runs"
)

_NEWEST_STEPS = (
    "SELECT r.id, e.body, e.t FROM runs r JOIN tasks k ON k.run=r.key JOIN events e ON e.rowid="
    "(SELECT rowid FROM events WHERE task=k.key AND type='steps' "
    "ORDER BY generation DESC, offset DESC LIMIT 1) WHERE r.id=?"
)


class HistoryReader:
    """The reading half of :class:`~remote.history.History`. Every method raises HistoryError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def runs(self, limit: int = 1000) -> list[RunRecord]:
        """All runs, the newest first."""
        with self._database.reading() as db:
            rows = db.execute(f"{_RUN} ORDER BY started_at DESC, key DESC LIMIT ?", (limit,))
            return [_run_record(row) for row in rows]

    def summaries(self, limit: int = 200, offset: int = 0) -> list[RunRecord]:
        """Runs as a list shows them, the newest first: without profile and training spec."""
        with self._database.reading() as db:
            rows = db.execute(f"{_SUMMARY} LIMIT ? OFFSET ?", (limit, offset))
            return [_run_record(row) for row in rows]

    def count(self) -> int:
        """How many runs there are."""
        with self._database.reading() as db:
            return int(db.execute("SELECT count(*) FROM runs").fetchone()[0])

    def run(self, run_id: str) -> RunRecord | None:
        """The run of this exact id; None: the history does not have it."""
        with self._database.reading() as db:
            row = db.execute(f"{_RUN} WHERE id=?", (run_id,)).fetchone()
            return _run_record(row) if row else None

    def find(self, text: str) -> RunRecord:
        """The run that a user means by ``text``: an id, its beginning or last letters, ``last``."""
        with self._database.reading() as db:
            rows = db.execute("SELECT id FROM runs ORDER BY started_at DESC, key DESC")
            run_id = resolve(text, [row[0] for row in rows])
            return _run_record(db.execute(f"{_RUN} WHERE id=?", (run_id,)).fetchone())

    def tasks(self, run_id: str) -> list[TaskRecord]:
        """The run's tasks, ps first, then workers by number."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT task, node, root, address, gpus, state, detail, attempt FROM tasks "
                "WHERE run=(SELECT key FROM runs WHERE id=?)",
                (run_id,),
            )
            return sorted((_task_record(row) for row in rows), key=lambda record: record.task)

    def events(self, run_id: str, task: TaskId, kind: str | None = None) -> Iterator[StoredEvent]:
        """One task's events in the order they were written; of one ``kind``, if given."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT offset, t, body FROM events WHERE task=?1 AND (?2 IS NULL OR type=?2) "
                "ORDER BY generation, offset",
                (_task_key(db, run_id, task), kind),
            )
            for offset, t, body in rows:
                raw = bytes(body)
                yield StoredEvent(offset, t, raw, decode_stored(raw))

    def steps(self, run_id: str) -> dict[TaskId, StepSeries]:
        """Steps, losses and times (this computer's clock) of every worker that made a step."""
        found = {}
        for record in self.tasks(run_id):
            steps: list[int] = []
            losses: list[float] = []
            times: list[float] = []
            for stored in self.events(run_id, record.task, "steps"):
                body = stored.event.body
                if isinstance(body, Steps):
                    steps.extend(body.steps)
                    losses.extend(body.losses)
                    times.extend(shift(stored, t) for t in body.times)
            if steps:
                found[record.task] = StepSeries(steps=steps, losses=losses, times=times)
        return found

    def standing(self, run_id: str) -> Standing | None:
        """The newest step on record of any worker; None: there is none."""
        return self.standings([run_id]).get(run_id)

    def standings(self, run_ids: Iterable[str]) -> dict[str, Standing]:
        """The newest step on record of each of these runs that has made one."""
        with self._database.reading() as db:
            rows = [row for run_id in run_ids for row in db.execute(_NEWEST_STEPS, (run_id,))]
        found: dict[str, Standing] = {}
        for run_id, raw, t in rows:
            body = decode_stored(bytes(raw)).body
            if isinstance(body, Steps) and body.steps:
                newest = found.get(run_id)
                if newest is None or body.steps[-1] > newest.step:
                    found[run_id] = Standing(step=body.steps[-1], loss=body.losses[-1], t=t)
        return found

    def evals(self, run_id: str) -> list[EvalUpdate]:
        """All evaluations, in order of time."""
        found = []
        for record in self.tasks(run_id):
            for stored in self.events(run_id, record.task, "eval"):
                body = stored.event.body
                if isinstance(body, Evaluated):
                    found.append(_eval(run_id, stored.t, body))
        return sorted(found, key=lambda update: update.t)

    def marks(self, run_id: str) -> list[MarkUpdate]:
        """Checkpoints, restores, restarts and failures, in order of time."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT t, kind, task, text FROM marks WHERE run=(SELECT key FROM runs WHERE id=?)",
                (run_id,),
            )
            found = [
                _mark(run_id, t, kind, text, TaskId.parse(task) if task else None)
                for t, kind, task, text in rows
            ]
        for record in self.tasks(run_id):
            for kind in ("checkpoint", "restored"):
                for stored in self.events(run_id, record.task, kind):
                    mark = mark_of(run_id, record.task, stored)
                    if mark is not None:
                        found.append(mark)
        return sorted(found, key=lambda mark: mark.t)

    def samples(self, run_id: str) -> list[NodeSample]:
        """The nodes' samples during the run, thinned when it was long, in order of time."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT node, t, body, boot, tick FROM samples "
                "WHERE run=(SELECT key FROM runs WHERE id=?) ORDER BY t, node",
                (run_id,),
            )
            return [sample_of(*row) for row in rows]

    def sampled(self, run_id: str) -> dict[str, int]:
        """Per node: the number of the last of its own samples that is stored."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT node, number FROM sampled WHERE run=(SELECT key FROM runs WHERE id=?)",
                (run_id,),
            )
            return dict(rows.fetchall())

    def log_bytes(self, run_id: str, task: TaskId) -> tuple[int, bytes]:
        """The stored end of a task's log as it was written, and at which byte it starts."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT offset, bytes FROM log WHERE task=? ORDER BY generation, offset",
                (_task_key(db, run_id, task),),
            ).fetchall()
        start = rows[0][0] if rows else 0
        data = bytearray()
        for offset, piece in rows:
            known = max(0, start + len(data) - offset)
            data += piece[known:]
        return start, bytes(data)

    def last_heard(self, run_id: str) -> dict[TaskId, float]:
        """When each task was heard from last, by its events and the samples of its node."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT k.task, (SELECT max(e.t) FROM events e WHERE e.task=k.key), "
                "(SELECT max(s.t) FROM samples s WHERE s.run=k.run AND s.node=k.node) "
                "FROM tasks k WHERE k.run=(SELECT key FROM runs WHERE id=?)",
                (run_id,),
            ).fetchall()
        times = {TaskId.parse(task): [t for t in both if t is not None] for task, *both in rows}
        return {task: max(known) for task, known in times.items() if known}

    def log_times(self, run_id: str, task: TaskId) -> list[tuple[int, float]]:
        """By when (this computer's clock) how many bytes of a task's log had been read.

        Only of the file as it is now, if it was replaced; both grow.
        """
        with self._database.reading() as db:
            return rising(read_log_times(db, _task_key(db, run_id, task)))

    def log(self, run_id: str, task: TaskId, from_line: int = 0) -> list[str]:
        """Lines of a task's log as a terminal would show them, without colours."""
        text = LogText(limit=None)
        text.feed(self.log_bytes(run_id, task)[1])
        return text.lines()[from_line:]

    def resume(self, run_id: str) -> dict[TaskId, Resume]:
        """Where following each task's files goes on."""
        found = {}
        with self._database.reading() as db:
            tasks = db.execute(
                "SELECT key, task FROM tasks WHERE run=(SELECT key FROM runs WHERE id=?)", (run_id,)
            ).fetchall()
            for key, task in tasks:
                files = "SELECT file, generation, offset, before FROM files WHERE task=?"
                seen = "SELECT attempt, max(seq) FROM events WHERE task=? GROUP BY attempt"
                resume = Resume(seen=dict(db.execute(seen, (key,)).fetchall()))
                for file, generation, offset, before in db.execute(files, (key,)):
                    resume.offsets[file] = offset
                    resume.generations[file] = generation
                    resume.before[file] = bytes(before)
                found[TaskId.parse(task)] = resume
        return found

    def oddities(self, run_id: str) -> dict[TaskId, Oddities]:
        """Per task: lines that were no events, and how often its event file was replaced."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT t.task, f.odd, f.generation FROM files f JOIN tasks t ON f.task=t.key "
                "WHERE f.file='events' AND t.run=(SELECT key FROM runs WHERE id=?)",
                (run_id,),
            )
            return {
                TaskId.parse(task): Oddities(odd_lines=odd, replaced=generation)
                for task, odd, generation in rows
            }


def mark_of(run_id: str, task: TaskId, stored: StoredEvent) -> MarkUpdate | None:
    """The mark that an event makes on the charts, if it makes one."""
    body = stored.event.body
    if isinstance(body, CheckpointSaved):
        return _mark(run_id, stored.t, "checkpoint", f"checkpoint at step {body.step}", task)
    if isinstance(body, Restored):
        return _mark(run_id, stored.t, "restored", f"restored step {body.step}", task)
    return None


def shift(stored: StoredEvent, t: float) -> float:
    """A time of the node's clock that stands inside an event, on this computer's clock."""
    return t + (stored.t - stored.event.t)


def _mark(run_id: str, t: float, kind: MarkKind, text: str, task: TaskId | None) -> MarkUpdate:
    return MarkUpdate(run_id=run_id, t=t, kind=kind, text=text, task=task)


def _eval(run_id: str, t: float, body: Evaluated) -> EvalUpdate:
    return EvalUpdate(run_id=run_id, t=t, step=body.step, loss=body.loss, accuracy=body.accuracy)


def _task_key(db: sqlite3.Connection, run_id: str, task: TaskId) -> int:
    row = db.execute(
        "SELECT key FROM tasks WHERE task=? AND run=(SELECT key FROM runs WHERE id=?)",
        (str(task), run_id),
    ).fetchone()
    if row is None:
        raise HistoryError(f"run {run_id} has no task {task} in the history")
    return int(row[0])


def _run_record(row: tuple[object, ...]) -> RunRecord:
    run_id, name, started_at, profile, path, training, ended_at, state, result = row
    values = {"name": name, "started_at": started_at, "profile": profile, "profile_path": path}
    values |= {"training": training, "ended_at": ended_at, "state": state}
    return RunRecord(run_id=run_id, result=result_of(result), **values)  # type: ignore[arg-type]


def _task_record(row: tuple[str, str, str, str, str, str, str, int]) -> TaskRecord:
    task, node, root, address, gpus, state, detail, attempt = row
    return TaskRecord(
        task=TaskId.parse(task),
        node=node,
        root=root,
        address=address,
        gpus=tuple(json.loads(gpus)),
        state=state,  # type: ignore[arg-type]
        detail=detail,
        attempt=attempt,
    )
