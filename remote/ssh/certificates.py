"""OpenSSH certificates: reading them, checking a host's (openssh-portable, PROTOCOL.certkeys)."""

from __future__ import annotations

import base64
import binascii
import struct
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import paramiko

from remote.ssh.patterns import matches

SUFFIX = "-cert-v01@openssh.com"
USER, HOST = 1, 2
_KEY_FIELDS = {"ssh-rsa": 2, "ssh-ed25519": 1, "ecdsa": 2, "sk-ecdsa": 3, "sk-ssh-ed25519": 2}
"""How many fields a public key of each kind has, behind its type."""
_FOREVER = (1 << 64) - 1
_CA_SIGNATURES = frozenset(
    {
        "ssh-ed25519",
        "ecdsa-sha2-nistp256",
        "ecdsa-sha2-nistp384",
        "ecdsa-sha2-nistp521",
        "rsa-sha2-512",
        "rsa-sha2-256",
    }
)
"""OpenSSH's CASignatureAlgorithms, as far as they can be checked here; SHA-1 is not among them."""


class CertificateError(Exception):
    """A certificate that cannot be used; the message is a clause, such as ``it has expired``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Certificate:
    """A certificate, read and not yet believed. Times are UTC epoch seconds, as it says them."""

    blob: bytes
    type_name: str
    public_blob: bytes
    """The plain public key that it speaks of, in wire format."""
    kind: int
    key_id: str
    principals: tuple[str, ...]
    """Names it is good for; none: for any."""
    valid_after: int
    valid_before: int
    critical: tuple[str, ...]
    ca_blob: bytes
    signed: bytes
    signature: bytes


class _Fields:
    """Reads SSH's wire format; every shortage is a CertificateError."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, size: int) -> bytes:
        piece = self.data[self.at : self.at + size]
        if len(piece) != size:
            raise CertificateError("it is damaged")
        self.at += size
        return piece

    def number(self, form: str) -> int:
        (value,) = struct.unpack(form, self.take(struct.calcsize(form)))
        return int(value)

    def string(self) -> bytes:
        return self.take(self.number(">I"))

    @property
    def more(self) -> bool:
        return self.at < len(self.data)


def is_certificate(type_name: str) -> bool:
    return type_name.endswith(SUFFIX)


def plain_type(type_name: str) -> str:
    """The key type behind a certificate's, or the type itself."""
    bare = type_name.removesuffix(SUFFIX)
    return f"{bare}@openssh.com" if bare != type_name and bare.startswith("sk-") else bare


def read_certificate(blob: bytes) -> Certificate:
    """Read a certificate in wire format.

    Raises:
        CertificateError: it is none, or damaged.
    """
    fields = _Fields(blob)
    type_name = fields.string().decode("ascii", "replace")
    public_blob = _public_key(fields, type_name)
    fields.take(8)  # a serial number
    kind, key_id = fields.number(">I"), fields.string().decode("utf-8", "replace")
    principals = tuple(_strings(fields.string()))
    valid_after, valid_before = fields.number(">Q"), fields.number(">Q")
    critical = tuple(_strings(fields.string())[::2])
    fields.string()  # extensions: what is not known of them is to be ignored
    fields.string()  # reserved
    ca_blob, end = fields.string(), fields.at
    signature = fields.string()
    if fields.more:
        raise CertificateError("it is damaged")
    return Certificate(
        blob=blob,
        type_name=type_name,
        public_blob=public_blob,
        kind=kind,
        key_id=key_id,
        principals=principals,
        valid_after=valid_after,
        valid_before=valid_before,
        critical=critical,
        ca_blob=ca_blob,
        signed=blob[:end],
        signature=signature,
    )


def _public_key(fields: _Fields, type_name: str) -> bytes:
    """The plain key of a certificate in wire format."""
    plain = plain_type(type_name)
    count = next((n for kind, n in _KEY_FIELDS.items() if plain.startswith(kind)), 0)
    if not is_certificate(type_name) or not count:
        raise CertificateError("it is no certificate of a kind that is supported")
    fields.string()  # a nonce
    key = [plain.encode(), *(fields.string() for _ in range(count))]
    return b"".join(struct.pack(">I", len(part)) + part for part in key)


def _strings(data: bytes) -> list[str]:
    fields, found = _Fields(data), []
    while fields.more:
        found.append(fields.string().decode("utf-8", "replace"))
    return found


def read_certificate_file(path: str | Path) -> Certificate:
    """Read a ``…-cert.pub`` file.

    Raises:
        CertificateError: absent, unreadable, or no certificate.
    """
    try:
        with open(path, encoding="utf-8") as file:
            words = file.read(256 << 10).split()
        return read_certificate(base64.b64decode(words[1], validate=True))
    except FileNotFoundError:
        raise CertificateError("no such file") from None
    except OSError as error:
        raise CertificateError((error.strerror or str(error)).lower()) from None
    except (UnicodeDecodeError, IndexError, binascii.Error, ValueError):
        raise CertificateError("this is not a certificate") from None


def check_host_certificate(
    certificate: Certificate, host: str, authorities: Iterable[bytes], now: float | None = None
) -> None:
    """Return when one of ``authorities`` (keys in wire format) vouches for ``host`` now.

    Raises:
        CertificateError: it does not, and why.
    """
    if certificate.kind != HOST:
        raise CertificateError("it is a user's certificate, not a host's")
    if certificate.ca_blob not in authorities:
        raise CertificateError("another authority signed it")
    if not _is_signed(certificate):
        raise CertificateError("its signature is not its authority's")
    at = time.time() if now is None else now
    if at < certificate.valid_after:
        raise CertificateError(f"it is not valid before {_day(certificate.valid_after)}")
    if certificate.valid_before != _FOREVER and at >= certificate.valid_before:
        raise CertificateError(f"it expired on {_day(certificate.valid_before)}")
    names = certificate.principals
    if names and not any(matches(host, name) for name in names):
        raise CertificateError(f"it is for {', '.join(names)[:200]}, not for {host}")
    if certificate.critical:
        # No option is defined for hosts, and what is critical and unknown forbids.
        raise CertificateError(f"it has the unknown condition {certificate.critical[0][:60]!r}")


def _is_signed(certificate: Certificate) -> bool:
    try:
        algorithm = _Fields(certificate.signature).string().decode("ascii", "replace")
        ca_type = _Fields(certificate.ca_blob).string().decode("ascii", "replace")
        if algorithm not in _CA_SIGNATURES or is_certificate(ca_type):
            return False
        key = paramiko.PKey.from_type_string(ca_type, certificate.ca_blob)
        return bool(key.verify_ssh_sig(certificate.signed, paramiko.Message(certificate.signature)))
    # A key or a signature that is garbage fails in many ways: ValueError, SSHException,
    # struct.error, UnsupportedAlgorithm. None of them is a good signature.
    except Exception:
        return False


def _day(seconds: int) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))
    except (OverflowError, ValueError, OSError):
        return "a day beyond reckoning"


class CertifiedKey(paramiko.PKey):
    """A private key that logs in with a certificate; ``key`` signs."""

    def __init__(self, key: paramiko.PKey, certificate: Certificate) -> None:
        self._key = key
        self.public_blob = paramiko.pkey.PublicBlob(certificate.type_name, certificate.blob)

    def get_name(self) -> str:
        return self._key.get_name()

    def asbytes(self) -> bytes:
        return self._key.asbytes()

    def can_sign(self) -> bool:
        return True

    def sign_ssh_data(self, data: bytes, algorithm: str | None = None) -> paramiko.Message:
        return self._key.sign_ssh_data(data, algorithm)
