"""How a session reaches its nodes by SSH: one pool, one set of known hosts, one who is asked."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from remote.channel import Connector
from remote.profile import NodeConfig, Profile
from remote.ssh import (
    CommandConsent,
    CommandQuestion,
    ConfigSource,
    HostKeyQuestion,
    HostKeys,
    KeyringStore,
    Prompter,
    Secret,
    SecretCache,
    SecretQuestion,
    SshPool,
)

KNOWN_HOSTS = "known_hosts"
AGREED_COMMANDS = "agreed_commands"
KNOWN_HOSTS_VARIABLE = "CLEW_KNOWN_HOSTS"
"""More known_hosts files to read, separated as in PATH."""


class QuietPrompter:
    """Passes questions on only while the asking thread may disturb the user.

    A connection that breaks at night is made again by itself if it can be, and waits for the user
    if it cannot.
    """

    def __init__(self, prompter: Prompter) -> None:
        self._prompter = prompter
        self._thread = threading.local()

    def allow(self, allowed: bool) -> None:
        """Whether questions of this thread reach the user."""
        self._thread.allowed = allowed

    def unknown_host(self, question: HostKeyQuestion) -> bool:
        return self._allowed and self._prompter.unknown_host(question)

    def run_commands(self, question: CommandQuestion) -> bool:
        return self._allowed and self._prompter.run_commands(question)

    def secret(self, question: SecretQuestion) -> Secret | None:
        return self._prompter.secret(question) if self._allowed else None

    @property
    def _allowed(self) -> bool:
        return bool(getattr(self._thread, "allowed", False))


class Connections:
    """Connectors for the nodes of one profile.

    Args:
        profile: its SSH defaults.
        prompter: who answers questions.
        folder: where Clew keeps the host keys it was told to trust.
        known_hosts: more known_hosts files to read.
        notice: called with one sentence about a file that is not used.
    """

    def __init__(
        self,
        profile: Profile,
        prompter: Prompter,
        folder: Path,
        known_hosts: Sequence[Path],
        notice: Callable[[str], None],
    ) -> None:
        self._profile = profile
        self._host_names: dict[str, str] = {}
        self._prompter = QuietPrompter(prompter)
        named = os.environ.get(KNOWN_HOSTS_VARIABLE, "").split(os.pathsep)
        extra = [*known_hosts, *(Path(name) for name in named if name)]
        self._notice = notice
        self._told: set[str] = set()
        consent = CommandConsent(folder / AGREED_COMMANDS, self._prompter, notice)
        self._pool = SshPool(
            known=HostKeys(folder / KNOWN_HOSTS, extra=extra, notice=notice),
            prompter=self._prompter,
            secrets=SecretCache(KeyringStore(notice)),
            config=ConfigSource(notice=self._tell_once, may_run_commands=consent.allows),
        )

    def connector(self, node: NodeConfig, interactive: bool) -> Connector:
        """A connector for one attempt, used by the calling thread. Raises ConnectError."""
        self._prompter.allow(interactive)
        target = self._pool.resolve(node, self._profile.ssh)
        self._host_names[node.name] = target.host_name
        return self._pool.connector(target)

    def _tell_once(self, text: str) -> None:
        """Each node reads the same files: what is wrong with them is news only once."""
        if text not in self._told:
            self._told.add(text)
            self._notice(text)

    def addresses(self) -> dict[str, str]:
        """What each node's host stands for in the SSH configuration, by the node's name.

        Known once a connection was tried: asking costs a process, planning must not.
        """
        return dict(self._host_names)
