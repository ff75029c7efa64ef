"""Where Clew may keep its files on a node. A real write decides; ``df`` knows no quota."""

import os
import pwd
import stat
import uuid
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple

from remote.node import files
from remote.node.refused import Refused, from_os_error

if TYPE_CHECKING:
    from remote.node.agent import Agent

ELSEWHERE = "files go to %s instead"
"""How it is said that the root that was asked for takes none."""
_TRIAL_BYTES = 4096


class Root(NamedTuple):
    """The storage root that takes files. ``refusals``: what was tried before it, in words."""

    path: str
    refusals: Tuple[str, ...]
    remedy: str = ""


def expand(path: str) -> str:
    """``path`` with ``~`` as this account's home, absolute."""
    wide = os.path.expanduser(path)
    if not os.path.isabs(wide):
        wide = os.path.join(os.path.expanduser("~"), wide)
    return os.path.normpath(wide)


def find_root(wanted: str, node: str) -> Root:
    """The first folder that takes a file: the profile's, the session's, one in /var/tmp.

    Raises:
        Refused: none of them does.
    """
    refusals: List[str] = []
    first: Optional[Refused] = None
    for path, private in _candidates(expand(wanted)):
        try:
            _make(path, private)
            _write_trial(path)
            return Root(path, tuple(refusals), _keep(path) if first else "")
        except OSError as error:
            refused = from_os_error(error, node, path)
        except Refused as error:
            refused = error
        first = first or refused
        refusals.append(refused.what)
    assert first is not None  # there is always one candidate
    raise Refused("; ".join(refusals), first.remedy)


def roots_in_use(root: str, wanted: str) -> List[str]:
    """``root``, and the other folders that :func:`find_root` may have given at another time.

    A disk that fills up, or is emptied, moves the root, but no run that is there already.
    """
    found = [root]
    for path, private in _candidates(expand(wanted)):
        if path in found or not os.path.isdir(path):
            continue
        if not private or _is_own(path):
            found.append(path)
    return found


def _keep(path: str) -> str:
    """What to do when another folder had to be taken: agree, or name a better one.

    A session's folder is in memory and goes with the last login, runs and checkpoints with it.
    """
    if path.startswith("/run/"):
        return "What is there is lost at logout: set storage.root to a folder on a disk."
    return "Set storage.root in the profile to %s to agree, or to a folder elsewhere." % path


def free_bytes(path: str) -> int:
    """Free bytes of the file system, for display: a quota may be lower."""
    try:
        found = os.statvfs(path)
    except OSError:
        return 0
    return found.f_bavail * found.f_frsize


def verify_path(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> str:
    """The absolute form of a path on this node, which must be there and readable."""
    path = expand(args["path"])
    try:
        found = os.stat(path)
    except FileNotFoundError:
        raise Refused(
            "there is no %s on this node" % path,
            "Correct training.dataset.path, or let the data set be sent from the desktop.",
        )
    folder = stat.S_ISDIR(found.st_mode)
    if not os.access(path, os.R_OK | (os.X_OK if folder else 0)):
        raise Refused("%s may not be read by this account" % path, "Give this account access.")
    return path


def _candidates(wanted: str) -> List[Tuple[str, bool]]:
    found = [(wanted, False)]
    session = os.environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(session):
        found.append((os.path.join(session, "clew"), True))
    try:
        user = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        user = str(os.getuid())
    found.append((os.path.join("/var/tmp", "clew-" + user), True))  # noqa: S108 - checked below
    return found


def _make(path: str, private: bool) -> None:
    os.makedirs(path, mode=0o700, exist_ok=True)
    if private:
        # Anybody may create names in /var/tmp: the folder must be ours, and no link.
        if not _is_own(path):
            raise Refused("%s belongs to somebody else" % path, "Set storage.root in the profile.")
        os.chmod(path, 0o700)


def _is_own(path: str) -> bool:
    """Whether it is a folder of this account, and no link."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


def _write_trial(folder: str) -> None:
    path = os.path.join(folder, ".write-test-" + uuid.uuid4().hex[:12])
    try:
        files.write_new(path, b"\0" * _TRIAL_BYTES)
    finally:
        files.remove_quietly(path)
