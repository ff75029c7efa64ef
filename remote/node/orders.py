"""Stop orders: ``stop.json`` in a task's folder, or in its run's folder for all tasks that see it.

    {"depth": "checkpoint" | "now" | "force", "by": str, "time": float, "grace_s": float}

Whoever may write there gives orders, with or without a connection to the supervisor, which looks
every second. ``checkpoint``: SIGTERM, and patience for a last checkpoint before SIGKILL. ``now``:
SIGTERM and soon SIGKILL. ``force``: SIGKILL at once. ``grace_s`` may be left out; it takes the
place of the depth's own time between the two signals. ``time`` is UTC epoch seconds of the writer.
"""

import os
import time
from typing import Any, Dict, NamedTuple, Optional

from remote.node import files, layout, texts

CHECKPOINT, NOW, FORCE = "checkpoint", "now", "force"
DEPTHS = (CHECKPOINT, NOW, FORCE)
"""From the gentlest to the hardest."""
GRACE_S = {CHECKPOINT: 120.0, NOW: 10.0, FORCE: 0.0}
"""Seconds between SIGTERM and SIGKILL."""

_MAX_BYTES = 4096
_MAX_BY = 200


class Order(NamedTuple):
    """One stop order; ``by`` says in words who gave it and why."""

    depth: str
    by: str
    time: float
    grace_s: Optional[float] = None

    @property
    def patience_s(self) -> float:
        """Seconds between SIGTERM and SIGKILL."""
        if self.depth == FORCE:
            return 0.0
        return GRACE_S[self.depth] if self.grace_s is None else self.grace_s


def harder(first: Optional[Order], second: Optional[Order]) -> Optional[Order]:
    """Whichever of two orders goes further; the first where both go as far."""
    if first is None or second is None:
        return first or second
    return second if DEPTHS.index(second.depth) > DEPTHS.index(first.depth) else first


def read(folder: str) -> Optional[Order]:
    """The order in a task's or a run's folder; None: there is none.

    A file that cannot be understood is an order all the same: to stop now.
    """
    data = files.read(os.path.join(folder, layout.STOP_ORDER), _MAX_BYTES)
    if data is None:
        return None
    try:
        found = texts.loads(data)
    except (ValueError, RecursionError):
        found = None
    return _order(found if isinstance(found, dict) else {})


def find(task_dir: str) -> Optional[Order]:
    """The order that holds for a task: its own or its run's, whichever goes further."""
    return harder(read(task_dir), read(os.path.dirname(os.path.dirname(task_dir))))


def write(folder: str, depth: str, by: str, grace_s: Optional[float] = None) -> Order:
    """Leave an order, unless one that goes further is there; returns what holds now.

    Raises:
        OSError: it cannot be written there.
        ValueError: there is no such depth.
    """
    if depth not in DEPTHS:
        raise ValueError("%r is not a depth of stopping" % depth)
    order = Order(depth, by[:_MAX_BY], time.time(), grace_s)
    known = read(folder)
    if known is not None and DEPTHS.index(known.depth) > DEPTHS.index(depth):
        return known
    document: Dict[str, Any] = {"depth": depth, "by": order.by, "time": order.time}
    if grace_s is not None:
        document["grace_s"] = grace_s
    files.publish(os.path.join(folder, layout.STOP_ORDER), texts.dumps(document))
    return order


def _order(found: Dict[str, Any]) -> Order:
    depth, by = found.get("depth"), found.get("by")
    grace_s, when = _number(found.get("grace_s")), _number(found.get("time"))
    return Order(
        depth if depth in DEPTHS else NOW,
        by[:_MAX_BY] if isinstance(by, str) else "",
        when or 0.0,
        None if grace_s is None else max(0.0, grace_s),
    )


def _number(value: Any) -> Optional[float]:
    return float(value) if isinstance(value, (int, float)) and value == value else None
