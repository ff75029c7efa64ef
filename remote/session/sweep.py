"""Leftovers of any run on a session's nodes: found, judged, and removed when they are confirmed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from remote.bundle import app_tree
from remote.errors import ClewError
from remote.facts import NodeFacts
from remote.link import Kind, Leftover, Removed, Seen
from remote.node import layout
from remote.node.sweep_files import JUST_NOW
from remote.session.cluster import ClusterSession
from remote.session.parallel import not_connected, on_all

ORDER: tuple[Kind, ...] = ("process", "listener", "part", "temporary", "lock", "run", "tree")
_ANYWHERE = ("process", "listener")
"""Seen whatever root is looked below."""
MOST_ROOTS = 16
"""That are looked below on a node beside its own."""
Roots = Mapping[str, Seen]
"""What a node has by root; the one that it uses now is the empty one."""
Member = tuple[str, str, Leftover]
"""A node, the root there, and what it sees."""
_SHOWN = 60
"""Characters of a command that name it in a list."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """One leftover on the ``nodes`` that share it."""

    item: Leftover
    nodes: tuple[str, ...]
    known: bool
    """Whether the history of this computer has its run."""
    root: str = ""
    """The storage root that it lies below; empty: the one that its nodes use now."""

    @property
    def may_go(self) -> bool:
        """Whether it can be removed at all: what is in use stays."""
        return self.item.state != "live"

    @property
    def is_suggested(self) -> bool:
        """Whether nobody can need it any more."""
        return self.item.state == "left"

    @property
    def title(self) -> str:
        """What it is: ``20261130-1502-k3f9 worker:0 (pid 42, port 2221): python …``, or its place.

        Names come from the node: they may hold anything but control characters.
        """
        item = self.item
        if item.kind != "process":
            place = "".join(c if c.isprintable() else "?" for c in self.root)
            return f"{place.rstrip('/')}/{item.name}" if self.root else item.name
        pids = ", ".join(map(str, item.pids[:4])) + (", …" if len(item.pids) > 4 else "")
        held = f", port {', '.join(map(str, item.ports[:4]))}" if item.ports else ""
        command = item.what if len(item.what) <= _SHOWN else item.what[: _SHOWN - 1] + "…"
        return f"{item.run_id} {item.task} (pid {pids}{held}): {command}"

    @property
    def why(self) -> str:
        """Why it is there, or has to stay."""
        item = self.item
        if item.state != "live" or not item.run_id or item.why.endswith(JUST_NOW):
            return item.why
        where = "" if self.known else " (a run of another desktop)"
        return f"{item.why}{where}; stop it instead: clew stop {item.run_id}"


@dataclass(frozen=True, slots=True)
class Look:
    """What the nodes have, and those that could not be asked; what they were told of each other."""

    found: tuple[Found, ...]
    failed: Mapping[str, ClewError]
    ended: tuple[str, ...]
    keep: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Swept:
    """What became of one leftover; ``why`` it is not gone."""

    found: Found
    gone: bool
    why: str


def look(session: ClusterSession) -> Look:
    """Ask all nodes that are connected. Blocks. Raises HistoryError.

    They look below the root that they use now, and below those that runs of the history have used
    on them: another profile, or a disk that was full once, may have had another.
    """
    facts = {name: known for name, known in session.facts().items() if known.root}
    keep = tuple(sorted({app_tree().id.digest, *_environments(facts.values())}))
    used = session.history.roots()

    def ask(name: str, ended: Sequence[str] = ()) -> Roots:
        sweeping, own = session.nodes[name].link().sweeping, facts[name].root
        first = session.profile.ports.first
        found = {"": sweeping.look(root=own, ports_from=first, ended=ended, keep=keep)}
        for root in [root for root in used.get(name, ()) if root != own][:MOST_ROOTS]:
            there = sweeping.look(root=root, ports_from=first, ended=ended, keep=keep)
            files = tuple(item for item in there.items if item.kind not in _ANYWHERE)
            found[root] = there._replace(items=files)
        return found

    outcome = on_all(facts, ask)
    seen = dict(outcome.succeeded)
    ended = _ended(seen)
    if ended:  # what no node goes on with may go, also where nodes share a disk
        again = on_all(seen, lambda name: ask(name, ended))
        seen |= again.succeeded
    failed = {name: not_connected(name) for name in session.nodes if name not in facts}
    runs = {run.run_id for run in session.history.runs()}
    active = session.active_runs()
    return Look(_joined(seen, runs, active), {**failed, **outcome.failed}, ended, keep)


def remove(session: ClusterSession, seen: Look, chosen: Iterable[Found]) -> list[Swept]:
    """Remove ``chosen``, each on the first of its nodes, but what is in use by now. Blocks."""
    facts = session.facts()
    by_node: dict[str, list[Found]] = {}
    for found in sorted(chosen, key=lambda found: found.root):
        if found.may_go:
            by_node.setdefault(found.nodes[0], []).append(found)

    def on_node(name: str) -> list[Removed]:
        if name not in facts:
            raise not_connected(name)
        told: list[Removed] = []
        for root, items in groupby(by_node[name], key=lambda found: found.root):
            told += (
                session.nodes[name]
                .link()
                .sweeping.remove(
                    [found.item.key for found in items],
                    root=root or facts[name].root,
                    ports_from=session.profile.ports.first,
                    ended=seen.ended,
                    keep=seen.keep,
                )
            )
        return told

    outcome = on_all(by_node, on_node)
    swept = [
        Swept(found, told.gone, told.why)
        for name, answers in outcome.succeeded.items()
        for found, told in zip(by_node[name], answers, strict=True)
    ]
    for name, error in outcome.failed.items():
        swept += [Swept(found, False, error.what) for found in by_node[name]]
    return swept


def _environments(facts: Iterable[NodeFacts]) -> set[str]:
    """Keys of the environments that the nodes' tasks would run with."""
    inside = [(known.root.rstrip("/") + "/env/", known.python) for known in facts]
    return {path[len(root) :].split("/")[0] for root, path in inside if path.startswith(root)}


