"""Is this the machine it claims to be? Known hosts are checked, unknown ones asked about once."""

from __future__ import annotations

import base64
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from remote.ssh import host_key_errors
from remote.ssh.certificates import CertificateError, check_host_certificate, read_certificate
from remote.ssh.known_hosts import IndexedFile, KnownLine, fingerprint, read_known_hosts
from remote.ssh.own_known_hosts import append_line
from remote.ssh.prompts import HostKeyQuestion, Prompter
from remote.ssh.revoked_keys import why_revoked
from remote.ssh.stop import Stop

_About = dict[str, list[KnownLine]]
"""Lines by the name that they cover."""
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
    """The plain key in wire format, also where it came in a certificate."""
    host: str = ""
    """What a certificate must be made out to; default: the last of ``names``, without a port."""
    certificate: bytes | None = None
    """The certificate in wire format, if the server showed one."""
    files: tuple[str, ...] = ()
    """More known_hosts files for this host."""
    revoked_file: str | None = None
    """A file of keys that it must not show."""


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
        self._files = tuple(str(path) for path in (own, *extra, *base))
        self._notice = notice
        self._asking: dict[tuple[str, bytes], threading.Lock] = {}
        self._lock = threading.Lock()
        self._reading = threading.Lock()
        self._cache: dict[str, IndexedFile] = {}
        self._session: list[KnownLine] = []
        self._declined: dict[tuple[str, bytes], float] = {}
        self._told: set[str] = set()

    def preferences(
        self, names: Sequence[str], files: Iterable[str] = ()
    ) -> tuple[list[str], bool]:
        """Which key types to ask for first, and whether to ask for a certificate.

        The types on file for the first of ``names`` that has any, in the files' order; and whether
        an authority is trusted for one of the names.
        """
        about = self._about(names, files)
        plain = ([line for line in about[name] if not line.marker] for name in names)
        types = dict.fromkeys(line.key_type for line in next(filter(None, plain), []))
        return list(types), bool(_authorities(about))

    def verify(self, shown: Presented, prompter: Prompter, stop: Stop) -> None:
        """Return when the key is good, asking about an unknown one.

        Raises:
            HostKeyError: the key has changed, is revoked, or was not accepted.
        """
        asked_at = time.monotonic()
        if self._is_known(shown):
            return
        key = (shown.names[0], shown.blob)
        with self._lock:
            asking = self._asking.setdefault(key, threading.Lock())
        with stop.holding(asking, shown.node):
            if self._is_known(shown):  # accepted for another connection while this one waited
                return
            declined = self._declined.get(key, 0.0)
            if declined < asked_at and self._ask(shown, prompter):
                stop.check(shown.node)
                self._add(shown)
                return
            stop.check(shown.node)
            self._declined[key] = max(declined, time.monotonic())
        raise host_key_errors.declined(shown.node, shown.names[0], shown.blob)

    def _is_known(self, shown: Presented) -> bool:
        """Raises HostKeyError for a changed or revoked key, and for a certificate that is bad."""
        about = self._about(shown.names, shown.files)
        self._refuse_revoked(shown, about)
        first, *others = shown.names
        plain = [line for line in about[first] if not line.marker]
        # With another port, an entry for the bare name vouches for the same key, and only that.
        rest = [line for name in others for line in about[name]]
        near = plain or [line for line in rest if not line.marker]
        if any(line.blob == shown.blob for line in near) or self._is_certified(shown, about):
            return True
        if plain:
            raise host_key_errors.changed(shown.node, first, shown.key_type, shown.blob, plain)
        return False

    def _refuse_revoked(self, shown: Presented, about: _About) -> None:
        if shown.revoked_file is not None:
            blobs = (shown.blob, shown.certificate or b"", _authority(shown))
            reason = why_revoked(shown.revoked_file, blobs)
            if reason:
                raise host_key_errors.listed(shown.node, shown.names[0], shown.blob, reason)
        lines = [line for found in about.values() for line in found]
        revoked = {line.blob: line for line in lines if line.marker == "@revoked"}
        if shown.blob in revoked:
            line, what = revoked[shown.blob], "host key"
        elif (authority := _authority(shown)) in revoked:
            line, what = revoked[authority], "certificate authority"
        else:
            return
        raise host_key_errors.revoked(shown.node, shown.names[0], line, what)

    def _is_certified(self, shown: Presented, about: _About) -> bool:
        """Raises HostKeyError when an authority is trusted and the certificate is not its own."""
        trusted = _authorities(about)
        if not trusted or shown.certificate is None:
            return False
        line = next((line for line in trusted if line.blob == _authority(shown)), trusted[0])
        try:
            certificate = read_certificate(shown.certificate)
            if certificate.public_blob != shown.blob:
                raise CertificateError("it speaks of another key")
            host = shown.host or shown.names[-1]
            check_host_certificate(certificate, host, [line.blob for line in trusted])
        except CertificateError as error:
            raise host_key_errors.bad_certificate(
                shown.node, shown.names[0], line, str(error)
            ) from None
        return True

    def _ask(self, shown: Presented, prompter: Prompter) -> bool:
        return prompter.unknown_host(
            HostKeyQuestion(
                node=shown.node,
                host=shown.names[0],
                key_type=shown.key_type,
                fingerprint=fingerprint(shown.blob),
                stored_in=self.own,
                note=self._note(shown),
            )
        )

    def _note(self, shown: Presented) -> str:
        trusted = _authorities(self._about(shown.names, shown.files))
        if trusted:
            return (
                f"{trusted[0].where} trusts a certificate authority for this host, but the server"
                " shows no certificate."
            )
        authority = _authority(shown)
        if not authority:
            return ""
        return (
            f"The server shows a certificate of the authority {fingerprint(authority)}, which no"
            " known_hosts file trusts for this host."
        )

    def _about(self, names: Iterable[str], files: Iterable[str]) -> _About:
        """The lines for each name, of all files as they are now."""
        read = [self._read(path) for path in dict.fromkeys((*self._files, *files))]
        with self._lock:
            session = tuple(self._session)
        return {
            name: [line for file in read for line in file.covering(name)]
            + [line for line in session if line.covers(name)]
            for name in names
        }

    def _read(self, path: str) -> IndexedFile:
        try:
            status = os.stat(path)
            version = (status.st_mtime_ns, status.st_size, status.st_ino)
        except OSError:
            version = (0, -1, 0)
        # Many connections look at the same time, and hold each other up only where it has changed.
        cached = self._cache.get(path)
        if cached is None or cached.version != version:
            with self._reading:
                cached = self._cache.get(path)
                if cached is None or cached.version != version:
                    cached = IndexedFile(version, read_known_hosts(Path(path)))
                    self._cache[path] = cached
                    self._tell(cached.problems)
        return cached

    def _tell(self, problems: Iterable[str]) -> None:
        for problem in problems:
            if problem not in self._told:
                self._told.add(problem)
                self._notice(f"{problem}; it is not used")

    def _add(self, shown: Presented) -> None:
        name = shown.names[0]
        line = f"{name} {shown.key_type} {base64.b64encode(shown.blob).decode('ascii')}\n"
        try:
            append_line(self.own, line.encode("utf-8", "surrogateescape"))
        except OSError as error:
            with self._lock:
                self._session.append(KnownLine(self.own, 0, "", name, shown.key_type, shown.blob))
            self._notice(
                f"The host key of {name} cannot be stored in {self.own}"
                f" ({error.strerror or error}); it is trusted until Clew is closed."
            )


def _authorities(about: _About) -> list[KnownLine]:
    """The ``@cert-authority`` lines for any of the names."""
    return [line for found in about.values() for line in found if line.marker == "@cert-authority"]


def _authority(shown: Presented) -> bytes:
    """The key that signed the certificate that was shown; empty: none was."""
    if shown.certificate is None:
        return b""
    try:
        return read_certificate(shown.certificate).ca_blob
    except CertificateError:
        return b""
