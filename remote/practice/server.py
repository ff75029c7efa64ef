"""One practice node's SSH server: public keys only, and commands through ``/bin/sh``."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from pathlib import Path
from typing import Any

from remote.errors import ClewError
from remote.practice.files import HOST, INSTALL
from remote.practice.relay import Relay
from remote.ssh.tokens import local_user

_KEPT = ("LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "TZ")


def load_asyncssh() -> Any:
    """asyncssh, imported when it is first needed.

    Raises:
        ClewError: it is not installed.
    """
    try:
        import asyncssh
    except ImportError:
        raise ClewError("the practice cluster needs asyncssh", remedy=INSTALL) from None
    logger = logging.getLogger("asyncssh")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return asyncssh


def node_environment(name: str, home: Path) -> dict[str, str]:
    """What a login on this node finds: little, as on a real one."""
    environment = {key: os.environ[key] for key in _KEPT if key in os.environ}
    own = os.path.dirname(sys.executable)
    path = os.environ.get("PATH", os.defpath)
    if own not in path.split(os.pathsep):
        path = os.pathsep.join((path, own))
    user = local_user()
    return environment | {
        "HOME": str(home),
        "PATH": path,
        "TMPDIR": str(home / "tmp"),
        "SHELL": "/bin/sh",
        "USER": user,
        "LOGNAME": user,
        "CLEW_PRACTICE_NODE": name,
    }


class NodeServer:
    """Listens for one node. All methods run in the cluster's event loop."""

    def __init__(self, name: str, home: Path, host_key: Path, client_keys: str) -> None:
        self._asyncssh = load_asyncssh()
        self._name = name
        self._home = home
        self._host_key = host_key
        self._client_keys = client_keys
        self._listener: Any = None
        self._relays: set[Relay] = set()
        self.connections: set[Any] = set()
        self.port = 0

    async def start(self, port: int) -> None:
        """Listen on ``port`` if it is free, else on any."""
        try:
            await self._listen(port)
        except OSError:
            await self._listen(0)
        self.port = self._listener.get_port()

    async def _listen(self, port: int) -> None:
        asyncssh = self._asyncssh
        self._listener = await asyncssh.create_server(
            lambda: _with_base(_Connection, asyncssh.SSHServer, asyncssh, self),
            HOST,
            port,
            server_host_keys=[str(self._host_key)],
            authorized_client_keys=asyncssh.import_authorized_keys(self._client_keys),
            password_auth=False,
            kbdint_auth=False,
            host_based_auth=False,
            gss_host=None,
            encoding=None,
            line_editor=False,
            allow_pty=False,
            agent_forwarding=False,
            x11_forwarding=False,
            compression_algs=None,
        )

    def new_relay(self, channel: Any) -> Relay:
        """For a command that a client is about to send."""
        environment = node_environment(self._name, self._home)
        relay = Relay(channel, home=self._home, env=environment, ended=self._relays.discard)
        self._relays.add(relay)
        return relay

    async def close(self) -> None:
        """Stop listening, drop the connections, end what still hangs on them."""
        if self._listener is not None:
            self._listener.close()
        for connection in list(self.connections):
            connection.abort()
        # A process whose input has ended should end by itself, and takes longer than one tick.
        await self._until_ended(0.3)
        for order in (signal.SIGTERM, signal.SIGKILL):
            running = [relay for relay in list(self._relays) if relay.end(order)]
            if running:
                await self._until_ended(0.3)

    async def _until_ended(self, limit_s: float) -> None:
        deadline = asyncio.get_running_loop().time() + limit_s
        while self._relays and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(0.005)


class _Connection:
    """asyncssh's callbacks for one connection."""

    node: NodeServer
    asyncssh: Any

    def connection_made(self, connection: Any) -> None:
        self._connection = connection
        self.node.connections.add(connection)

    def connection_lost(self, error: Exception | None) -> None:
        self.node.connections.discard(self._connection)

    def session_requested(self) -> Any:
        return _with_base(_Session, self.asyncssh.SSHServerSession, self.asyncssh, self.node)


class _Session:
    """asyncssh's callbacks for one command."""

    node: NodeServer
    asyncssh: Any

    def connection_made(self, channel: Any) -> None:
        self._channel = channel
        self._relay = self.node.new_relay(channel)
        self._command = ""

    def exec_requested(self, command: str) -> bool:
        self._command = command
        return True

    def session_started(self) -> None:
        try:
            self._relay.start(self._command)
        except OSError as error:
            self._channel.write(f"{error}\n".encode(), self.asyncssh.EXTENDED_DATA_STDERR)
            self._channel.exit(126)

    def data_received(self, data: bytes, datatype: int | None) -> None:
        self._relay.feed(data)

    def eof_received(self) -> bool:
        self._relay.feed_eof()
        return True

    def pause_writing(self) -> None:
        self._relay.pause(True)

    def resume_writing(self) -> None:
        self._relay.pause(False)

    def connection_lost(self, error: Exception | None) -> None:
        self._relay.lose()


def _with_base(callbacks: type, base: Any, asyncssh: Any, node: NodeServer) -> Any:
    """The callbacks on top of asyncssh's class, which exists only once it is imported."""
    kind = type(callbacks.__name__, (callbacks, base), {"asyncssh": asyncssh, "node": node})
    return kind()
