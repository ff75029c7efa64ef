"""From the nodes' clocks to this computer's, without the trembling of single measurements."""

from __future__ import annotations

from collections.abc import Callable

STEADY_S = 0.05
"""A measured offset that differs by less does not move the series."""


class ClockView:
    """What to add to a node's times.

    Args:
        offset: the newest measured offset of a node (node minus desktop), or None while it is not
            connected.
    """

    def __init__(self, offset: Callable[[str], float | None]) -> None:
        self._offset = offset
        self._used: dict[str, float] = {}

    def shift(self, node: str) -> float:
        """Seconds to add; the last known value while the node is silent."""
        measured = self._offset(node)
        used = self._used.get(node)
        if measured is not None and (used is None or abs(measured - used) > STEADY_S):
            used = self._used[node] = measured
        return -(used or 0.0)
