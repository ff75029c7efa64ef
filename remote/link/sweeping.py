"""The part of an agent's protocol that is about leftovers of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast, get_args

from remote.link.decode import Reader, nonsense
from remote.link.wires import Wires

Kind = Literal["process", "listener", "part", "lock", "temporary", "run", "tree"]
State = Literal["left", "kept", "live"]
"""Nobody needs it; it may be of use; it is in use and stays."""
_LOOK_S = 300.0
_REMOVE_S = 600.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Leftover:
    """One thing on a node. ``key`` names it to its node; ``age_s`` is since its last change."""

    key: str
    kind: Kind
    name: str
    what: str
    run_id: str
    task: str
    marked_node: str
    """The node's name in the environment of its processes."""
    pids: tuple[int, ...]
    ports: tuple[int, ...]
    age_s: float
    size_bytes: int
    state: State
    why: str
    mark: str = ""
    """The same on every node that sees the same file; empty: no file."""
    unsure: tuple[str, ...] = ()
    """Folders of other nodes that may still write into a run's."""


class Seen(NamedTuple):
    """What one node has. Nodes with the same ``space`` have the same processes."""

    space: str
    items: tuple[Leftover, ...]


class Removed(NamedTuple):
    """Whether it is gone; ``why`` not."""

    key: str
    gone: bool
    why: str


class Sweeping:
    """Requests of one link. They block, and raise NodeError and LinkLost as its others do."""

    def __init__(self, wires: Wires, node: str) -> None:
        self._wires = wires
        self._node = node

    def look(
        self, *, root: str, ports_from: int, ended: Sequence[str], keep: Sequence[str]
    ) -> Seen:
        """All that is left below ``root``, and the processes of all runs.

        Args:
            ended: runs that are known to have ended on all nodes that share the disk.
            keep: names of trees and environments that the profile uses.
        """
        args = _args(root, ports_from, ended, keep)
        answer = Reader(self._wires.call("sweep_look", args, timeout_s=_LOOK_S), self._node)
        return Seen(answer.text("space"), tuple(self._item(i) for i in answer.objects("items")))

    def remove(
        self,
        keys: Sequence[str],
        *,
        root: str,
        ports_from: int,
        ended: Sequence[str],
        keep: Sequence[str],
    ) -> list[Removed]:
        """Remove what is still as it was; what became of each key, in their order."""
        args = {**_args(root, ports_from, ended, keep), "keys": list(keys)}
        answer = self._wires.call("sweep_remove", args, timeout_s=_REMOVE_S)
        told = Reader({"all": answer}, self._node).objects("all")
        found = {r.text("key"): Removed(r.text("key"), r.flag("gone"), r.text("why")) for r in told}
        return [found.get(key, Removed(key, False, "the node did not say")) for key in keys]

    def _item(self, data: Reader) -> Leftover:
        kind, state = data.text("kind"), data.text("state")
        if kind not in get_args(Kind) or state not in get_args(State):
            raise nonsense(self._node, "an unknown kind of leftover")
        return Leftover(
            key=data.text("key"),
            kind=cast(Kind, kind),
            name=data.text("name"),
            what=data.text("what"),
            run_id=data.text("run_id", 200),
            task=data.text("task", 200),
            marked_node=data.text("node", 400),
            pids=self._numbers(data, "pids"),
            ports=self._numbers(data, "ports"),
            age_s=max(0.0, data.number("age_s")),
            size_bytes=max(0, data.whole("bytes")),
            state=cast(State, state),
            why=data.text("why"),
            mark=data.text("mark"),
            unsure=tuple(data.line(name).decode() for name in data.items("unsure", 10_000)),
        )

    def _numbers(self, data: Reader, key: str) -> tuple[int, ...]:
        found = data.items(key, 1000)
        if not all(type(value) is int for value in found):
            raise nonsense(self._node, f"{key} holds no numbers")
        return tuple(found)


def _args(root: str, ports_from: int, ended: Sequence[str], keep: Sequence[str]) -> dict[str, Any]:
    return {"root": root, "ports_from": ports_from, "ended": list(ended), "keep": list(keep)}
