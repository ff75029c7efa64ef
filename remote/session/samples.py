"""The samples of a run's nodes: those that came live, and those that the nodes have kept."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict

from remote.history import SAME_MOMENT_S, History
from remote.link import KeptSamples
from remote.updates import NodeSample

_MOST_WAITING = 20_000
"""While the history cannot be written; more are asked for again later."""
_MOST_MOMENTS = 20_000


class Samples:
    """What is to be recorded; knows of which moments a sample is there already.

    Args:
        history: what is recorded already is taken from it.
    """

    def __init__(self, history: History, run_id: str) -> None:
        self.numbers = history.sampled(run_id)
        """Per node: the number of the last kept sample that was taken."""
        self.live: list[NodeSample] = []
        self.kept: list[NodeSample] = []
        self.unstored: dict[str, int] = {}
        """Numbers that are stored together with ``kept``."""
        self._moments: dict[tuple[str, str], list[float]] = defaultdict(list)
        for sample in history.samples(run_id):
            self._note(sample)

    def add(self, sample: NodeSample) -> None:
        """One that came live."""
        if len(self.live) < _MOST_WAITING:
            self.live.append(sample)
        self._note(sample)

    def take(self, item: KeptSamples) -> list[NodeSample]:
        """Those of them whose moment is new; none while too many wait to be recorded."""
        if len(self.kept) > _MOST_WAITING:
            return []
        new = [sample for sample in item.samples if not self._is_known(sample)]
        for sample in new:
            self._note(sample)
        self.kept += new
        self.numbers[item.node] = self.unstored[item.node] = item.number
        return new

    def stored(self) -> None:
        """All that waited is recorded."""
        self.live.clear()
        self.kept.clear()
        self.unstored.clear()

    def _is_known(self, sample: NodeSample) -> bool:
        tick = sample.tick or 0.0
        moments = self._moments[sample.node, sample.boot]
        at = bisect_left(moments, tick - SAME_MOMENT_S)
        return at < len(moments) and moments[at] < tick + SAME_MOMENT_S

    def _note(self, sample: NodeSample) -> None:
        if sample.tick is None:
            return
        moments = self._moments[sample.node, sample.boot]
        insort(moments, sample.tick)
        if len(moments) > _MOST_MOMENTS:
            del moments[: _MOST_MOMENTS // 4]
