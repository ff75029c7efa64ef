"""What to say of a host key that is refused."""

from __future__ import annotations

from collections.abc import Sequence

from remote.errors import HostKeyError
from remote.ssh.known_hosts import KnownLine, fingerprint


def declined(node: str, host: str, blob: bytes) -> HostKeyError:
    return HostKeyError(
        f"the host key {fingerprint(blob)} of {host} was not accepted",
        node=node,
        remedy="Compare it with the node's own (ssh-keygen -l) and connect again to accept it",
    )


def revoked(node: str, host: str, line: KnownLine, what: str) -> HostKeyError:
    return HostKeyError(
        f"the {what} {fingerprint(line.blob)} of {host} is revoked in {line.where}",
        node=node,
        remedy="Do not connect; ask the administrator for the node's new key",
    )


def listed(node: str, host: str, blob: bytes, reason: str) -> HostKeyError:
    """``reason``: what the file that RevokedHostKeys names has against it."""
    return HostKeyError(
        f"the host key {fingerprint(blob)} of {host} is refused by RevokedHostKeys: {reason}",
        node=node,
        remedy="Do not connect; ask the administrator for the node's new key, or correct"
        " RevokedHostKeys in ~/.ssh/config",
    )


def changed(
    node: str, host: str, key_type: str, blob: bytes, known: Sequence[KnownLine]
) -> HostKeyError:
    line = next((line for line in known if line.key_type == key_type), known[0])
    return HostKeyError(
        f"the host key of {host} has changed: the server shows {key_type}"
        f" {fingerprint(blob)}, but {line.where} has {line.key_type}"
        f" {fingerprint(line.blob)}",
        node=node,
        remedy="Somebody may be listening in: ask the administrator, and only if the node really"
        f" has a new key, remove that line ({line.where})",
    )


def bad_certificate(node: str, host: str, line: KnownLine, reason: str) -> HostKeyError:
    """``line`` trusts an authority for the host, whose certificate is not good."""
    return HostKeyError(
        f"the certificate of {host} is refused: {reason} ({line.where} trusts the authority"
        f" {fingerprint(line.blob)})",
        node=node,
        remedy="Ask the administrator for a new certificate of the node, or for its plain host key"
        " to add to known_hosts",
    )
