"""What the window knows of each node, filled from updates. No Qt."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from gui.language import localized, plural, tr
from gui.said import said
from gui.texts import elapsed_text
from remote.updates import NodeSample, NodeUpdate, Progress

STALE_S = 6.0
"""A node that is silent for longer is shown as such."""
SKEW_S = 2.0
"""Clocks that differ by more are worth a word."""


@dataclass
class NodeStatus:
    """The last that came from one node."""

    update: NodeUpdate
    progress: Progress | None = None
    sample: NodeSample | None = None
    heard: float | None = None

    @property
    def state(self) -> str:
        return self.update.state


class NodeModel:
    """Nodes by name; ``version`` changes with every change."""

    def __init__(self) -> None:
        self.nodes: dict[str, NodeStatus] = {}
        self.version = 0

    def reset(self, names: Iterable[str] = ()) -> None:
        """Forget everything; ``names`` are known and not connected."""
        self.nodes = {
            name: NodeStatus(NodeUpdate(node=name, state="disconnected")) for name in names
        }
        self.version += 1

    def apply(self, update: NodeUpdate | Progress | NodeSample) -> None:
        """Take in what came from or about a node."""
        self.version += 1
        status = self.nodes.get(update.node)
        if status is None:
            first = NodeUpdate(node=update.node, state="disconnected")
            status = self.nodes[update.node] = NodeStatus(first)
        if isinstance(update, NodeUpdate):
            if update.state != status.update.state:
                status.progress = None
            status.update = update
            if update.last_heard is not None:
                status.heard = max(status.heard or 0.0, update.last_heard)
        elif isinstance(update, Progress):
            finished = update.total > 0 and update.done >= update.total
            status.progress = None if finished else update
        else:
            if not _is_older(update, status.sample):
                status.sample = update
            status.heard = time.time()  # when it came, by this computer's clock

    def keep_only(self, names: Collection[str]) -> bool:
        """Forget all others; whether there were any."""
        gone = self.nodes.keys() - set(names)
        for name in gone:
            del self.nodes[name]
        self.version += bool(gone)
        return bool(gone)

    def counts(self) -> dict[str, int]:
        """How many nodes are in each state."""
        found: dict[str, int] = {}
        for status in self.nodes.values():
            found[status.state] = found.get(status.state, 0) + 1
        return found

    def trouble(self, names: Collection[str] | None = None) -> str:
        """What nodes that cannot take part say about it, a line each; empty: all can.

        Only those of ``names`` are looked at, where they are given.
        """
        lines = []
        for name, status in self.nodes.items():
            if names is not None and name not in names:
                continue
            if status.state in ("unreachable", "unusable"):
                what = said(status.update.detail) or tr("is {state}", state=said(status.state))
                where = "" if what.startswith(name) else f"{name}: "
                lines.append(f"{where}{what.rstrip('.')}. {said(status.update.remedy)}".strip())
        return "\n".join(lines)

    def summary(self) -> str:
        """One phrase: ``3 of 3 ready``, ``2 of 3 ready, 1 unreachable``."""
        counts, total = self.counts(), len(self.nodes)
        if not total:
            return tr("no nodes")
        if counts.get("disconnected", 0) == total:
            return plural("{n} node, not connected", "{n} nodes, not connected", total)
        words = [tr("{ready} of {total} ready", ready=counts.get("ready", 0), total=total)]
        rest = ("connecting", "checking", "unusable", "unreachable")
        words += [f"{counts[state]} {said(state)}" for state in rest if counts.get(state)]
        return ", ".join(words)


def progress_text(progress: Progress) -> str:
    """``data set mnist 40% · 12.3 MB/s · 1:20 left``."""
    action = said(progress.action)
    words = [action]
    if progress.total > 0:
        words[0] += f" {progress.done * 100 // progress.total}%"
    if progress.rate is not None and progress.unit == "bytes":
        words.append(localized(f"{progress.rate / 1e6:.1f} MB/s"))
    if progress.unit == "steps" and progress.total > 1:
        words[0] = tr(
            "{action} {done} of {total}",
            action=action,
            done=progress.done,
            total=progress.total,
        )
    if progress.eta_s is not None and progress.done < progress.total:
        words.append(tr("{time} left", time=elapsed_text(progress.eta_s)))
    return " · ".join(words)


def heard_text(heard: float | None, now: float) -> str:
    """``now``, ``3 s ago``, ``5 min ago``; a dash for never."""
    if heard is None:
        return "–"
    age = max(0.0, now - heard)
    if age < 1.5:
        return tr("now")
    for limit, size, unit in ((120, 1, "s"), (7200, 60, "min"), (172800, 3600, "h")):
        if age < limit:
            return tr("{age:.0f} {unit} ago", age=age / size, unit=unit)
    return plural("{n} day ago", "{n} days ago", round(age / 86400))


def skew_text(node: str, offset_s: float) -> str:
    """``gpu02's clock is 5 min 57 s ahead``; empty when the clocks agree well enough."""
    if abs(offset_s) <= SKEW_S:
        return ""
    seconds = round(abs(offset_s))
    days, rest = divmod(seconds, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, secs = divmod(rest, 60)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (secs, "s")]
    text = " ".join(f"{value} {unit}" for value, unit in parts if value)
    about = {"node": node, "time": text}
    if offset_s > 0:
        return tr("{node}'s clock is {time} ahead", **about)
    return tr("{node}'s clock is {time} behind", **about)


def _is_older(sample: NodeSample, shown: NodeSample | None) -> bool:
    """Whether it is of a moment before the one that is shown: a node had kept it."""
    if shown is None or sample.tick is None or shown.tick is None:
        return False
    return sample.boot == shown.boot and sample.tick < shown.tick
