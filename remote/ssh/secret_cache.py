"""Secrets that were right once, kept in memory for all nodes of a session."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from remote.ssh.prompts import Secret, SecretKind
from remote.ssh.stop import Stop

T = TypeVar("T")
ATTEMPTS = 3


class SecretStore(Protocol):
    """A place that outlives the program, such as the system's keyring."""

    def why_not(self) -> str: ...

    def get(self, name: str) -> str | None: ...

    def set(self, name: str, value: str) -> None: ...

    def forget(self, name: str) -> None: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class SecretName:
    """Which secret: a passphrase by its key file, a password by user and circle of hosts."""

    kind: SecretKind
    user: str
    place: str


@dataclass(slots=True)
class _Entry:
    lock: threading.Lock = field(default_factory=threading.Lock)
    value: str | None = field(default=None, repr=False)
    by_node: dict[str, str] = field(default_factory=dict, repr=False)
    cancels: int = 0
    remember: bool = False
    """Whether ``value`` is to be kept for every node for which it proves right."""


@dataclass(frozen=True, kw_only=True)
class Use(Generic[T]):
    """One node's need of a secret.

    ``check`` tries a value: a result when it is right, None when it was refused. ``ask`` is given
    the number of the attempt. ``store_name`` names it in the keyring; empty: never stored.
    """

    name: SecretName
    node: str
    check: Callable[[str], T | None]
    ask: Callable[[int], Secret | None]
    store_name: str = ""


class SecretCache:
    """Asks once per distinct secret, however many nodes need it at the same time.

    The first to need a secret asks and tries it; the others wait, then use what was right. So a
    mistyped password is refused once, not on every node. A cancelled question counts for all who
    waited for its answer.
    """

    def __init__(self, store: SecretStore | None = None) -> None:
        self.store = store
        self._lock = threading.Lock()
        self._entries: dict[SecretName, _Entry] = {}

    def __repr__(self) -> str:
        return f"SecretCache({len(self._entries)} secrets)"

    def obtain(self, use: Use[T], stop: Stop) -> T | None:
        """The result of ``use.check`` for the right secret; None: cancelled, or refused 3 times."""
        with self._lock:
            entry = self._entries.setdefault(use.name, _Entry())
        cancels = entry.cancels
        tried: str | None = None
        while True:
            value = entry.by_node.get(use.node, entry.value)
            if value is not None and value != tried:
                tried = value
                result = use.check(value)
                if result is not None:
                    if entry.remember and value == entry.value:
                        self._store(use, value)
                    return result
            with stop.holding(entry.lock, use.node):
                if entry.cancels != cancels:
                    return None
                if entry.by_node.get(use.node, entry.value) == tried:
                    return self._ask(entry, use, stop, again=tried is not None)

    def known(self, name: SecretName, node: str) -> str | None:
        """What was right for ``node`` before, or for another that shares it; nobody is asked."""
        with self._lock:
            entry = self._entries.get(name)
        return None if entry is None else entry.by_node.get(node, entry.value)

    def learn(self, name: SecretName, node: str, secret: Secret) -> None:
        """Take in a secret that has proved right elsewhere than in :meth:`obtain`."""
        with self._lock:
            entry = self._entries.setdefault(name, _Entry())
            if secret.reuse and entry.value is None:
                entry.value = secret.value
            else:
                entry.by_node[node] = secret.value

    def _ask(self, entry: _Entry, use: Use[T], stop: Stop, *, again: bool) -> T | None:
        stored = None if again else self._stored(use)
        if stored is not None:
            result = use.check(stored)
            if result is not None:
                # A password was kept for this login; nobody said that others may see it.
                if use.name.kind == "password":
                    entry.by_node[use.node] = stored
                else:
                    entry.value = stored
                return result
            if self.store is not None:
                self.store.forget(use.store_name)  # or it is sent again at each new start
        first = 2 if again or stored is not None else 1
        for attempt in range(first, first + ATTEMPTS):
            secret = use.ask(attempt)
            stop.check(use.node)
            if secret is None:
                entry.cancels += 1
                return None
            result = use.check(secret.value)
            if result is not None:
                self._keep(entry, use, secret)
                return result
        return None

    def _stored(self, use: Use[T]) -> str | None:
        return self.store.get(use.store_name) if self.store and use.store_name else None

    def _keep(self, entry: _Entry, use: Use[T], secret: Secret) -> None:
        if secret.reuse and entry.value is None:
            entry.value = secret.value
            entry.remember = secret.remember
        else:
            entry.by_node[use.node] = secret.value
        if secret.remember:
            self._store(use, secret.value)

    def _store(self, use: Use[T], value: str) -> None:
        if self.store and use.store_name and self.store.get(use.store_name) != value:
            self.store.set(use.store_name, value)
