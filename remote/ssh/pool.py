"""All SSH connections of one session: shared jump hosts, shared secrets, shared known hosts."""

from __future__ import annotations

from remote.ssh.connector import Shared, SshConnector
from remote.ssh.host_keys import HostKeys
from remote.ssh.prompts import Prompter
from remote.ssh.resolve import ConfigSource, resolve
from remote.ssh.secret_cache import SecretCache
from remote.ssh.target import NodeFields, SshFields, SshTarget


class SshPool:
    """Makes connectors for the nodes of one profile.

    Args:
        known: the known hosts.
        prompter: who answers questions.
        secrets: default: kept in memory for as long as this pool.
        config: which ssh_config files to read; default: the user's and the system's.
    """

    def __init__(
        self,
        *,
        known: HostKeys,
        prompter: Prompter,
        secrets: SecretCache | None = None,
        config: ConfigSource | None = None,
    ) -> None:
        self._known = known
        self._prompter = prompter
        self._secrets = secrets or SecretCache()
        self._config = config or ConfigSource()
        self._shared = Shared()

    def resolve(self, node: NodeFields, defaults: SshFields | None = None) -> SshTarget:
        """See :func:`remote.ssh.resolve.resolve`."""
        return resolve(node, defaults, self._config)

    def connector(self, target: SshTarget) -> SshConnector:
        """A connector that is not connected yet."""
        return SshConnector(
            target,
            prompter=self._prompter,
            known=self._known,
            secrets=self._secrets,
            shared=self._shared,
        )
