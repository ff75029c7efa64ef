"""The last bytes of a run: fetched when all of it has ended, before its result is told.

A task's end says nothing of the bytes of others, nor of those that this computer has not recorded.
So every node that can be heard is asked once more, from the last recorded byte on, and says when
it has sent all that it has. Whatever is not known to be complete then is recorded as a gap.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Protocol

from remote.history import Gap
from remote.link import DrainedData, FileData
from remote.session.follow import Follower
from remote.session.messages import Message
from remote.session.node import Node

NODES_S = 10.0
"""So long a node may send nothing of the rest, busy with much else as it may be."""
ALL_S = 45.0
"""So long at most: for room on a full disk here, for links that are slow."""


class _Home(Protocol):
    @property
    def nodes(self) -> Mapping[str, Node]: ...


class _Run(Protocol):
    """What is needed of the run."""

    run_id: str

    @property
    def home(self) -> _Home: ...
    @property
    def roots(self) -> dict[str, str]: ...
    @property
    def asks_again(self) -> bool: ...
    def ask_node(self, name: str) -> None: ...


class Draining:
    """Asks all nodes when it is made; on the run's thread.

    Args:
        run: the run, of which nothing is alive any more on the nodes that can be heard.
        follower: takes what comes.
    """

    def __init__(self, run: _Run, follower: Follower) -> None:
        self._run = run
        self._follower = follower
        self._complete: set[str] = set()
        self._until = time.monotonic() + ALL_S
        self.heard()
        follower.hurry()
        for name in run.roots:
            run.ask_node(name)

    def heard(self) -> None:
        """Something has come: what follows gets its time."""
        self._silent_until = time.monotonic() + NODES_S

    def take(self, message: Message) -> None:
        """A node that says it has sent all has not, where something is to be sent again."""
        if isinstance(message, FileData):
            self.heard()
        elif isinstance(message, DrainedData) and not self._run.asks_again:
            self._complete.add(message.node)

    def again(self) -> None:
        """The nodes are asked once more, since something could not be taken or recorded."""
        self._complete.clear()
        self.heard()

    def over(self, now: float) -> bool:
        """Whether nothing more is to be waited for; ``now`` monotonic."""
        if now >= self._until:
            return True
        if self._follower.behind or self._run.asks_again:
            self.heard()
            return False
        nodes = self._run.home.nodes
        heard = {name for name in self._run.roots if name in nodes and nodes[name].connected}
        return heard <= self._complete or now >= self._silent_until

    def gaps(self) -> list[Gap]:
        """The nodes of which more may be to be fetched; while nothing is recorded, all are."""
        complete = set() if self._follower.behind else self._complete
        nodes = self._run.home.nodes
        return [
            Gap(run_id=self._run.run_id, node=name, place=nodes[name].place, root=root)
            for name, root in self._run.roots.items()
            if name in nodes and name not in complete
        ]


def gap_words(gaps: list[Gap]) -> str:
    """What is said of a run that has ended with gaps."""
    names = ", ".join(gap.node for gap in gaps[:4])
    more = f" and {len(gaps) - 4} more" if len(gaps) > 4 else ""
    return (
        f"the last lines of {names}{more} may be missing here: "
        "they are fetched as soon as Clew is connected there again"
    )
