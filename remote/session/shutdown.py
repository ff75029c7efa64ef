"""End what is left of a run on its nodes, and say what could not be ended.

A stop is an order first: it is recorded for every node before any is told, and taken away from
those that are known to be clean. So a stop that is cut off in the middle, or that does not reach
every node, is carried out when the node is heard again (:mod:`remote.session.ordering`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping

from remote.errors import ClewError, HistoryError
from remote.history import History, StopOrder
from remote.session.node import Node
from remote.session.parallel import on_all
from remote.updates import Leftover, StopDepth

GRACE_S = 8.0
"""Between TERM and KILL: longer than a trainer takes for the last checkpoint of a usual model."""
CHECKPOINT_S = 300.0
"""The same where the checkpoint is worth waiting for, however large it is and slow the disk."""
GRACE_OF: dict[StopDepth, float] = {
    "checkpoint": CHECKPOINT_S,
    "now": GRACE_S,
    "force": 0.0,
}
_LOG = logging.getLogger(__name__)


def stop_everywhere(
    nodes: Mapping[str, Node],
    roots: Mapping[str, str],
    run_id: str,
    history: History,
    depth: StopDepth = "now",
    grace_s: float | None = None,
    by: str = "",
) -> list[Leftover]:
    """TERM, then KILL, the run's process groups on all nodes at the same time, and look again.

    Args:
        nodes: the session's nodes by name.
        roots: the storage root on each node that has tasks of the run.
        run_id: the run.
        history: keeps the orders for nodes that cannot be asked now.
        depth: how much time the tasks get.
        grace_s: between TERM and KILL; None: as ``depth`` says.
        by: who wants it, for the tasks' records.

    Returns:
        What is still there, and the nodes that could not be asked.
    """
    wait_s = GRACE_OF[depth] if grace_s is None else grace_s
    kept = place_orders(nodes, roots, run_id, history, depth)

    def stop(name: str) -> list[Leftover]:
        node = nodes.get(name)
        if node is None:
            raise ClewError("is not in this profile any more", node=name)
        return node.link().stop_run(
            root=roots[name], run_id=run_id, grace_s=wait_s, depth=depth, by=by
        )

    outcome = on_all(roots, stop)
    left = [item for items in outcome.succeeded.values() for item in items]
    carried_out(history, run_id, [name for name, items in outcome.succeeded.items() if not items])
    for name, error in outcome.failed.items():
        node = nodes.get(name)
        silent = node is None or not node.connected
        what = f"stop failed: {error.what}"
        if silent:
            what = waiting_words(name) if kept and node else "not reachable: stop not confirmed"
        left.append(Leftover(node=name, what=what))
    return left


def waiting_words(node: str) -> str:
    """What is said of a run on a node that does not answer."""
    return f"not reachable; it stops when {node} is heard again"


def carried_out(history: History, run_id: str, nodes: list[str]) -> None:
    """Take the orders of these nodes away; a history that cannot be written has them done again."""
    try:
        history.stop_orders.remove(run_id, nodes)
    except HistoryError:
        _LOG.warning("the stop orders of run %s were not removed", run_id, exc_info=True)


def place_orders(
    nodes: Mapping[str, Node],
    roots: Mapping[str, str],
    run_id: str,
    history: History,
    depth: StopDepth,
) -> bool:
    """Record that the run is to be stopped on each node, whatever becomes of this program.

    False: the history takes none, and only nodes that answer are stopped.
    """
    now = time.time()
    orders = [
        StopOrder(
            run_id=run_id,
            node=name,
            place=nodes[name].place,
            root=root,
            depth=depth,
            ordered_at=now,
        )
        for name, root in roots.items()
        if name in nodes
    ]
    try:
        history.stop_orders.place(orders)
    except HistoryError:
        _LOG.warning("the stop orders of run %s were not recorded", run_id, exc_info=True)
        return False
    return True
