"""Is this the machine it claims to be? Known hosts are checked, unknown ones asked about once."""

from __future__ import annotations

import base64
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from remote.errors import HostKeyError
from remote.ssh.known_hosts import KnownFile, KnownLine, fingerprint, read_known_hosts
from remote.ssh.prompts import HostKeyQuestion, Prompter
from remote.ssh.stop import Stop

GLOBAL_FILES = (Path("/etc/ssh/ssh_known_hosts"), Path("/etc/ssh/ssh_known_hosts2"))


def user_files() -> tuple[Path, ...]:
    """OpenSSH's own files of this user."""
    folder = Path.home() / ".ssh"
    return (folder / "known_hosts", folder / "known_hosts2")


@dataclass(frozen=True, kw_only=True, slots=True)
class Presented:
    """A key that a server showed. ``names`` as in ``SshTarget.host_key_names``."""

    node: str
    names: tuple[str, ...]
    key_type: str
    blob: bytes
    files: tuple[str, ...] = ()
    """More known_hosts files for this host."""


class HostKeys:
    """The known hosts of OpenSSH, plus Clew's own additions. Safe for many threads.

    Args:
        own: Clew's file; new keys are appended to it, it is created with mode 0600.
        extra: more files to read, for example the one of a practice cluster.
        openssh: OpenSSH's files; default: this user's and the system's.
        notice: called with a sentence when a key cannot be stored, or a file not be read.
    """

    def __init__(
        self,
        own: Path,
        *,
        extra: Sequence[Path] = (),
        openssh: Sequence[Path] | None = None,
        notice: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.own = own
        base = (*user_files(), *GLOBAL_FILES) if openssh is None else tuple(openssh)
        self._files = (own, *extra, *base)
        self._notice = notice
        self._asking = threading.Lock()
        self._lock = threading.Lock()
        self._cache: dict[Path, tuple[tuple[int, int, int], KnownFile]] = {}
        self._session: list[KnownLine] = []
        self._declined: dict[tuple[str, bytes], float] = {}
        self._told: set[str] = set()

    def known_types(self, names: Sequence[str], files: Iterable[str] = ()) -> list[str]:
        """Key types on file for the first of ``names`` that has any, in file order."""
        for name in names:
            plain = [line for line in self._lines(name, files) if not line.marker]
            if plain:
                return list(dict.fromkeys(line.key_type for line in plain))
        return []

    def verify(self, shown: Presented, prompter: Prompter, stop: Stop) -> None:
        """Return when the key is good, asking about an unknown one.

        Raises:
            HostKeyError: the key has changed, is revoked, or was not accepted.
        """
        asked_at = time.monotonic()
        if self._is_known(shown):
            return
        with stop.holding(self._asking, shown.node):
            if self._is_known(shown):  # accepted for another connection while this one waited
                return
            declined = self._declined.get((shown.names[0], shown.blob), 0.0)
            if declined < asked_at and self._ask(shown, prompter):
                stop.check(shown.node)
                self._add(shown)
                return
            stop.check(shown.node)
            self._declined[(shown.names[0], shown.blob)] = max(declined, time.monotonic())
        raise HostKeyError(
            f"the host key {fingerprint(shown.blob)} of {shown.names[0]} was not accepted",
            node=shown.node,
            remedy="Compare it with the node's own (ssh-keygen -l) and connect again to accept it",
        )

    def _is_known(self, shown: Presented) -> bool:
        """Raises HostKeyError for a changed or revoked key."""
        for name in shown.names:
            for line in self._lines(name, shown.files):
                if line.marker == "@revoked" and line.blob == shown.blob:
                    raise _revoked(shown, line)
        first, *others = shown.names
        plain = [line for line in self._lines(first, shown.files) if not line.marker]
        if any(line.blob == shown.blob for line in plain):
            return True
        if plain:
            raise _changed(shown, plain)
        # With another port, an entry for the bare name vouches for the same key, and only that.
        return any(
            line.blob == shown.blob and not line.marker
            for name in others
            for line in self._lines(name, shown.files)
        )

    def _ask(self, shown: Presented, prompter: Prompter) -> bool:
        note = ""
        for line in self._lines(shown.names[0], shown.files):
            if line.marker == "@cert-authority":
                note = (
                    f"{line.where} trusts a certificate authority for this host, but Clew does not"
                    " support host certificates."
                )
        return prompter.unknown_host(
            HostKeyQuestion(
                node=shown.node,
                host=shown.names[0],
                key_type=shown.key_type,
                fingerprint=fingerprint(shown.blob),
                stored_in=self.own,
                note=note,
            )
        )

    def _lines(self, name: str, files: Iterable[str]) -> list[KnownLine]:
        paths = dict.fromkeys((*self._files, *map(Path, files)))
        with self._lock:
            known = [line for path in paths for line in self._read(path).lines]
            known += self._session
        return [line for line in known if line.covers(name)]

    def _read(self, path: Path) -> KnownFile:
        try:
            status = path.stat()
            version = (status.st_mtime_ns, status.st_size, status.st_ino)
        except OSError:
            version = (0, -1, 0)
        cached = self._cache.get(path)
        if cached is None or cached[0] != version:
            cached = (version, read_known_hosts(path))
            self._cache[path] = cached
            for problem in cached[1].problems:
                if problem not in self._told:
                    self._told.add(problem)
                    self._notice(f"{problem}; it is not used")
        return cached[1]

    def _add(self, shown: Presented) -> None:
        name = shown.names[0]
        line = f"{name} {shown.key_type} {base64.b64encode(shown.blob).decode('ascii')}\n"
        try:
            _append(self.own, line.encode("utf-8", "surrogateescape"))
        except OSError as error:
            with self._lock:
                self._session.append(KnownLine(self.own, 0, "", name, shown.key_type, shown.blob))
            self._notice(
                f"The host key of {name} cannot be stored in {self.own}"
                f" ({error.strerror or error}); it is trusted until Clew is closed."
            )


def _append(path: Path, line: bytes) -> None:
    """Add one whole line, also when another Clew does the same at this moment."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        try:
            import fcntl
        except ImportError:  # Windows: one append of one short line has to do
            pass
        else:
            fcntl.flock(handle, fcntl.LOCK_EX)
        size = os.fstat(handle).st_size
        if size:
            os.lseek(handle, size - 1, os.SEEK_SET)
            if os.read(handle, 1) != b"\n":
                line = b"\n" + line
        os.write(handle, line)
        os.fsync(handle)
    finally:
        os.close(handle)


def _revoked(shown: Presented, line: KnownLine) -> HostKeyError:
    return HostKeyError(
        f"the host key {fingerprint(shown.blob)} of {shown.names[0]} is revoked in {line.where}",
        node=shown.node,
        remedy="Do not connect; ask the administrator for the node's new key",
    )


def _changed(shown: Presented, known: Sequence[KnownLine]) -> HostKeyError:
    line = next((line for line in known if line.key_type == shown.key_type), known[0])
    return HostKeyError(
        f"the host key of {shown.names[0]} has changed: the server shows {shown.key_type}"
        f" {fingerprint(shown.blob)}, but {line.where} has {line.key_type}"
        f" {fingerprint(line.blob)}",
        node=shown.node,
        remedy="Somebody may be listening in: ask the administrator, and only if the node really"
        f" has a new key, remove that line ({line.where})",
    )
