"""Taking a run bundle into the history: all of it, or nothing and one sentence why."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from remote.errors import Cancelled, ClewError, HistoryError
from remote.export.bundle import Progress
from remote.export.content import REMARK, content_of
from remote.export.opened import Opened, opened
from remote.export.reading import LineReader, log_rows, read_run, read_tasks, remark_columns
from remote.export.typed import Mistyped
from remote.history import History
from remote.history.transfer import Staging
from trainer.events import EventError

_ROOM = 3
"""Times the unpacked size: so much the staged rows and the history's own need on the disk."""


class Imported(NamedTuple):
    """What became of a bundle: ``added`` is False when the history had this very run already."""

    run_id: str
    name: str
    added: bool


@dataclass(slots=True)
class _Care:
    """Counts what was read, and ends the work when the user says so."""

    total: int
    progress: Progress
    cancelled: Callable[[], bool]
    done: int = 0

    def __call__(self, count: int = 0) -> None:
        if self.cancelled():
            raise Cancelled("nothing was imported")
        self.done += count
        if count:
            self.progress(min(self.done, self.total), self.total)


def import_bundle(
    history: History,
    path: Path,
    *,
    progress: Progress = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Imported:
    """Check all of a ``.clewrun`` file, then take its run into the history in one transaction.

    Raises:
        ClewError: the file is no bundle, damaged, of a newer Clew, or its run is in the history
            with other content; nothing was changed.
        Cancelled: ``cancelled`` said so; nothing was changed.
    """
    with opened(path) as bundle:
        care = _Care(max(1, bundle.total), progress, cancelled)
        known = history.run(bundle.run_id)
        if known is not None:
            return _same(history, bundle, known.name, care)
        folder = history.path.parent
        if shutil.disk_usage(folder).free < _ROOM * bundle.total:
            raise ClewError(
                f"there is not enough room for {path.name} in {folder}", remedy="Make room there."
            )
        with tempfile.TemporaryDirectory(dir=folder, prefix="import-") as place:
            staged = Staging(Path(place) / "run.db", bundle.run_id)
            try:
                name, remark = _stage(bundle, staged, care)
                history.adopt(staged, remark, care)
            finally:
                staged.close()
        return Imported(bundle.run_id, name, True)


def _same(history: History, bundle: Opened, name: str, care: _Care) -> Imported:
    """The run is there already: well, if it is the same."""
    for file in bundle.files:  # what is damaged is no copy of anything
        for _ in bundle.pieces(file, care):
            pass
    if content_of(history, bundle.run_id, care, bundle.version) == bundle.content:
        return Imported(bundle.run_id, name, False)
    raise ClewError(
        f"the history has a run {bundle.run_id} already, with other content than "
        f"{bundle.path.name}",
        remedy="Delete that run first if this one is to take its place.",
    )


def _stage(bundle: Opened, staged: Staging, care: _Care) -> tuple[str, dict[str, object]]:
    """Read and check everything; returns the run's name and the columns of its remark."""
    try:
        name = _fill(bundle, staged, care)
        remark = remark_columns(_json(bundle, REMARK, care)) if REMARK in bundle.files else {}
        staged.done()
    except (Mistyped, EventError) as error:
        raise bundle.broken(f"is no run bundle: {error}") from None
    except sqlite3.IntegrityError:
        raise bundle.broken("is no run bundle: it has the same thing twice") from None
    except sqlite3.Error as error:
        raise HistoryError(f"the run cannot be stored: {error}") from None
    return name, {**remark, "imported_at": round(time.time(), 3)}


def _fill(bundle: Opened, staged: Staging, care: _Care) -> str:
    texts = [_text(bundle, file, care) for file in ("profile.yaml", "training.json")]
    run = read_run(_json(bundle, "run.json", care), bundle.run_id, *texts)
    staged.add_run(run)
    expected = {"run.json", "profile.yaml", "training.json", "tasks.json"}
    expected |= {"samples.jsonl", "marks.jsonl", REMARK}
    for task in read_tasks(_json(bundle, "tasks.json", care), bundle.version):
        key = staged.add_task(task.values)
        staged.add("files", key, task.files)
        events, log, index = (f"{n}" for n in task.names)
        expected |= {events, log, index}
        staged.add("events", key, LineReader(_need(bundle, events).pieces(events, care)).events())
        places = _json(bundle, index, care)
        staged.add("log", key, log_rows(places, _need(bundle, log).pieces(log, care)))
    for table in ("samples", "marks"):
        file = f"{table}.jsonl"
        lines = LineReader(_need(bundle, file).pieces(file, care))
        rows = lines.samples(bundle.version) if table == "samples" else lines.marks()
        staged.add(table, None, rows)
    extra = bundle.files.keys() - expected
    if extra:
        raise Mistyped(f"{min(extra)} belongs to none of its tasks")
    return str(run[1])


_SMALL = 64 << 20


def _need(bundle: Opened, name: str) -> Opened:
    if name not in bundle.files:
        raise Mistyped(f"{name} is missing")
    return bundle


def _text(bundle: Opened, name: str, care: _Care) -> str:
    try:
        return _need(bundle, name).whole(name, _SMALL, care).decode("utf-8")
    except UnicodeDecodeError:
        raise Mistyped(f"{name} is no text") from None


def _json(bundle: Opened, name: str, care: _Care) -> object:
    def refuse(text: str) -> object:
        raise Mistyped(f"{name} has a number that is none")

    try:
        found: object = json.loads(_text(bundle, name, care), parse_constant=refuse)
    except Mistyped:
        raise
    except (ValueError, RecursionError):
        raise Mistyped(f"{name} cannot be read") from None
    return found
