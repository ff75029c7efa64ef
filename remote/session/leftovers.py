"""Ending later what a stop could not end: on nodes that did not answer then."""

from __future__ import annotations

import contextlib
import dataclasses
import time

from remote.errors import ClewError
from remote.history import RunRecord
from remote.session.cluster import ClusterSession
from remote.session.shutdown import stop_everywhere
from remote.updates import ResultUpdate, StopDepth


def stop_leftovers(
    session: ClusterSession, record: RunRecord, depth: StopDepth = "now"
) -> ResultUpdate:
    """Stop what an ended run left on its nodes, and correct its recorded result. Blocks.

    Args:
        session: with those of the run's nodes connected that can be reached.
        record: the run; it has a result.
        depth: how much time its tasks get.

    Returns:
        The result, with what is still left.

    Raises:
        HistoryError: the history cannot be read or written.
    """
    assert record.result is not None
    history = session.history
    names = {item.node for item in record.result.left_behind}
    tasks = history.tasks(record.run_id)
    roots = {task.node: task.root for task in tasks if task.node in names}
    left = stop_everywhere(session.nodes, roots, record.run_id, history, depth)
    for name, root in (
        roots | {g.node: g.root for g in history.gaps.of_run(record.run_id)}
    ).items():
        _fill(session, name, record.run_id, root)
    now = history.run(record.run_id)  # what was filled in has changed its numbers
    result = now.result if now is not None and now.result is not None else record.result
    result = dataclasses.replace(result, left_behind=tuple(left))
    history.finish(result, record.ended_at or time.time())
    return result


def _fill(session: ClusterSession, name: str, run_id: str, root: str) -> None:
    """Fetch what its tasks wrote while it was away; a node that is away still keeps it."""
    node = session.nodes.get(name)
    if node is not None and node.connected:
        with contextlib.suppress(ClewError):
            session.fillings.fill(node, run_id, root)
