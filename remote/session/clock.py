"""From the nodes' clocks to this computer's, without the trembling of single measurements."""

from __future__ import annotations

from collections.abc import Callable

from remote.updates import NoticeUpdate

STEADY_S = 0.05
"""A measured offset that differs by less does not move the series."""


def skew_notice(node: str, skew_s: float) -> NoticeUpdate:
    """Says that a node's clock is ``skew_s`` ahead of this computer's, or behind it."""
    side = "ahead of" if skew_s > 0 else "behind"
    text = f"the clock of {node} is {duration(abs(skew_s))} {side} this computer's"
    remedy = "The charts take it into account; setting up NTP there would be better."
    return NoticeUpdate(level="info", text=text, remedy=remedy, node=node)


def duration(seconds: float) -> str:
    """A span in words, to the second: ``1 h 2 min``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "min"), (rest, "s"))
    return " ".join(f"{value} {unit}" for value, unit in parts if value) or "0 s"


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
