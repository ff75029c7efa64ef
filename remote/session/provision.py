"""Brings each node the environment that the profile's packages describe."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from remote.bundle import Tree
from remote.errors import Cancelled, ClewError, LinkLost, NodeError
from remote.facts import BasePython, NodeFacts
from remote.link import AgentLink, Made, Order
from remote.pace import Pace
from remote.profile import Profile
from remote.session.node import RECONNECT_LIMIT_S, Node
from remote.session.parallel import Outcome, on_all, with_node
from remote.updates import NoticeUpdate, Progress
from remote.wheels import WheelStore

_T = TypeVar("_T")
_TELL_S = 0.1
_ACTION_HERE = "environment: fetching wheels here"
_ACTION_SENDING = "environment: sending wheels"


@dataclass(slots=True)
class Provision:
    """One provisioning. Each node is brought its environment by :meth:`bring`, which blocks.

    Args:
        nodes: the nodes by name; facts of each are known.
        tell: takes progress and what is worth saying.
        cancelled: whether the user has stopped it.
        store: the wheels of this computer.
    """

    nodes: Mapping[str, Node]
    profile: Profile
    tell: Callable[[Progress | NoticeUpdate], None]
    cancelled: Callable[[], bool]
    store: WheelStore = field(default_factory=WheelStore)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _paces: dict[tuple[str, str], tuple[Pace, float]] = field(default_factory=dict)

    @property
    def wanted(self) -> bool:
        """Whether there is anything to do: without packages, Python is used as it is."""
        return bool(self.profile.environment.packages)

    def all(self) -> Outcome[str]:
        """Bring all nodes their environments at the same time; the Python of each."""
        return on_all(self.nodes, self.bring)

    def bring(self, name: str) -> str:
        """Make the environment of one node, unless it is there; its Python.

        The node's facts are those with the environment afterwards.

        Raises:
            ClewError: it cannot be made; names the node.
            Cancelled: the user stopped it; nothing of it is left.
        """
        node = self.nodes[name]
        try:
            facts = node.facts or node.refresh()
            if facts.environment == "ready" and self._is_there(node, facts):
                return facts.python
            python = self._make(node, facts)
            facts = node.refresh()
        except ClewError as error:
            raise with_node(error, name) from None
        if facts.environment != "ready":
            what = f"the environment was made, and its Python {python} is not found there"
            raise NodeError(what, node=name, remedy="Look at that folder on the node.")
        return facts.python

    def _is_there(self, node: Node, facts: NodeFacts) -> bool:
        """Somebody may have removed it since the node was checked."""
        try:
            node.link().verify_path(facts.python)
        except LinkLost:
            raise
        except NodeError:
            return False
        return True

    def _make(self, node: Node, facts: NodeFacts) -> str:
        wheels = self.profile.environment.wheels
        if wheels != "desktop":
            made = self._ask(node, self._order(facts, give_up=wheels == "auto"))
            if made.python:
                return made.python
            text = f"{made.no_index}; the wheels are fetched on this computer and sent"
            self.tell(NoticeUpdate(level="info", text=text, node=node.name))
        if facts.base is None:
            raise NodeError("its Python is not known", node=node.name, remedy="Connect again.")
        tree = self._fetch(node.name, facts.base)
        folder = self._send(node, facts, tree)
        made = self._ask(node, self._order(facts, wheels=folder, digest=tree.id.digest))
        return made.python

    def _order(
        self, facts: NodeFacts, *, wheels: str = "", digest: str = "", give_up: bool = False
    ) -> Order:
        environment = self.profile.environment
        return Order(
            root=facts.root,
            python=environment.python,
            packages=environment.packages,
            setup=environment.setup,
            variables=environment.variables,
            wheels=wheels,
            digest=digest,
            give_up=give_up,
        )

    def _ask(self, node: Node, order: Order) -> Made:
        def progress(action: str, done: int, total: int, unit: str) -> None:
            self._tell(node.name, action, done, total, steps=unit == "steps")

        def ask(link: AgentLink) -> Made:
            return link.environments.make(order, progress, self.cancelled)

        made = self._again(node, ask)
        self._tell(node.name, "environment", 1, 1, steps=True)
        return made

    def _fetch(self, name: str, base: BasePython) -> Tree:
        def progress(done: int, total: int) -> None:
            self._tell(name, _ACTION_HERE, done, total)

        packages = self.profile.environment.packages
        return self.store.get(packages, base, progress, self.cancelled)

    def _send(self, node: Node, facts: NodeFacts, tree: Tree) -> str:
        def progress(done: int, total: int) -> None:
            self._tell(node.name, _ACTION_SENDING, done, total)

        def put(link: AgentLink) -> str:
            return link.put_tree(tree, root=facts.root, progress=progress, cancelled=self.cancelled)

        return self._again(node, put)

    def _again(self, node: Node, action: Callable[[AgentLink], _T]) -> _T:
        """Do it, and once more after each broken connection: the node keeps what it has of it."""
        link = node.link()
        while True:
            if self.cancelled():
                raise Cancelled("stopped while preparing", node=node.name)
            try:
                return action(link)
            except LinkLost as error:
                link = node.next_link(link, error, RECONNECT_LIMIT_S, self.cancelled)

    def _tell(self, name: str, action: str, done: int, total: int, *, steps: bool = False) -> None:
        """Tell progress, not too often."""
        now = time.monotonic()
        with self._lock:
            pace, told_at = self._paces.get((name, action)) or (Pace(), 0.0)
            if done < total and now - told_at < _TELL_S:
                return
            rate = None if steps else pace.rate(done)
            self._paces[name, action] = pace, now
        self.tell(
            Progress(
                node=name,
                action=action,
                done=done,
                total=total,
                rate=rate,
                unit="steps" if steps else "bytes",
            )
        )
