"""Private key files: what kind they are, whether they may be used, and opening them."""

from __future__ import annotations

import base64
import binascii
import io
import os
import stat
import struct
import sys
import threading
from dataclasses import dataclass

import paramiko

from remote.ssh.known_hosts import blob_type

_OPENSSH = "-----BEGIN OPENSSH PRIVATE KEY-----"
_CLASSES: dict[str, type[paramiko.PKey]] = {
    "ssh-rsa": paramiko.RSAKey,
    "ssh-ed25519": paramiko.Ed25519Key,
    "ecdsa-sha2-nistp256": paramiko.ECDSAKey,
    "ecdsa-sha2-nistp384": paramiko.ECDSAKey,
    "ecdsa-sha2-nistp521": paramiko.ECDSAKey,
}
_PEM_TYPES = {
    "-----BEGIN RSA PRIVATE KEY-----": "ssh-rsa",
    "-----BEGIN EC PRIVATE KEY-----": "ecdsa-sha2-nistp256",
}


class KeyFileError(Exception):
    """A key file that cannot be used; the message is a clause, such as ``no such file``.

    ``remedy`` is a sentence without a full stop, or empty.
    """

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.remedy = remedy


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyFile:
    """A private key file, read but not opened yet."""

    path: str
    text: str = ""
    """The file's content; empty for a public key, whose private half is in the agent."""
    key_type: str
    public_blob: bytes | None
    """The public half in wire format, as far as it can be seen without the passphrase."""
    encrypted: bool

    def __repr__(self) -> str:
        return f"KeyFile({self.path!r}, {self.key_type!r})"

    @property
    def label(self) -> str:
        return f"key {os.path.basename(self.path)}"


def read_key_file(path: str) -> KeyFile:
    """Read a key file and see what it is.

    Raises:
        KeyFileError: missing, readable by others, or of a kind that is not supported.
    """
    try:
        with open(path, encoding="utf-8") as file:
            status = os.fstat(file.fileno())
            text = file.read(256 << 10)
    except FileNotFoundError:
        raise KeyFileError(
            "no such file",
            f"Correct identity_file: there is no {path} on this computer",
        ) from None
    except UnicodeDecodeError:
        raise KeyFileError("this is not a private key") from None
    except OSError as error:
        raise KeyFileError((error.strerror or str(error)).lower()) from None
    first = text.lstrip().partition("\n")[0].strip()
    if first.startswith(("ssh-", "ecdsa-", "sk-")):
        return _public(path, first)
    if _is_open_to_others(status):
        raise KeyFileError(
            f"other users may read it, so it is not used (chmod 600 '{path}')",
            f"Let only yourself read it: chmod 600 '{path}'",
        )
    return _private(path, text, first)


def _private(path: str, text: str, first: str) -> KeyFile:
    """Tell the formats apart by their first line."""
    if first == _OPENSSH:
        return _openssh(path, text)
    if first in _PEM_TYPES:
        encrypted = "ENCRYPTED" in text.partition("\n\n")[0]
        return KeyFile(
            path=path,
            text=text,
            key_type=_PEM_TYPES[first],
            public_blob=_beside(path),
            encrypted=encrypted,
        )
    if first.startswith("PuTTY-User-Key-File"):
        raise KeyFileError("a PuTTY key; convert it with puttygen -O private-openssh")
    if "PRIVATE KEY" in first:
        raise KeyFileError(f"not an OpenSSH key; convert it with ssh-keygen -p -f '{path}'")
    raise KeyFileError("this is not a private key")


def _is_open_to_others(status: os.stat_result) -> bool:
    if sys.platform == "win32":
        return False
    return status.st_uid == os.getuid() and bool(stat.S_IMODE(status.st_mode) & 0o077)


def _public(path: str, line: str) -> KeyFile:
    words = line.split()
    try:
        blob = base64.b64decode(words[1], validate=True)
    except (IndexError, binascii.Error, ValueError):
        raise KeyFileError("this is not a private key") from None
    return KeyFile(path=path, key_type=words[0], public_blob=blob, encrypted=False)


def _beside(path: str) -> bytes | None:
    """The public half in ``path.pub``, if there is one."""
    try:
        with open(f"{path}.pub", encoding="utf-8") as file:
            return _public(path, file.read(64 << 10)).public_blob
    except (OSError, UnicodeDecodeError, KeyFileError):
        return None


def _openssh(path: str, text: str) -> KeyFile:
    """Read the clear part of OpenSSH's own format (openssh-portable, PROTOCOL.key)."""
    lines = [line.strip() for line in text.strip().splitlines()]
    try:
        data = base64.b64decode("".join(lines[1:-1]), validate=True)
        if not data.startswith(b"openssh-key-v1\0"):
            raise ValueError
        cipher, rest = _string(data[15:])
        _, rest = _string(rest)
        _, rest = _string(rest)
        blob, _ = _string(rest[4:])
    except (binascii.Error, ValueError, struct.error):
        raise KeyFileError("the key file is damaged") from None
    kind = blob_type(blob)
    if kind.startswith("sk-"):
        raise KeyFileError("a security key; add it to the agent (ssh-add) to use it")
    if kind not in _CLASSES:
        raise KeyFileError(f"keys of type {kind or 'unknown'} are not supported")
    return KeyFile(
        path=path, text=text, key_type=kind, public_blob=blob, encrypted=cipher != b"none"
    )


def _string(data: bytes) -> tuple[bytes, bytes]:
    (length,) = struct.unpack(">I", data[:4])
    if length > len(data) - 4:
        raise ValueError
    return data[4 : 4 + length], data[4 + length :]


class OpenedKeys:
    """Keys that were opened, by file content, so that a slow passphrase hash runs once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keys: dict[tuple[str, str], paramiko.PKey] = {}
        self._files: dict[str, tuple[tuple[int, ...], KeyFile]] = {}

    def read(self, path: str) -> KeyFile:
        """As :func:`read_key_file`, which many connections need at the same time."""
        try:
            found = os.stat(path)
        except OSError:
            return read_key_file(path)  # says what is wrong
        version = (*found[:7], found.st_mtime_ns, found.st_ctime_ns)
        version_read, file = self._files.get(path, ((), None))
        if file is None or version_read != version:
            file = read_key_file(path)
            self._files[path] = (version, file)
        return file

    def __repr__(self) -> str:
        return f"OpenedKeys({len(self._keys)})"

    def get(self, file: KeyFile) -> paramiko.PKey | None:
        with self._lock:
            return self._keys.get((file.path, file.text))

    def open(self, file: KeyFile, passphrase: str | None) -> paramiko.PKey | None:
        """The private key; None: the passphrase is wrong.

        Raises:
            KeyFileError: the key cannot be read although no passphrase is missing.
        """
        found = self.get(file)
        if found is not None:
            return found
        try:
            key = _CLASSES[file.key_type].from_private_key(io.StringIO(file.text), passphrase)
        # paramiko shows a wrong passphrase as whatever its parser meets in the garbage:
        # SSHException, ValueError, TypeError, IndexError, struct.error, UnicodeDecodeError.
        except Exception:
            if passphrase is None:
                raise KeyFileError("the key file is damaged") from None
            return None
        with self._lock:
            return self._keys.setdefault((file.path, file.text), key)
