"""Keys that an SSH agent holds, from the socket that the config names."""

from __future__ import annotations

import socket
import struct
from types import TracebackType

import paramiko
from paramiko.agent import AgentKey, AgentSSH

from remote.ssh.certificates import Certificate, CertificateError, is_certificate, read_certificate
from remote.ssh.known_hosts import blob_type

ANSWER_TIMEOUT_S = 60.0
"""An agent may ask its user to confirm or to touch a key."""


class AgentCertificate(AgentKey):
    """A certificate that an agent holds, together with the key it speaks of; the agent signs."""

    def __init__(self, held: AgentKey, certificate: Certificate) -> None:
        super().__init__(held.agent, certificate.public_blob, held.comment)
        both = paramiko.pkey.PublicBlob(certificate.type_name, certificate.blob)
        self.public_blob = both  # type: ignore[assignment]
        self._held = certificate.blob

    def asbytes(self) -> bytes:
        return self._held  # the name under which the agent knows it


class Agent(AgentSSH):
    """A connection to an agent; without keys when there is none or it does not answer.

    Each login opens its own: an agent's connection serves one request at a time.
    """

    def __init__(self, path: str | None) -> None:
        super().__init__()
        self._socket: socket.socket | None = None
        self.problem = ""
        """Why there are no keys, as a clause; empty when there is nothing to say."""
        if path is None or not hasattr(socket, "AF_UNIX"):
            return
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(ANSWER_TIMEOUT_S)
        try:
            self._socket.connect(path)
            self._connect(self._socket)  # type: ignore[attr-defined]
        # A socket that is no agent may send anything at all.
        except (OSError, paramiko.SSHException, EOFError, struct.error, TypeError) as error:
            reason = error.strerror if isinstance(error, OSError) else ""
            self.problem = f"agent: no answer ({reason or type(error).__name__})"
            self.close()

    def keys(self) -> list[AgentKey]:
        """The keys that it can sign with, in its order."""
        return [key for key in self.get_keys() if not is_certificate(blob_type(key.blob))]

    def certificates(self) -> dict[bytes, AgentCertificate]:
        """The certificates that it can sign with, by the plain public key of each."""
        found: dict[bytes, AgentCertificate] = {}
        for key in self.get_keys():
            if is_certificate(blob_type(key.blob)):
                try:
                    certificate = read_certificate(key.blob)
                except CertificateError:
                    continue
                found.setdefault(certificate.public_blob, AgentCertificate(key, certificate))
        return found

    def close(self) -> None:
        self._close()  # type: ignore[attr-defined]
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def __enter__(self) -> Agent:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
