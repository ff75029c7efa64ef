"""Profiles on disk: read whole, written by temporary file and rename."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from dataclasses import replace
from pathlib import Path

from remote.errors import Issue, ProfileError
from remote.profile.comments import has_comments
from remote.profile.decode import MAX_BYTES
from remote.profile.model import Profile
from remote.profile.read import Loaded, loads
from remote.profile.words import printable
from remote.profile.write import dumps


def load(path: str | os.PathLike[str], *, encoding: str | None = None) -> Loaded:
    """Read the profile at ``path``; ``encoding`` is for files that are not Unicode (Latin-1).

    Raises:
        ProfileError: it cannot be read, or is not a profile; with every issue.
    """
    where = Path(path)
    return replace(loads(_bytes(where), where.name, encoding=encoding), path=where)


def save(profile: Profile, path: str | os.PathLike[str], loaded: Loaded | None = None) -> Loaded:
    """Write ``profile`` to ``path`` so that a reader sees the old file or the new one, whole.

    A symbolic link stays one, the file's mode and line ends are kept, and so are the unknown keys
    of ``loaded``. A file that had comments, or was no profile, is copied to ``<name>.bak`` before.

    Returns:
        What :func:`load` would return for the new file, and where its copy is, if one was made.

    Raises:
        ProfileError: read-only, made by a newer Clew, no space, no permission; the old file stays.
    """
    where = Path(path)
    if loaded is not None and loaded.read_only:
        raise _refused(where, "it was made by a newer Clew, which knows things this one would lose")
    extras = loaded.extras if loaded else {}
    text = dumps(profile, extras=extras)
    fresh = loads(text, where.name)
    try:
        target = Path(os.path.realpath(where))
        old = _bytes(target) if target.exists() else None
        newline, backup = _old_file(where, old, loaded)
        _check_writable(target)
        copy = target.with_name(target.name + ".bak") if backup and old is not None else None
        if copy is not None and old is not None:
            _replace(copy, old, like=target)
        _replace(target, text.replace("\n", newline).encode("utf-8"), like=target)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _refused(where, reason) from None
    return replace(fresh, path=where, newline=newline, backup=copy)


def _old_file(where: Path, old: bytes | None, loaded: Loaded | None) -> tuple[str, bool]:
    """Line ends to keep, and whether what stands there deserves a copy."""
    newline = loaded.newline if loaded else "\n"
    if old is None:
        return newline, False
    if loaded is None and b"\r\n" in old:
        newline = "\r\n"
    try:
        before = loads(old, where.name)
    except ProfileError:
        return newline, bool(old.strip())
    if before.read_only:
        raise _refused(where, "the file there was made by a newer Clew; choose another name")
    return newline, has_comments(old)


def _check_writable(target: Path) -> None:
    """A rename would go over a write protection that the user meant, root's too."""
    if target.exists() and not (target.stat().st_mode & 0o222 and os.access(target, os.W_OK)):
        raise PermissionError(13, "the file is write-protected")


def _replace(target: Path, data: bytes, *, like: Path) -> None:
    handle, name = tempfile.mkstemp(prefix=".clew-", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode(like))
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    with contextlib.suppress(OSError):  # the rename stands; some file systems cannot sync a folder
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _mode(like: Path) -> int:
    try:
        return stat.S_IMODE(like.stat().st_mode)
    except FileNotFoundError:
        umask = os.umask(0o077)
        os.umask(umask)
        return 0o666 & ~umask


def _bytes(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise _unreadable(path, "it is not a file")
        with open(path, "rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from None
    except ValueError as error:
        raise _unreadable(path, str(error)) from None


def _unreadable(path: Path, reason: str) -> ProfileError:
    what = f"cannot read profile {printable(str(path))}: {reason}"
    return ProfileError(what, issues=[Issue(0, 0, "", what)])


def _refused(path: Path, reason: str) -> ProfileError:
    what = f"cannot save {printable(str(path))}: {reason}"
    return ProfileError(what, issues=[Issue(0, 0, "", what)])
