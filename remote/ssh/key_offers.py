"""Which keys to offer to a server, in which order, each opened only when its turn comes."""

from __future__ import annotations

import os
from collections.abc import Iterator

import paramiko
from paramiko.agent import AgentKey

from remote.ssh.agent import Agent
from remote.ssh.asker import Asker
from remote.ssh.private_keys import (
    KeyFile,
    KeyFileError,
    OpenedKeys,
    read_key_file,
    with_certificate,
)
from remote.ssh.secret_cache import SecretCache, SecretName, Use
from remote.ssh.stop import Stop
from remote.ssh.target import SshTarget

Offer = tuple[str, paramiko.PKey]
"""What to call a key in a message, and the key."""


class KeyOffers:
    """The named keys first, then the agent's, then OpenSSH's default files.

    Args:
        tried: where it is noted why a key could not be offered.
    """

    def __init__(
        self,
        target: SshTarget,
        *,
        secrets: SecretCache,
        opened: OpenedKeys,
        asker: Asker,
        stop: Stop,
        tried: list[str],
    ) -> None:
        self._target = target
        self._secrets = secrets
        self._opened = opened
        self._asker = asker
        self._stop = stop
        self._tried = tried
        self.cancelled = False
        """Whether the user cancelled the passphrase of a key that was named."""

    def each(self, agent: Agent) -> Iterator[Offer]:
        """All keys to offer. A key file that the agent holds is signed for by the agent."""
        held = agent.keys()
        target = self._target
        if target.identities_named:
            for path in target.identity_files:
                yield from self._of_file(path, held)
        if not target.identities_only:
            while held:
                key = held.pop(0)
                yield f"agent key {key.comment or key.get_name()}", key
        if not target.identities_named:
            for path in target.identity_files:
                if os.path.exists(path):
                    yield from self._of_file(path, held)

    def _of_file(self, path: str, held: list[AgentKey]) -> Iterator[Offer]:
        try:
            file = read_key_file(path)
            key = _from_agent(file, held) or self._open(file)
        except KeyFileError as error:
            self._tried.append(f"key {path}: {error}")
            return
        if key is None:
            self._tried.append(f"{file.label}: no passphrase given")
            # Somebody who cancels the passphrase of the key they named wants to stop.
            self.cancelled = self._target.identities_named
            return
        signed = with_certificate(key, path)
        if signed is not None:
            yield f"{file.label} with its certificate", signed
        yield file.label, key

    def _open(self, file: KeyFile) -> paramiko.PKey | None:
        if not file.encrypted:
            return self._opened.open(file, None)
        found = self._opened.get(file)
        if found is not None:
            return found
        text = f"Passphrase for the key {file.path}"
        use = Use(
            name=SecretName(kind="passphrase", user="", place=file.path),
            node=self._target.name,
            check=lambda value: self._opened.open(file, value),
            ask=lambda attempt: self._asker.ask(
                "passphrase", text, attempt=attempt, key_path=file.path
            ),
            store_name=f"passphrase {file.path}",
        )
        return self._secrets.obtain(use, self._stop)


def _from_agent(file: KeyFile, held: list[AgentKey]) -> paramiko.PKey | None:
    for key in held:
        if file.public_blob is not None and key.blob == file.public_blob:
            held.remove(key)
            return key
    if not file.text:
        raise KeyFileError("a public key, and the agent does not hold its private half")
    return None
