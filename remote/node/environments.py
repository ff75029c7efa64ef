"""Environments that were made on this node: which one a profile means, and is it whole.

One is named by what it is made of: the Python it comes from, the packages that were asked for,
and the wheels, where they were sent. It counts when the note that is written last is in it.
"""

import hashlib
import json
import os
import time
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from remote.node import files, layout, task_python, texts
from remote.node.task_python import TaskPython

_NEWEST, _OLDEST = 13, task_python.MIN_VERSION[1]
_MOST_BYTES = 1 << 20


class Wanted(NamedTuple):
    """What a profile says of its environment; ``digests``: of wheels that may be sent for it."""

    packages: Sequence[str]
    wheels: str
    digests: Sequence[str]


class Found(NamedTuple):
    """What there is. ``state``: ``missing`` or ``ready``; ``python`` is what tasks run with."""

    python: TaskPython
    base: Dict[str, Any]
    state: str


def key_of(base: Dict[str, Any], packages: Sequence[str], digest: str) -> str:
    """The name of the environment. ``digest``: of the wheels that were sent for it, if any."""
    parts = [base[name] for name in ("executable", "prefix", "version", "platform", "libc")]
    text = json.dumps([parts, sorted(" ".join(p.split()) for p in packages), digest])
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


def python_in(folder: str) -> str:
    return os.path.join(folder, "bin", "python")


def note_of(folder: str) -> Optional[Dict[str, Any]]:
    """What was noted when the environment was finished; None: it is not, or was damaged since."""
    for seen in (os.path.dirname(folder), folder):
        try:
            # Opened, so that a network file system asks anew what another node has made there.
            os.listdir(seen)
        except OSError:
            return None
    data = files.read(os.path.join(folder, layout.ENVIRONMENT), _MOST_BYTES)
    if data is None or not os.access(python_in(folder), os.X_OK):
        return None
    try:
        note = texts.loads(data)
    except ValueError:
        return None
    return note if isinstance(note, dict) else None


def is_whole(folder: str) -> bool:
    return note_of(folder) is not None


def used(folder: str) -> None:
    """Note that it is in use: its age counts from now."""
    try:
        os.utime(os.path.join(folder, layout.ENVIRONMENT), None)
    except OSError:
        pass  # of a colleague's, which may be read and not changed


def names(paths: layout.Layout, key: str) -> List[str]:
    """The folders that may hold it: on a disk without locks each node makes its own."""
    return [paths.environment(key), paths.environment(own_key(paths, key))]


def own_key(paths: layout.Layout, key: str) -> str:
    return "%s-%s" % (key, layout.component(paths.node))


def base_python(
    python: Optional[str], setup: Sequence[str], variables: Dict[str, str]
) -> Tuple[str, TaskPython]:
    """The Python that environments are made from: the given one, or the first that is new enough.

    Returns how it is called as well; the reason is in its ``problems`` where there is none.
    """
    if python:
        return python, task_python.examine(python, setup, variables, base=True)
    first = None
    newer = ["python3.%d" % minor for minor in range(_NEWEST, _OLDEST - 1, -1)]
    for name in ["python3", *newer]:
        found = task_python.examine(name, setup, variables, base=True)
        if not found.problems:
            return name, found
        first = first or found
        if found.version and not found.too_old:
            break  # something else is the matter, and would be with the others
    assert first is not None
    return "python3", first


def look(
    node: str,
    root: str,
    python: Optional[str],
    setup: Sequence[str],
    variables: Dict[str, str],
    wanted: Wanted,
) -> Found:
    """The Python that tasks run with: the environment's where it is there, else its base."""
    _, base = base_python(python, setup, variables)
    if base.problems or not root:
        return Found(base, base.base, "missing")
    paths = layout.Layout(root, node)
    digests = list(wanted.digests) if wanted.wheels != "index" else []
    if wanted.wheels != "desktop":
        digests.insert(0, "")
    for digest in digests:
        for folder in names(paths, key_of(base.base, wanted.packages, digest)):
            if is_whole(folder):
                found = task_python.examine(python_in(folder), setup, variables, base=True)
                used(folder)
                return Found(found, base.base, "ready")
    return Found(base, base.base, "missing")


def finish(folder: str, args: Dict[str, Any], base: Dict[str, Any], found: TaskPython) -> None:
    """Write the note that makes a folder an environment."""
    note = {
        "v": 1,
        "packages": list(args["packages"]),
        "digest": args["digest"],
        "base": base["executable"],
        "python_version": found.version,
        "tensorflow_version": found.tensorflow,
        "made_at": time.time(),
    }
    files.publish(os.path.join(folder, layout.ENVIRONMENT), texts.dumps(note))
    files.sync_folder(os.path.dirname(folder))
