"""Bringing the record of a run up to date without showing it: what its nodes have, and its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from remote.history import History
from remote.session.attaching import Attachment, known_tasks
from remote.session.node import Node
from remote.session.picture import RunPicture
from remote.session.run import Run
from remote.updates import Update

if TYPE_CHECKING:
    from remote.session.cluster import ClusterSession

LIMIT_S = 10.0
"""A run that goes on is left after this; what came until then is recorded."""


class _Unwatched:
    """The session, for a run that nobody watches."""

    def __init__(self, session: ClusterSession) -> None:
        self._session = session

    @property
    def nodes(self) -> Mapping[str, Node]:
        return self._session.nodes

    @property
    def history(self) -> History:
        return self._session.history

    def tell(self, update: Update) -> None:
        """Nobody listens."""

    def run_ended(self, run: Run) -> None:
        self._session.run_ended(run)


def gather(session: ClusterSession, run_id: str, limit_s: float = LIMIT_S) -> None:
    """Record what the connected nodes have of a run that the history knows. Blocks.

    Nothing is done where the record is complete, the run is followed already, or one of its nodes
    is not connected.

    Raises:
        HistoryError: the history cannot be read.
    """
    record = session.history.run(run_id)
    tasks = known_tasks(session.history, run_id)
    nodes = session.nodes
    if record is None or record.result is not None or not tasks:
        return
    if not all(task.node in nodes and nodes[task.node].connected for task in tasks):
        return
    picture = RunPicture(run_id, tasks, record.started_at)
    run = Run(_Unwatched(session), picture, Attachment(session.adopt), "starting")
    run.unwatched = True
    if not session.add(run):
        return
    run.start()
    run.ended.wait(limit_s)
    if not run.ended.is_set():
        run.release()
        run.ended.wait(limit_s)
