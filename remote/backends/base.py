"""What a back end is: nodes, a way to each, and giving them back."""

from __future__ import annotations

from typing import Protocol

from remote.channel import Connector


class Backend(Protocol):
    """Gives nodes. Every method may be called from any thread."""

    def nodes(self) -> tuple[str, ...]:
        """The names of the nodes that are there now; none before they are given and afterwards."""
        ...

    def connector(self, node: str, interactive: bool = False) -> Connector:
        """A way to an agent on a node, for one attempt; it may be connected anew when it broke.

        Args:
            interactive: whether the user may be asked.

        Raises:
            ConnectError: there is no such node now.
        """
        ...

    def release(self) -> None:
        """Let go of the nodes; where they were lent, they are given back. Safe to call twice.

        Raises:
            NodeError, LinkLost: whoever lent them could not be told.
        """
        ...
