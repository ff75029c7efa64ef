"""The user's own nodes, each reached by SSH; they stay when they are released."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from remote.channel import Connector
from remote.errors import ConnectError
from remote.profile import NodeConfig

Connect = Callable[[NodeConfig, bool], Connector]
"""A connector for a node; the flag says whether the user may be asked. Raises ConnectError."""


class SshBackend:
    """See :class:`remote.backends.Backend`."""

    def __init__(self, nodes: Mapping[str, NodeConfig], connect: Connect) -> None:
        self._nodes = dict(nodes)
        self._connect = connect
        self._released = False

    def nodes(self) -> tuple[str, ...]:
        """All of the profile."""
        return () if self._released else tuple(self._nodes)

    def connector(self, node: str, interactive: bool = False) -> Connector:
        """See :meth:`remote.backends.Backend.connector`."""
        if node not in self.nodes():
            raise ConnectError("is no node of this cluster", node=node)
        return self._connect(self._nodes[node], interactive)

    def release(self) -> None:
        """Nobody lent them: only nothing more is reached through this."""
        self._released = True
