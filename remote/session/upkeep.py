"""Environments outside of runs: made ahead of time, listed, and removed when nobody needs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from remote.errors import ClewError, ProfileError
from remote.link import KeptOnNode
from remote.session.cluster import ClusterSession
from remote.session.parallel import Outcome, on_all
from remote.session.provision import Provision


@dataclass(frozen=True, slots=True)
class Unneeded:
    """What may go: an environment, or wheels, on the disk of ``nodes``, which share it."""

    what: KeptOnNode
    nodes: tuple[str, ...]


def provision_all(session: ClusterSession, cancelled: Callable[[], bool]) -> Outcome[str]:
    """Make the environment of every node that is ready; the Python of each. Blocks.

    Raises:
        ProfileError: the profile has no packages.
        Cancelled: ``cancelled`` said so; nothing unfinished is left.
    """
    nodes = {n: node for n, node in session.nodes.items() if node.update.state == "ready"}
    work = Provision(nodes, session.profile, session.tell, cancelled)
    if not work.wanted:
        raise ProfileError(
            "the profile has no environment.packages, so there is no environment to make",
            remedy='Set it, for example to ["tensorflow==2.21.*"].',
        )
    return work.all()


def unneeded(session: ClusterSession) -> list[Unneeded]:
    """What is kept on the nodes and needed neither by the profile nor by a task. Blocks.

    Raises ClewError when a node cannot be asked: what it needs is not known then.
    """
    facts = {name: known for name, known in session.facts().items() if known.root}
    outcome = on_all(
        facts, lambda name: session.nodes[name].link().environments.listed(facts[name].root)
    )
    outcome.raise_first()
    found: dict[tuple[str, str, str], list[KeptOnNode]] = {}
    for name, kept in outcome.succeeded.items():
        for item in kept:
            # The same name, size and age in the same place is the same disk.
            place = facts[name].root, item.key, f"{item.used_at} {item.size_bytes}"
            found.setdefault(place, []).append(item)
    pythons = [known.python for known in facts.values()]
    return [
        Unneeded(items[0], tuple(item.node for item in items))
        for items in found.values()
        if not any(item.in_use for item in items) and not _is_named(items[0], pythons)
    ]


def _is_named(item: KeptOnNode, pythons: Sequence[str]) -> bool:
    """Whether the profile's own nodes run with it by now."""
    inside = f"{item.root}/env/{item.key}/"
    return item.kind == "environment" and any(python.startswith(inside) for python in pythons)


def remove(session: ClusterSession, items: Sequence[Unneeded]) -> list[Unneeded]:
    """Remove ``items``, but what a task has begun to use meanwhile; those that are gone. Blocks.

    Raises ClewError when something cannot be removed; names the node.
    """
    gone = []
    by_node: dict[str, list[Unneeded]] = {}
    for item in items:
        by_node.setdefault(item.nodes[0], []).append(item)
    for name, here in by_node.items():
        root, keys = here[0].what.root, [item.what.key for item in here]
        try:
            removed = session.nodes[name].link().environments.remove(root, keys)
        except ClewError as error:
            error.node = error.node or name
            raise
        gone += [item for item in here if item.what.key in removed]
    return gone
