"""What the nodes of a session say, brought to whom it concerns."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from remote.facts import NodeFacts
from remote.link import NoteData, SampleData, StreamItem
from remote.session.clock import skew_notice
from remote.session.filling import Fillings
from remote.session.messages import Heard, NodeDown, NodeUp
from remote.session.node import Node
from remote.session.ordering import Ordering
from remote.session.run import Run
from remote.updates import NodeUpdate, NoticeUpdate, Update

_BEAT_S = 1.0
_SKEW_S = 2.0


class Home(Protocol):
    """What is needed of the session."""

    fillings: Fillings

    @property
    def nodes(self) -> Mapping[str, Node]: ...
    def tell(self, update: Update) -> None: ...
    def running(self) -> Iterable[Run]: ...


class Hearing:
    """The watcher of all nodes of one session; see :class:`~remote.session.node.NodeWatcher`.

    Args:
        home: the session.
        ordering: is told which nodes can be asked.
        settled: called whenever a node stands otherwise than before.
    """

    def __init__(self, home: Home, ordering: Ordering, settled: Callable[[], None]) -> None:
        self._home = home
        self._ordering = ordering
        self._settled = settled
        self._skew_told: set[str] = set()
        self._thread: threading.Thread | None = None

    def start(self, closed: threading.Event) -> None:
        """Tell when each node was last heard, once a second until ``closed``."""
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._beat, args=(closed,), name="clew-heartbeat", daemon=True
            )
            self._thread.start()

    def node_changed(self, update: NodeUpdate) -> None:
        self._home.tell(update)
        self._settled()

    def node_connected(self, node: str, facts: NodeFacts) -> None:
        skew = facts.clock_offset_s
        if abs(skew) > _SKEW_S and node not in self._skew_told:
            self._skew_told.add(node)
            self._home.tell(skew_notice(node, skew))
        known = self._home.nodes.get(node)
        if known is not None:  # else it was given back in this moment
            self._ordering.contact(known)
        self._to_runs(NodeUp(node))

    def node_lost(self, node: str, since: float) -> None:
        self._ordering.lost(node)
        self._to_runs(NodeDown(node, since))

    def node_said(self, node: str, item: StreamItem) -> None:
        if isinstance(item, SampleData):
            self._home.tell(item.sample)
            self._to_runs(item)
        elif isinstance(item, NoteData):
            self._home.tell(NoticeUpdate(level=item.level, text=item.text, node=node))
        else:
            run = next((r for r in self._home.running() if r.run_id == item.run_id), None)
            if run is not None:
                run.put(item)
            else:
                self._home.fillings.put(node, item)

    def _to_runs(self, message: NodeUp | NodeDown | Heard | SampleData) -> None:
        for run in self._home.running():
            run.put(message)

    def _beat(self, closed: threading.Event) -> None:
        while not closed.wait(_BEAT_S):
            for name, node in self._home.nodes.items():
                node.heartbeat()
                heard = node.update.last_heard
                if node.connected and heard is not None:
                    self._to_runs(Heard(name, heard))