def _ended(seen: Mapping[str, Roots]) -> tuple[str, ...]:
    """Runs that no node goes on with, where all that might have been asked."""
    asked = {layout.component(name) for name in seen}
    items = [item for node in seen.values() for there in node.values() for item in there.items]
    unsure = {item.run_id: set(item.unsure) for item in items if item.unsure}
    for item in items:
        if item.run_id in unsure:
            unsure[item.run_id] |= set(item.unsure)
    busy = {item.run_id for item in items if item.state == "live" and not item.unsure}
    return tuple(
        sorted(run for run, nodes in unsure.items() if run and run not in busy and nodes <= asked)
    )


def _joined(seen: Mapping[str, Roots], runs: set[str], active: Sequence[str]) -> tuple[Found, ...]:
    """Each thing once, however many nodes see it; if one of them says that it is in use, it is.

    One root may have several names: what is seen again below another is the same as well.
    """
    groups: dict[tuple[str, ...], list[Member]] = {}
    looks = [(name, root, there) for name, node in seen.items() for root, there in node.items()]
    for name, root, there in sorted(looks, key=lambda one: bool(one[1])):
        for item in there.items:
            # Processes are the same where their view is, files where the disk is.
            place = (item.mark,) if item.mark else ("", there.space)
            groups.setdefault((item.kind, item.key, *place), []).append((name, root, item))
    found = [_one(members, runs, active) for members in groups.values()]
    return tuple(sorted(found, key=lambda f: (f.nodes, ORDER.index(f.item.kind), -f.item.age_s)))


def _one(members: list[Member], runs: set[str], active: Sequence[str]) -> Found:
    # Where several nodes see the same processes, the one whose name they carry knows best.
    own = [member for member in members if member[0] == member[2].marked_node]
    best = (own or members)[0]
    item = next((item for _, _, item in members if item.state == "live"), best[2])
    if item.run_id in active and item.state != "live":
        item = replace(item, state="live", why="its run is watched here")
    nodes = tuple(dict.fromkeys(name for name, _, _ in own or members))
    return Found(item=item, nodes=nodes, known=item.run_id in runs, root=best[1])
