"""Which keys to offer to a server, in which order, each opened only when its turn comes."""

from __future__ import annotations

import os
from collections.abc import Iterator

import paramiko
from paramiko.agent import AgentKey

from remote.ssh.agent import Agent, AgentCertificate
from remote.ssh.asker import Asker
from remote.ssh.certificates import (
    Certificate,
    CertificateError,
    CertifiedKey,
    read_certificate_file,
)
from remote.ssh.private_keys import KeyFile, KeyFileError, OpenedKeys
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
        self._of_agent: dict[bytes, AgentCertificate] = {}
        self._certificates: dict[str, Certificate] = {}
        self.cancelled = False
        """Whether the user cancelled the passphrase of a key that was named."""
        self.advice = ""
        """What to do about the first named key that cannot be used."""

    def first_is_ready(self) -> bool:
        """Whether the first key was named for the host, and opening it asks nobody anything."""
        target = self._target
        if not (target.identities_named and target.identity_files):
            return False
        try:
            file = self._opened.read(target.identity_files[0])
        except KeyFileError:
            return False
        return bool(file.text) and (not file.encrypted or self._opened.get(file) is not None)

    def each(self, agent: Agent) -> Iterator[Offer]:
        """All keys to offer. A key file that the agent holds is signed for by the agent."""
        held = agent.keys()
        self._of_agent = agent.certificates()
        self._certificates = self._named_certificates()
        target = self._target
        if target.identities_named:
            for path in target.identity_files:
                yield from self._of_file(path, held)
        for path, certificate in list(self._certificates.items()):
            key = next((k for k in held if k.blob == certificate.public_blob), None)
            if key is not None:
                yield f"certificate {os.path.basename(path)}", CertifiedKey(key, certificate)
        if not target.identities_only:
            yield from self._of_the_agent(held)
        if not target.identities_named:
            for path in target.identity_files:
                if os.path.exists(path):
                    yield from self._of_file(path, held)

    def _of_the_agent(self, held: list[AgentKey]) -> Iterator[Offer]:
        for certified in self._of_agent.values():
            yield f"agent certificate {certified.comment or certified.get_name()}", certified
        self._of_agent = {}
        while held:
            key = held.pop(0)
            yield f"agent key {key.comment or key.get_name()}", key

    def _of_file(self, path: str, held: list[AgentKey]) -> Iterator[Offer]:
        try:
            file = self._opened.read(path)
            key = _from_agent(file, held) or self._open(file)
        except KeyFileError as error:
            self._tried.append(f"key {path}: {error}")
            if self._target.identities_named:
                self.advice = self.advice or error.remedy
            return
        if key is None:
            self._tried.append(f"{file.label}: no passphrase given")
            # Somebody who cancels the passphrase of the key they named wants to stop.
            self.cancelled = self._target.identities_named
            return
        for certificate in self._of_key(path, key.asbytes()):
            yield f"{file.label} with its certificate", CertifiedKey(key, certificate)
        signed = self._of_agent.pop(key.asbytes(), None)
        if signed is not None:
            yield f"{file.label} with the agent's certificate", signed
        yield file.label, key

    def _named_certificates(self) -> dict[str, Certificate]:
        """By path; what cannot be read is noted and left out."""
        found = {}
        for path in self._target.certificate_files:
            try:
                found[path] = read_certificate_file(path)
            except CertificateError as error:
                self._tried.append(f"certificate {path}: {error}")
        return found

    def _of_key(self, path: str, public_blob: bytes) -> list[Certificate]:
        """The certificates of one key: the named ones, then the one beside its file."""
        found = [p for p, c in self._certificates.items() if c.public_blob == public_blob]
        certificates = [self._certificates.pop(p) for p in found]
        beside = f"{path}-cert.pub"
        if os.path.isfile(beside):
            try:
                certificate = read_certificate_file(beside)
            except CertificateError as error:
                self._tried.append(f"certificate {beside}: {error}")
            else:
                if certificate.public_blob == public_blob and certificate not in certificates:
                    certificates.append(certificate)
        return certificates

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
        private = file.path.removesuffix(".pub")
        named = private if private != file.path and os.path.exists(private) else "the private key"
        raise KeyFileError(
            "a public key, and the agent does not hold its private half",
            f"Set identity_file to {named}, or load that key into an SSH agent (ssh-add)",
        )
    return None
