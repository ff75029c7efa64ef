"""End what is left of a run on its nodes, and say what could not be ended."""

from __future__ import annotations

from collections.abc import Mapping

from remote.errors import ClewError
from remote.session.node import Node
from remote.session.parallel import on_all
from remote.updates import Leftover

GRACE_S = 8.0
"""Between TERM and KILL: longer than a trainer takes for its last checkpoint."""


def stop_everywhere(
    nodes: Mapping[str, Node], roots: Mapping[str, str], run_id: str, grace_s: float = GRACE_S
) -> list[Leftover]:
    """TERM, then KILL, the run's process groups on all nodes at the same time, and look again.

    Args:
        nodes: the session's nodes by name.
        roots: the storage root on each node that has tasks of the run.
        run_id: the run.
        grace_s: between TERM and KILL.

    Returns:
        What is still there, and the nodes that could not be asked.
    """

    def stop(name: str) -> list[Leftover]:
        node = nodes.get(name)
        if node is None:
            raise ClewError("is not in this profile any more", node=name)
        return node.link().stop_run(root=roots[name], run_id=run_id, grace_s=grace_s)

    outcome = on_all(roots, stop)
    left = [item for items in outcome.succeeded.values() for item in items]
    for name, error in outcome.failed.items():
        node = nodes.get(name)
        silent = node is None or not node.connected
        what = "not reachable: stop not confirmed" if silent else f"stop failed: {error.what}"
        left.append(Leftover(node=name, what=what))
    return left
