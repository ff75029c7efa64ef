"""Jump hosts: one connection and one login for all nodes behind each."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar

import paramiko

from remote.ssh.stop import Stop
from remote.ssh.target import SshTarget


class Bastion(Protocol):
    """What a shared connector can do."""

    @property
    def alive(self) -> bool: ...
    def connect(self) -> None: ...
    def close(self) -> None: ...
    def forward(self, host: str, port: int) -> paramiko.Channel: ...


B = TypeVar("B", bound=Bastion)


@dataclass(eq=False)
class _Shared(Generic[B]):
    lock: threading.Lock = field(default_factory=threading.Lock)
    connector: B | None = None
    leases: int = 0


class Lease(Generic[B]):
    """One node's share of a jump host's connection."""

    def __init__(self, connector: B, give_back: Callable[[], None]) -> None:
        self.connector = connector
        self._give_back: Callable[[], None] | None = give_back

    def release(self) -> None:
        give_back, self._give_back = self._give_back, None
        if give_back is not None:
            give_back()


class Bastions(Generic[B]):
    """Connections to jump hosts by target; each is closed when its last user is."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shared: dict[SshTarget, _Shared[B]] = {}

    def lease(self, target: SshTarget, make: Callable[[SshTarget], B], stop: Stop) -> Lease[B]:
        """A connected jump host. The first to need it connects; the others wait for that.

        Raises:
            ConnectError: the jump host cannot be reached.
            Cancelled: ``stop`` was set; another waiting node takes over then.
        """
        key = replace(target, name="")
        with self._lock:
            shared = self._shared.setdefault(key, _Shared())
            shared.leases += 1
        try:
            with stop.holding(shared.lock, target.name):
                if shared.connector is None or not shared.connector.alive:
                    shared.connector = self._connected(make(target), stop)
                connector = shared.connector
        except BaseException:
            self._give_back(key, shared)
            raise
        return Lease(connector, lambda: self._give_back(key, shared))

    @staticmethod
    def _connected(connector: B, stop: Stop) -> B:
        with stop.calling(connector.close):
            try:
                connector.connect()
            except BaseException:
                connector.close()
                raise
        return connector

    def _give_back(self, key: SshTarget, shared: _Shared[B]) -> None:
        with self._lock:
            shared.leases -= 1
            last = shared.leases == 0
            if last:
                self._shared.pop(key, None)
        if last and shared.connector is not None:
            shared.connector.close()
