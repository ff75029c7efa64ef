"""The nodes of one allocation, as nodes of the session while the run has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from remote.backends import Backend
from remote.channel import Connector
from remote.profile import NodeConfig
from remote.session.node import Node
from remote.session.openings import Home
from remote.session.slurm.nodes import LentNode, RecordsNode


class Lent:
    """Adds and removes them; on the run's thread.

    Args:
        home: the session.
        login: where one logs in.
    """

    def __init__(self, home: Home, login: NodeConfig) -> None:
        self._home = home
        self._login = login
        self._names: list[str] = []

    def open(self, backend: Backend) -> None:
        """Connect to the nodes that are given; one that is there already is left as it is."""
        for name in backend.nodes():
            if name in self._home.nodes:  # one may log in to a node of the job
                continue
            config = NodeConfig(host=self._login.host, name=name, user=self._login.user)
            self._add(LentNode(config, self._home.profile, _through(backend), self._home.watcher))

    def read(self, names: Iterable[str], root: str) -> None:
        """The nodes are given back: from here on their records are read where one logs in."""
        self.close()
        home = self._home
        for name in names:
            if name not in home.nodes:
                self._add(
                    RecordsNode(name, self._login, home.profile, home.connector, home.watcher, root)
                )

    def close(self) -> None:
        """They are no nodes of the session any more."""
        names, self._names = self._names, []
        for name in names:
            self._home.remove_node(name)

    def _add(self, node: Node) -> None:
        self._names.append(node.name)
        self._home.add_node(node)


def _through(backend: Backend) -> Callable[[NodeConfig, bool], Connector]:
    return lambda config, interactive: backend.connector(config.name, interactive)
