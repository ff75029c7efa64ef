"""Connecting to test nodes: a prompter that remembers, and connectors with few words."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from remote.ssh import HostKeys, SecretCache, SshConnector, SshTarget
from remote.ssh.channel import SshChannel
from remote.ssh.connector import Shared
from remote.ssh.prompts import CommandQuestion, HostKeyQuestion, Secret, SecretQuestion
from remote.ssh.stop import Stop
from tests.support.slurm import SlurmCluster
from tests.support.sshd import SshdNode, SshdNodes
from tests.support.waiting import until

Answer = Callable[[SecretQuestion], Secret | None]


def no_answer(question: SecretQuestion) -> Secret | None:
    return None


def always(value: str) -> Answer:
    return lambda question: Secret(value)


@dataclass
class Recorder:
    """A prompter that keeps what it was asked."""

    answer: Answer = no_answer
    trust: bool = False
    hosts: list[HostKeyQuestion] = field(default_factory=list)
    secrets: list[SecretQuestion] = field(default_factory=list)
    commands: list[CommandQuestion] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run_commands(self, question: CommandQuestion) -> bool:
        with self.lock:
            self.commands.append(question)
        return self.trust

    def unknown_host(self, question: HostKeyQuestion) -> bool:
        with self.lock:
            self.hosts.append(question)
        return self.trust

    def secret(self, question: SecretQuestion) -> Secret | None:
        with self.lock:
            self.secrets.append(question)
        return self.answer(question)


def known(nodes: SshdNodes | SlurmCluster, folder: Path) -> HostKeys:
    """The nodes' host keys and nobody else's."""
    return HostKeys(folder / "own_known_hosts", extra=[nodes.known_hosts], openssh=())


def target(node: SshdNode, key: Path | None = None, **changes: object) -> SshTarget:
    """How to reach a node, with ``key`` as the only identity."""
    values: dict[str, object] = {
        "name": node.name,
        "host_name": node.ip,
        "port": node.port,
        "user": node.user,
        "identity_files": () if key is None else (str(key),),
        "identities_named": key is not None,
    }
    return SshTarget(**(values | changes))  # type: ignore[arg-type]


class Arrivals:
    """Whose turn it may be to ask: orders to stop that tell who has come to the question."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def stop(self) -> Stop:
        """The order of one connection."""
        arrivals = self._seen

        class Arriving(Stop):
            def check(self, node: str) -> None:
                arrivals.add(id(self))
                super().check(node)

        return Arriving()

    def wait_for(self, count: int) -> None:
        """Until so many connections ask or wait for the answer of whoever asks."""
        until(lambda: len(self._seen) >= count)


@dataclass
class Desk:
    """What the connections of one test share."""

    known: HostKeys
    prompter: Recorder = field(default_factory=Recorder)
    secrets: SecretCache = field(default_factory=SecretCache)
    shared: Shared = field(default_factory=Shared)

    def connector(self, to: SshTarget) -> SshConnector:
        return SshConnector(
            to,
            prompter=self.prompter,
            known=self.known,
            secrets=self.secrets,
            shared=self.shared,
        )

    @contextmanager
    def connected(self, to: SshTarget) -> Iterator[SshConnector]:
        connector = self.connector(to)
        try:
            connector.connect()
            yield connector
        finally:
            connector.close()


def read_all(channel: SshChannel) -> bytes:
    """Everything up to the end."""
    pieces = []
    while piece := channel.read(1 << 16):
        pieces.append(piece)
    return b"".join(pieces)


def run(connector: SshConnector, command: str) -> str:
    """The output of one command."""
    channel = connector.open(command)
    try:
        return read_all(channel).decode("utf-8", "replace")
    finally:
        channel.close()
