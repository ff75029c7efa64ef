"""The environments on this node: what they are, who uses them, and their end.

Wheels that were sent for environments are listed too; they are not needed once those are made.
"""

import os
import shutil
import uuid
from typing import TYPE_CHECKING, Any, Dict, List, Set, Tuple

from remote.node import files, layout, parts, record, refused, texts
from remote.node.refused import Refused

if TYPE_CHECKING:
    from remote.node.agent import Agent

WHEELS_NAME = "wheels"
"""The name of the trees of wheels that are sent."""
_MOST_BYTES = 1 << 20


def environments(
    agent: "Agent", number: int, args: Dict[str, Any], payload: bytes
) -> List[Dict[str, Any]]:
    """Every environment and every tree of wheels below ``args["root"]``."""
    paths = layout.Layout(args["root"], agent.node)
    busy = _pythons_in_use(paths)
    found = []
    for kind, key, folder in _folders(paths):
        note = _note(folder) if kind == "environment" else {}
        marker = layout.ENVIRONMENT if kind == "environment" else layout.MANIFEST
        found.append(
            {
                "kind": kind,
                "key": key,
                "packages": [str(item) for item in note.get("packages", [])],
                "python_version": str(note.get("python_version", "")),
                "digest": str(note.get("digest", "")),
                "bytes": _size(folder),
                "used_at": _modified(os.path.join(folder, marker), folder),
                "in_use": any(python.startswith(folder + os.sep) for python in busy)
                or _is_being_made(paths, key),
                "whole": bool(note) if kind == "environment" else parts.is_whole(folder),
            }
        )
    return found


def remove_environments(
    agent: "Agent", number: int, args: Dict[str, Any], payload: bytes
) -> List[str]:
    """Remove those of ``args["keys"]`` that no task uses; which they are."""
    paths = layout.Layout(args["root"], agent.node)
    busy = _pythons_in_use(paths)
    removed = []
    for _, key, folder in _folders(paths):
        if key not in args["keys"] or _is_being_made(paths, key):
            continue
        if any(python.startswith(folder + os.sep) for python in busy):
            continue
        try:
            _remove(folder)
        except OSError as error:
            raise refused.from_os_error(error, agent.node, folder)
        removed.append(key)
    return removed


def _folders(paths: layout.Layout) -> List[Tuple[str, str, str]]:
    found = []
    for name in layout.listing(paths.environments):
        try:
            found.append(("environment", name, paths.environment(name)))
        except Refused:
            continue  # not one of ours
    data = os.path.join(paths.root, "data")
    for name in layout.listing(data):
        prefix, _, digest = name.rpartition("-")
        if prefix == WHEELS_NAME and len(digest) == 64:
            found.append(("wheels", name, os.path.join(data, name)))
    return found


def _remove(folder: str) -> None:
    """Out of the way first, so that nobody meets half of it."""
    gone = os.path.join(os.path.dirname(folder), layout.PART_PREFIX + uuid.uuid4().hex)
    os.rename(folder, gone)
    shutil.rmtree(gone, ignore_errors=True)


def _pythons_in_use(paths: layout.Layout) -> Set[str]:
    """The Pythons of all tasks that have not ended, on whatever node that shares this disk."""
    found = set()
    for run in layout.listing(paths.runs):
        for node in layout.listing(os.path.join(paths.runs, run)):
            for task in layout.listing(os.path.join(paths.runs, run, node)):
                folder = os.path.join(paths.runs, run, node, task)
                known = record.load(folder)
                if known is None or known["state"] in record.FINAL:
                    continue
                if node == layout.component(paths.node) and not record.alive(known):
                    continue
                data = files.read(os.path.join(folder, layout.LAUNCH), _MOST_BYTES)
                try:
                    found.add(str(texts.loads(data or b"")["argv"][0]))
                except (ValueError, KeyError, IndexError, TypeError):
                    continue
    return found


def _is_being_made(paths: layout.Layout, key: str) -> bool:
    return os.path.lexists(os.path.join(paths.environments, layout.PART_PREFIX + key))


def _note(folder: str) -> Dict[str, Any]:
    data = files.read(os.path.join(folder, layout.ENVIRONMENT), _MOST_BYTES)
    try:
        note = texts.loads(data or b"")
    except ValueError:
        return {}
    return note if isinstance(note, dict) else {}


def _size(folder: str) -> int:
    """Bytes of its files, each once."""
    total, seen = 0, set()
    for inside, _, names in os.walk(folder):
        for name in names:
            try:
                found = os.lstat(os.path.join(inside, name))
            except OSError:
                continue
            if (found.st_dev, found.st_ino) not in seen:
                seen.add((found.st_dev, found.st_ino))
                total += found.st_size
    return total


def _modified(*paths: str) -> float:
    for path in paths:
        try:
            return os.lstat(path).st_mtime
        except OSError:
            continue
    return 0.0
