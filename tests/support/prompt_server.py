"""An SSH server that asks: a key, then one or several rounds of prompts, as sites with codes do."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import asyncssh

from tests.support.waiting import PATIENCE_S

Rounds = Sequence[tuple[Sequence[tuple[str, bool]], Sequence[str]]]
"""Rounds of prompts (text, echo), each with the answers that are right."""


@dataclass
class Counts:
    """What the server saw."""

    keys: list[str] = field(default_factory=list)
    rounds: int = 0
    connections: int = 0


class PromptServer:
    """Listens on 127.0.0.1. ``key``: its public line must be offered first; None: prompts only."""

    def __init__(self, folder: Path, rounds: Rounds, key: str | None = None) -> None:
        self.counts = Counts()
        self.port = 0
        self._rounds = rounds
        self._key = key
        self._host_key = asyncssh.generate_private_key("ssh-ed25519")
        self.known_hosts = folder / "prompt_known_hosts"
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="prompt-server")
        self._connections: set[Any] = set()

    def __enter__(self) -> PromptServer:
        self._thread.start()
        self._listener = self._call(self._listen())
        self.port = self._listener.get_port()
        public = self._host_key.export_public_key().decode().strip()
        self.known_hosts.write_text(f"[127.0.0.1]:{self.port} {public}\n")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._call(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)
        self._loop.close()

    def drop_connections(self) -> None:
        """Break every connection."""
        self._call(self._drop())

    async def _drop(self) -> None:
        for connection in list(self._connections):
            connection.abort()
        await asyncio.sleep(0.05)

    async def _close(self) -> None:
        await self._drop()
        self._listener.close()
        await self._listener.wait_closed()

    def _call(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    async def _listen(self) -> Any:
        return await asyncssh.create_server(
            lambda: _Server(self),
            "127.0.0.1",
            0,
            server_host_keys=[self._host_key],
            encoding=None,
        )


class _Server(asyncssh.SSHServer):  # type: ignore[misc]
    """One connection."""

    def __init__(self, owner: PromptServer) -> None:
        self._owner = owner
        self._round = 0
        self._key_done = owner._key is None

    def connection_made(self, connection: Any) -> None:
        self._connection = connection
        self._owner.counts.connections += 1
        self._owner._connections.add(connection)
        fail = connection.send_userauth_failure
        # asyncssh has no partial success of its own: a key that is right is a failure to it.
        connection.send_userauth_failure = lambda partial: fail(partial or self._take_partial())

    def _take_partial(self) -> bool:
        partial, self._partial = self._partial, False
        return partial

    _partial = False

    def connection_lost(self, error: Exception | None) -> None:
        self._owner._connections.discard(self._connection)

    def public_key_auth_supported(self) -> bool:
        return not self._key_done

    def validate_public_key(self, username: str, key: Any) -> bool:
        line = " ".join(key.export_public_key().decode().split()[:2])
        self._owner.counts.keys.append(line)
        self._key_done = self._partial = line == self._owner._key
        return False

    def kbdint_auth_supported(self) -> bool:
        return self._key_done

    def get_kbdint_challenge(self, username: str, lang: str, submethods: str) -> Any:
        self._round = 0
        return self._challenge()

    def _challenge(self) -> Any:
        prompts, _ = self._owner._rounds[self._round]
        return "Two\x1b[31m factors", "Open your app.", "", list(prompts)

    def validate_kbdint_response(self, username: str, responses: list[str]) -> Any:
        owner = self._owner
        owner.counts.rounds += 1
        if list(responses) != list(owner._rounds[self._round][1]):
            return False
        self._round += 1
        return True if self._round == len(owner._rounds) else self._challenge()

    def session_requested(self) -> Any:
        return _Echo()


class _Echo(asyncssh.SSHServerSession):  # type: ignore[misc]
    def connection_made(self, channel: Any) -> None:
        self._channel = channel

    def exec_requested(self, command: str) -> bool:
        self._command = command
        return True

    def session_started(self) -> None:
        self._channel.write(self._command.encode())
        self._channel.exit(0)
