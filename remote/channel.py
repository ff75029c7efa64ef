"""The seam under the agent: a byte channel to a process on a node, whatever carries it."""

from __future__ import annotations

from typing import Protocol


class Channel(Protocol):
    """Standard input and output of one process on a node.

    One thread may read while another writes; ``close`` may be called from any thread, twice, and
    makes a blocked ``read`` return.
    """

    def read(self, limit: int) -> bytes:
        """Up to ``limit`` bytes as soon as there are any; ``b""`` at the end of the stream.

        Raises:
            LinkLost: the connection broke.
        """
        ...

    def write(self, data: bytes) -> None:
        """Write all of ``data``. Raises :class:`~remote.errors.LinkLost`."""
        ...

    def stderr_tail(self) -> str:
        """The last 4 KiB that the process wrote to standard error."""
        ...

    def kill(self) -> None:
        """End the process, and what it waits for, where the other side can; then close."""
        ...

    def close(self) -> None: ...


class Connector(Protocol):
    """A way to open channels to one node; SSH is one, an allocation's node will be another."""

    def connect(self) -> None:
        """Make the connection ready. Blocks; raises :class:`~remote.errors.ConnectError`."""
        ...

    def open(self, command: str) -> Channel:
        """Start ``command`` through the account's login shell."""
        ...

    def close(self) -> None: ...
