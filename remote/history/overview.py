"""All runs at a glance: what a list of very many runs shows, without their profiles."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from remote.history.codec import result_of
from remote.history.database import Database
from remote.history.gaps import Gap, read_gaps
from remote.history.orders import StopOrder, read_orders
from remote.history.records import RunRecord, Standing
from remote.history.remarks import NOTHING, Remark, read_remarks
from remote.updates import END_STATES

_ROWS = (
    "SELECT id, name, started_at, profile_path, training, ended_at, state, result FROM runs "
    "ORDER BY started_at DESC, key DESC"
)


_ROOTS = (
    "SELECT t.node, t.root FROM tasks t JOIN runs r ON t.run=r.key "
    "WHERE t.root<>'' AND r.id NOT IN (SELECT value FROM json_each(?)) "
    "GROUP BY t.node, t.root ORDER BY max(r.started_at) DESC"
)


class RunRow(NamedTuple):
    """A run in a list. ``record`` is without profile and training spec."""

    record: RunRecord
    model: str
    """What is trained: a model, or the command of the user's own program."""
    remark: Remark
    standing: Standing | None
    """How far a run that has not ended, as far as is known, had come."""
    waits_for: tuple[str, ...] = ()
    """Nodes on which it is to be stopped as soon as they are heard again."""
    lacks_from: tuple[str, ...] = ()
    """Nodes whose last lines of it may be missing here."""

    @property
    def going_on(self) -> bool:
        """Whether it has not ended, as far as this computer knows; an imported run is over."""
        return is_going_on(self.record) and self.remark.imported_at is None

    @property
    def last_heard(self) -> float:
        """UTC epoch seconds of the newest thing that is known of it."""
        ended = self.record.ended_at
        return ended or (self.standing.t if self.standing else self.record.started_at)


def is_going_on(record: RunRecord) -> bool:
    """Whether a run's end is not on record."""
    return record.ended_at is None and record.state not in END_STATES


def elapsed_s(record: RunRecord, standing: Standing | None = None) -> float | None:
    """Seconds from the launch to the end, or to when a run that goes on was last heard of.

    None: nothing was ever heard of it. The one meaning of "elapsed" for runs on record.
    """
    end = record.ended_at
    if end is None and standing is not None:
        end = standing.t
    return None if end is None else max(0.0, end - record.started_at)


class OverviewReader:
    """The part of :class:`~remote.history.History` for lists. Raises HistoryError."""

    _database: Database

    def overview(self) -> list[RunRow]:
        """Every run, the newest first."""
        with self._database.reading() as db:
            remarks = read_remarks(db)
            rows = db.execute(_ROWS).fetchall()
            orders, gaps = read_orders(db), read_gaps(db)
        found = [self._row(row, remarks) for row in rows]
        known = {order.run_id for order in orders} | {gap.run_id for gap in gaps}
        return [_with(row, orders, gaps) if row.record.run_id in known else row for row in found]

    def roots(self) -> dict[str, tuple[str, ...]]:
        """By node, the storage roots that runs from here have used, those of the newest runs first.

        What a bundle says is left out: it is a stranger's.
        """
        with self._database.reading() as db:
            imported = [r for r, said in read_remarks(db).items() if said.imported_at is not None]
            rows = db.execute(_ROOTS, (json.dumps(imported),)).fetchall()
        found: dict[str, tuple[str, ...]] = {}
        for node, root in rows:
            found[node] = (*found.get(node, ()), root)
        return found

    def _row(self, row: tuple[object, ...], remarks: dict[str, Remark]) -> RunRow:
        run_id, name, started_at, path, training, ended_at, state, result = row
        values = {"name": name, "started_at": started_at, "profile_path": path}
        values |= {"ended_at": ended_at, "state": state, "result": result_of(result)}  # type: ignore[arg-type]
        record = RunRecord(run_id=str(run_id), **values)  # type: ignore[arg-type]
        standing = self.standing(record.run_id) if record.result is None else None
        remark = remarks.get(record.run_id, NOTHING)
        return RunRow(record, model_of(str(training)), remark, standing)

    def standing(self, run_id: str) -> Standing | None:
        """As :meth:`remote.history.read.HistoryReader.standing`."""
        raise NotImplementedError


def _with(row: RunRow, orders: Sequence[StopOrder], gaps: Sequence[Gap]) -> RunRow:
    run_id = row.record.run_id
    return row._replace(
        waits_for=tuple(order.node for order in orders if order.run_id == run_id),
        lacks_from=tuple(gap.node for gap in gaps if gap.run_id == run_id),
    )


def model_of(training: str) -> str:
    """The model that a recorded spec names, or its command; empty: neither can be read."""
    try:
        data = json.loads(training)
    except ValueError:
        return ""
    if not isinstance(data, dict):
        return ""
    command = data.get("command")
    if isinstance(command, list) and command:
        return " ".join(map(str, command))
    return str(data.get("model") or "")
