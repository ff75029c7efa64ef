"""Giving up a node that is gone for good: nothing of a run waits for it any more."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence

from remote.errors import HistoryError
from remote.history import History
from remote.updates import Leftover, ResultUpdate

GIVEN_UP = "given up: the order to stop it there was withdrawn"


def awaited(history: History, run_id: str) -> list[str]:
    """The nodes for which a stop of the run waits, or the rest of its record. Raises HistoryError.

    Those of stops come first.
    """
    orders = [order.node for order in history.stop_orders.of_run(run_id)]
    return list(dict.fromkeys([*orders, *(gap.node for gap in history.gaps.of_run(run_id))]))


def withdraw(history: History, run_id: str, nodes: Sequence[str]) -> ResultUpdate | None:
    """Neither stop the run on these nodes when they are heard again, nor fetch the rest of it.

    Returns:
        The run's corrected result; it still names what may be left there. None: it has none.

    Raises:
        HistoryError: nothing of the run waits for one of them, or the history cannot be written.
    """
    waiting = awaited(history, run_id)
    for node in nodes:
        if node not in waiting:
            remedy = f"These are waited for: {', '.join(waiting)}." if waiting else ""
            raise HistoryError(f"nothing of run {run_id} waits for {node}", remedy=remedy)
    ordered = {order.node for order in history.stop_orders.of_run(run_id)} & set(nodes)
    record = history.run(run_id)
    result = record.result if record is not None else None
    if record is not None and result is not None and ordered:
        others = tuple(item for item in result.left_behind if item.node not in ordered)
        given_up = tuple(Leftover(node=name, what=GIVEN_UP) for name in sorted(ordered))
        result = dataclasses.replace(result, left_behind=(*others, *given_up))
        history.finish(result, record.ended_at or time.time())
    history.stop_orders.remove(run_id, sorted(ordered))
    for node in nodes:
        history.gaps.remove(run_id, node)
    return result
