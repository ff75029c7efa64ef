"""Stop orders that wait until their node is heard again; they survive the window and the command.

The table is made when the first order is placed, beside the versioned ones: an older Clew that
opens the same history does not mind it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from remote.history.database import Database
from remote.updates import DEPTHS, StopDepth

_TABLE = """CREATE TABLE IF NOT EXISTS stop_orders (
    run TEXT NOT NULL,
    node TEXT NOT NULL,
    place TEXT NOT NULL,
    root TEXT NOT NULL,
    depth TEXT NOT NULL,
    ordered_at REAL NOT NULL,
    PRIMARY KEY (run, node)
)"""
_PLACE = """INSERT INTO stop_orders (run, node, place, root, depth, ordered_at)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (run, node) DO UPDATE SET place = excluded.place, root = excluded.root,
        depth = excluded.depth"""


@dataclass(frozen=True, kw_only=True, slots=True)
class StopOrder:
    """End what a run has on one node.

    ``place`` says which machine the node's name meant when the order was given; ``root`` is the
    storage root there; ``ordered_at`` is UTC epoch seconds.
    """

    run_id: str
    node: str
    place: str
    root: str
    depth: StopDepth
    ordered_at: float


class StopOrders:
    """Placed before a stop is tried, and taken away once a node is known to be clean.

    May be used from any thread. Every method raises HistoryError.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def place(self, orders: Iterable[StopOrder]) -> None:
        """Record orders; for a run on a node the last one counts, with the time of the first."""
        rows = [(o.run_id, o.node, o.place, o.root, o.depth, o.ordered_at) for o in orders]
        if not rows:
            return
        with self._database.writing() as db:
            db.execute(_TABLE)
            db.executemany(_PLACE, rows)

    def deepen(self, run_id: str, depth: StopDepth) -> None:
        """What waits for this run's nodes is to go at least as deep."""
        waiting = [o for o in self.of_run(run_id) if DEPTHS.index(o.depth) < DEPTHS.index(depth)]
        self.place(replace(order, depth=depth) for order in waiting)

    def remove(self, run_id: str, nodes: Sequence[str]) -> None:
        """They have been carried out."""
        if not nodes:
            return
        with self._database.writing() as db:
            db.execute(_TABLE)
            db.executemany(
                "DELETE FROM stop_orders WHERE run=? AND node=?", [(run_id, n) for n in nodes]
            )

    def waiting(self) -> list[StopOrder]:
        """All orders that have not been carried out, oldest first."""
        with self._database.reading() as db:
            return read_orders(db)

    def of_run(self, run_id: str) -> list[StopOrder]:
        """Those of one run."""
        return [order for order in self.waiting() if order.run_id == run_id]


def read_orders(db: sqlite3.Connection) -> list[StopOrder]:
    """All orders, oldest first."""
    return [_order(row) for row in _rows(db)]


def _rows(db: sqlite3.Connection) -> list[tuple[str, str, str, str, StopDepth, float]]:
    known = "SELECT 1 FROM sqlite_master WHERE type='table' AND name='stop_orders'"
    if db.execute(known).fetchone() is None:
        return []
    wanted = "SELECT run, node, place, root, depth, ordered_at FROM stop_orders ORDER BY ordered_at"
    return db.execute(wanted).fetchall()


def _order(row: tuple[str, str, str, str, StopDepth, float]) -> StopOrder:
    run_id, node, place, root, depth, ordered_at = row
    return StopOrder(
        run_id=run_id, node=node, place=place, root=root, depth=depth, ordered_at=ordered_at
    )
