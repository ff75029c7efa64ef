"""Reading OpenSSH's known_hosts files line by line: a bad line costs one line (sshd(8))."""

from __future__ import annotations

import base64
import binascii
import codecs
import hashlib
import hmac
import struct
from dataclasses import dataclass
from pathlib import Path

from remote.ssh.patterns import matches_list

MAX_LINE = 64 << 10
_MARKERS = ("@revoked", "@cert-authority")


@dataclass(frozen=True, slots=True)
class KnownLine:
    """One key for the hosts that ``patterns`` cover. ``marker`` is empty for a plain key."""

    path: Path
    number: int
    marker: str
    patterns: str
    key_type: str
    blob: bytes
    """The public key in SSH's wire format."""

    def covers(self, name: str) -> bool:
        """Whether it speaks of ``name`` (``gpu001`` or ``[gpu001]:2222``)."""
        if self.patterns.startswith("|"):
            return _matches_hash(name, self.patterns)
        return matches_list(name, self.patterns.split(","))

    @property
    def where(self) -> str:
        return f"{self.path}, line {self.number}"


@dataclass(frozen=True, slots=True)
class KnownFile:
    """What one file holds, and the lines of it that cannot be used."""

    lines: tuple[KnownLine, ...] = ()
    problems: tuple[str, ...] = ()


class IndexedFile:
    """What a file held when it was read, and which of its lines are about a name.

    Every connection asks several times, of files that may list thousands of hosts, each with an
    HMAC where names are hashed.
    """

    def __init__(self, version: tuple[int, int, int], file: KnownFile) -> None:
        self.version = version
        self.problems = file.problems
        self._plain: dict[str, list[KnownLine]] = {}
        self._others: list[KnownLine] = []
        self._found: dict[str, list[KnownLine]] = {}
        for line in file.lines:
            if any(mark in line.patterns for mark in "|*?!"):
                self._others.append(line)
                continue
            for pattern in dict.fromkeys(line.patterns.lower().split(",")):
                self._plain.setdefault(pattern, []).append(line)

    def covering(self, name: str) -> list[KnownLine]:
        """The lines that cover ``name``, in the order of the file."""
        found = self._found.get(name)
        if found is None:
            found = [line for line in self._others if line.covers(name)]
            found += self._plain.get(name.lower(), ())
            found.sort(key=lambda line: line.number)
            self._found[name] = found
        return found


def read_known_hosts(path: Path) -> KnownFile:
    """Read a file; one that is absent is empty, one that is unreadable is a problem."""
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return KnownFile()
    except OSError as error:
        return KnownFile(problems=(f"{path}: {error.strerror or error}",))
    return parse_known_hosts(data, path)


def parse_known_hosts(data: bytes, path: Path) -> KnownFile:
    """Read the content of a file. Raises nothing, whatever the bytes."""
    lines: list[KnownLine] = []
    problems: list[str] = []
    for number, raw in enumerate(data.removeprefix(codecs.BOM_UTF8).split(b"\n"), 1):
        try:
            line = _parse_line(raw, path, number)
        except ValueError as error:
            problems.append(f"{path}, line {number}: {error}")
        else:
            if line is not None:
                lines.append(line)
    return KnownFile(tuple(lines), tuple(problems))


def _parse_line(raw: bytes, path: Path, number: int) -> KnownLine | None:
    if len(raw) > MAX_LINE:
        raise ValueError("the line is too long")
    words = raw.decode("utf-8", "surrogateescape").split()
    if not words or words[0].startswith("#"):
        return None
    marker = words.pop(0) if words[0].startswith("@") else ""
    if marker and marker not in _MARKERS:
        raise ValueError(f"unknown marker {marker[:40]!r}")
    if len(words) < 3:
        raise ValueError("a host, a key type and a key are expected")
    patterns, key_type, text = words[:3]
    try:
        blob = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("the key is not base64") from None
    if blob_type(blob) != key_type:
        raise ValueError(f"the key is not of type {key_type[:40]!r}")
    return KnownLine(path, number, marker, patterns, key_type, blob)


def blob_type(blob: bytes) -> str:
    """The key type that a key in wire format names itself; empty when it names none."""
    if len(blob) < 4:
        return ""
    (length,) = struct.unpack(">I", blob[:4])
    return blob[4 : 4 + length].decode("ascii", "replace") if 0 < length <= len(blob) - 4 else ""


def _matches_hash(name: str, patterns: str) -> bool:
    """Whether ``|1|salt|hash`` stands for ``name``: HMAC-SHA1 of the name with the salt."""
    parts = patterns.split("|")
    if len(parts) != 4 or parts[1] != "1":
        return False
    try:
        salt = base64.b64decode(parts[2], validate=True)
        wanted = base64.b64decode(parts[3], validate=True)
    except (binascii.Error, ValueError):
        return False
    text = name.lower().encode("utf-8", "surrogateescape")
    return hmac.compare_digest(hmac.new(salt, text, hashlib.sha1).digest(), wanted)


def fingerprint(blob: bytes) -> str:
    """``SHA256:`` and the unpadded base64 of the hash, as ``ssh-keygen -l`` prints it."""
    digest = base64.b64encode(hashlib.sha256(blob).digest()).decode("ascii")
    return "SHA256:" + digest.rstrip("=")
