"""Which node has to reach which port: only the ways that a run will use.

A worker dials every ps and every ps dials back (TensorFlow's receiver asks the sender for a
tensor), so that way is looked at from both ends. In-graph, the chief and each worker do the same.
Other workers never speak to each other, so 64 workers with one ps are 126 ways between nodes and
not 4,032. A command of the user's may do anything (all-reduce does), so there everybody dials
everybody. A task's own node is among those that dial it, because TensorFlow takes the advertised
address there too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from remote.facts import NodeFacts
from remote.listening import bracketed
from remote.plan import PlannedTask
from trainer.spec import TrainingSpec

MOST_TO_ALL = 16
"""Without a plan, more nodes than this dial the first one only, and it them."""


@dataclass(frozen=True, slots=True)
class Listening:
    """One port that a task will listen on. ``address`` is what the others dial."""

    task: str
    node: str
    address: str
    port: int

    @property
    def text(self) -> str:
        return bracketed(self.address, self.port)


@dataclass(frozen=True, slots=True)
class Route:
    """``source`` (a node's name) dials ``to``."""

    source: str
    to: Listening


def planned_routes(tasks: Sequence[PlannedTask], training: TrainingSpec) -> list[Route]:
    """The ways that this run needs, each once, in the order of the tasks."""
    if training.is_single:
        return []
    found: dict[Route, None] = {}
    for source in tasks:
        for to in tasks:
            if source is not to and _speak(source, to, training):
                at = Listening(str(to.task), to.node, to.address, to.port)
                found[Route(source.node, at)] = None
    return list(found)


def _speak(one: PlannedTask, other: PlannedTask, training: TrainingSpec) -> bool:
    if training.command:
        return True
    if one.task.role != other.task.role:
        return True
    in_graph = training.is_in_graph and one.task.role == "worker"
    return in_graph and (one.task.is_chief or other.task.is_chief)


def any_routes(
    facts: Mapping[str, NodeFacts], addresses: Mapping[str, str], first_port: int
) -> list[Route]:
    """Ways to try where no plan can be made: one free port on each node."""
    cursors: dict[tuple[str, str], int] = {}
    listening = []
    for name, known in facts.items():
        machine = known.boot_id, known.network_namespace
        held = {holder.port for holder in known.ports_in_use}
        port = cursors.get(machine, first_port)
        while port in held:
            port += 1
        cursors[machine] = port + 1
        if port < 1 << 16:
            listening.append(Listening("", name, addresses.get(name, name), port))
    many = len(listening) > MOST_TO_ALL
    hub = listening[0].node if listening else ""
    return [
        Route(one.node, to)
        for one in listening
        for to in listening
        if one is not to and (not many or hub in (one.node, to.node))
    ]


def rounds(routes: Iterable[Route]) -> list[list[Route]]:
    """Ways between different nodes in rounds in which no node takes part twice.

    One way for each ordered pair of nodes: what is measured is the link, not the port.
    """
    links: dict[tuple[str, str], Route] = {}
    for route in routes:
        if route.source != route.to.node:
            links.setdefault((route.source, route.to.node), route)
    left, found = list(links.values()), []
    while left:
        busy: set[str] = set()
        now: list[Route] = []
        later: list[Route] = []
        for route in left:
            ends = {route.source, route.to.node}
            (later if ends & busy else now).append(route)
            busy |= set() if ends & busy else ends
        found.append(now)
        left = later
    return found
