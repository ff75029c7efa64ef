"""The practice cluster as a whole: starts the nodes' servers and writes what a session needs."""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import threading
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from remote.errors import ClewError
from remote.practice.files import (
    HOST,
    copy_digits,
    is_current,
    write_known_hosts,
    write_profile,
)
from remote.practice.leftovers import RunningProcess, running
from remote.practice.server import NodeServer, load_asyncssh

T = TypeVar("T")
_START_S = 30.0
_CLOSE_S = 5.0


@dataclass(frozen=True, kw_only=True, slots=True)
class PracticeNode:
    """One node: an SSH server on this computer."""

    name: str
    home: Path
    port: int
    host: str = HOST


class PracticeCluster:
    """``nodes`` real SSH servers on loopback; no root, no sshd and no GPU needed.

    The normal SSH path connects to them: with ``client_key`` as identity file and ``known_hosts``
    as one more file of known hosts; ``profile`` names both nodes and key. A folder may be used
    again: homes, keys and, where they are free, ports stay the same.

    Args:
        folder: where everything is kept; made if it is not there.

    Raises:
        ClewError: asyncssh or scikit-learn is not installed, or a server cannot listen.
    """

    def __init__(self, folder: Path, nodes: int = 3) -> None:
        self.folder = Path(folder).resolve()
        self.client_key = self.folder / "client_key"
        self.known_hosts = self.folder / "known_hosts"
        self.profile = self.folder / "practice.yaml"
        self.data = self.folder / "digits"
        self.nodes: tuple[PracticeNode, ...] = ()
        self._count = nodes
        self._servers: list[NodeServer] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> PracticeCluster:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def start(self) -> None:
        """Start all servers; returns when they listen."""
        asyncssh = load_asyncssh()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            copy_digits(self.data)
            public = _key(asyncssh, self.client_key)
        except OSError as error:
            raise ClewError(
                f"the folder {self.folder} cannot be used ({error.strerror or error})",
                remedy="Free some space or choose another folder",
            ) from None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="clew-practice", daemon=True)
        self._thread.start()
        try:
            self._start_servers(asyncssh, public)
        except BaseException:
            self.close()
            raise

    def _start_servers(self, asyncssh: Any, client_keys: str) -> None:
        old_ports = self._old_ports()
        nodes, keys = [], []
        for index in range(self._count):
            name = f"node{index + 1}"
            home = self.folder / name / "home"
            (home / "tmp").mkdir(parents=True, exist_ok=True)
            host_key = self.folder / name / "host_key"
            public = _key(asyncssh, host_key)
            server = NodeServer(name, home, host_key, client_keys)
            self._servers.append(server)
            try:
                self._call(server.start(old_ports.get(name, 0)), _START_S)
            except OSError as error:
                raise ClewError(f"{name} cannot listen on {HOST} ({error.strerror})") from None
            nodes.append(PracticeNode(name=name, home=home, port=server.port))
            keys.append((server.port, " ".join(public.split()[:2])))
        self.nodes = tuple(nodes)
        write_known_hosts(self.known_hosts, keys)
        ports = {node.name: node.port for node in self.nodes}
        if ports != old_ports or not is_current(self.profile):
            self._write_profile(ports)

    def _write_profile(self, ports: dict[str, int]) -> None:
        write_profile(
            self.profile, identity=self.client_key, data=self.data, nodes=list(ports.items())
        )
        (self.folder / "ports.json").write_text(json.dumps(ports), encoding="ascii")

    def _old_ports(self) -> dict[str, int]:
        try:
            ports = json.loads((self.folder / "ports.json").read_text(encoding="ascii"))
        except (OSError, ValueError):
            return {}
        good = isinstance(ports, dict) and all(
            type(port) is int and 0 < port < 65536 for port in ports.values()
        )
        return ports if good else {}

    def left_running(self) -> list[RunningProcess]:
        """Processes that the nodes still run, detached ones too; see ``leftovers.running``."""
        return running(self.folder)

    def close(self) -> None:
        """End the servers and every connection. Detached processes go on; twice is once."""
        loop, self._loop = self._loop, None
        if loop is None:
            return
        try:
            closing = asyncio.run_coroutine_threadsafe(self._close_servers(), loop)
            closing.result(_CLOSE_S)
        except concurrent.futures.TimeoutError:  # of its own kind before Python 3.11
            pass  # the loop ends below in any case
        finally:
            loop.call_soon_threadsafe(loop.stop)
            if self._thread is not None:
                self._thread.join(_CLOSE_S)
            self._servers.clear()

    async def _close_servers(self) -> None:
        await asyncio.gather(*(server.close() for server in self._servers))
        # Let the connections' own tasks see their end before the loop stops.
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if others:
            await asyncio.wait(others, timeout=0.5)

    def _call(self, work: Coroutine[Any, Any, T], limit_s: float) -> T:
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(limit_s)

    def _run(self) -> None:
        loop = self._loop
        assert loop is not None
        asyncio.set_event_loop(loop)
        try:
            loop.run_forever()
        finally:
            for task in asyncio.all_tasks(loop):
                task.cancel()
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()


def _key(asyncssh: Any, path: Path) -> str:
    """The public half of the key at ``path``, which is made if it is not there."""
    if not path.exists():
        key = asyncssh.generate_private_key("ssh-ed25519", comment="clew practice")
        path.touch(mode=0o600)
        key.write_private_key(str(path))
    path.chmod(0o600)
    public: bytes = asyncssh.read_private_key(str(path)).export_public_key()
    return public.decode("ascii")
