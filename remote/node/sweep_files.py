"""What Clew has left on this node's disk: unfinished trees, scraps, old runs, unused trees.

Nothing is looked at through a link: what lies outside the root is none of Clew's.
"""

import fcntl
import os
import re
import stat
import time
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from remote.node import files, layout, parts, record, temporary, texts

_FRESH_S = 60.0
"""What is so new may be about to be used, or removed, by somebody."""
JUST_NOW = "used less than a minute ago, look again later"
_SCRAP_S = 3600.0
_DAY_S = 86400.0
_MOST_ENTRIES = 500_000
_MOST_JSON_BYTES = 64 * 1024 * 1024
_MOST_LAUNCH_BYTES = 4 * 1024 * 1024
_KINDS = ("app", "data", "env")

Item = Dict[str, Any]


def find(paths: layout.Layout, ended: Set[str], keep: Set[str]) -> List[Item]:
    """All items below the root.

    ``ended``: names of runs' folders that are known to have ended on every node that shares this
    disk. ``keep``: names of trees that the asking desktop's profile uses.
    """
    runs = [_Run(paths, name) for name in _folders(paths.runs)]
    used = " ".join(text for run in runs for text in run.uses())
    found = list(_parts(paths))
    found += [item for run in runs for item in run.items(ended)]
    found += _scraps(paths, any(run.live for run in runs))
    for kind in _KINDS:
        found += _trees(paths, kind, used, keep)
    return found


def is_held(folder: str) -> bool:
    """Whether somebody is at work on an unfinished tree."""
    path = os.path.join(folder, layout.JOURNAL)
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    except OSError as error:  # a disk without locks: only time tells
        return error.errno in parts.NO_LOCKS and time.time() - os.fstat(fd).st_mtime < _DAY_S
    finally:
        os.close(fd)


def size(path: str) -> int:
    """Bytes of the files below, or of the file; links are not followed. Counts many, not all."""
    found = _lstat(path)
    if found is None or not stat.S_ISDIR(found.st_mode):
        return found.st_size if found else 0
    total = count = 0
    for inside, _, names in os.walk(path):
        for name in names:
            entry = _lstat(os.path.join(inside, name))
            total += entry.st_size if entry else 0
        count += len(names)
        if count > _MOST_ENTRIES:
            break
    return total


def _parts(paths: layout.Layout) -> Iterator[Item]:
    for kind in (*_KINDS, "runs"):
        folder = os.path.join(paths.root, kind)
        for name in _folders(folder):
            if not name.startswith(layout.PART_PREFIX):
                continue
            path = os.path.join(folder, name)
            held, age_s = is_held(path), _age_s(path, os.path.join(path, layout.JOURNAL))
            live = held or age_s < _FRESH_S
            why = "somebody is at work on it" if live else "it was never finished"
            yield _item("part", kind + "/" + name, path, age_s, size(path), live, why)


class _Run:
    """One run's folder, with the tasks of all nodes that share this disk."""

    def __init__(self, paths: layout.Layout, name: str) -> None:
        self._paths = paths
        self.name = name
        self.path = os.path.join(paths.runs, name)
        own = layout.component(paths.node)
        self.tasks: List[Tuple[str, Optional[record.Record], bool]] = []
        """Folder, record, and whether it may go on."""
        self._own: List[str] = []
        self.unsure: List[str] = []
        """Folders of other nodes whose tasks have not ended, as far as this node knows."""
        if name.startswith("."):
            return
        for node in _folders(self.path):
            for task in _folders(os.path.join(self.path, node)):
                folder = os.path.join(self.path, node, task)
                known = record.load(folder)
                if known is None and node == "checkpoints":
                    continue
                open_ended = known is not None and known["state"] not in record.FINAL
                if node == own:
                    self._own.append(folder)
                    open_ended = known is not None and record.alive(known)
                elif open_ended and node not in self.unsure:
                    self.unsure.append(node)
                self.tasks.append((folder, known, open_ended))

    @property
    def live(self) -> bool:
        return any(goes_on for _, _, goes_on in self.tasks)

    def uses(self) -> Iterator[str]:
        """The texts in which a task that may go on names trees."""
        for folder, known, goes_on in self.tasks:
            if known is None or known["state"] in record.FINAL or not goes_on:
                continue
            for name in (layout.LAUNCH, layout.SPEC):
                data = files.read(os.path.join(folder, name), _MOST_LAUNCH_BYTES) or b""
                yield data.decode("utf-8", "replace")

    def items(self, ended: Set[str]) -> Iterator[Item]:
        if self.name.startswith("."):
            return
        own_live = any(goes_on for folder, _, goes_on in self.tasks if folder in self._own)
        live = own_live or (bool(self.unsure) and self.name not in ended)
        if not live:
            yield from self._scraps()
        newest = [os.path.join(folder, name) for folder, _, _ in self.tasks for name in _NEWEST]
        age_s = _age_s(self.path, *newest)
        live = live or age_s < _FRESH_S
        item = _item("run", "runs/" + self.name, self.path, age_s, size(self.path), live, "")
        item["run_id"], item["unsure"] = self._run_id(), self.unsure
        item["why"] = self._why(own_live, live)
        item["state"] = "live" if live else "kept"
        yield item

    def _scraps(self) -> Iterator[Item]:
        scraps = [path for folder in self._own for path in temporary.of_task(folder)]
        if any(os.path.basename(folder) == temporary.CHIEF for folder in self._own):
            scraps += temporary.of_checkpoints(os.path.join(self.path, "checkpoints"))
        for path in scraps:
            name = os.path.relpath(path, self._paths.root)
            item = _item(
                "temporary", name, path, _age_s(path), size(path), False, "its run has ended"
            )
            item["run_id"] = self._run_id()
            yield item

    def _run_id(self) -> str:
        known = next((known for _, known, _ in self.tasks if known is not None), None)
        return str(known.get("run_id", "")) if known is not None else self.name

    def _why(self, own_live: bool, live: bool) -> str:
        if own_live:
            return "it goes on"
        if self.unsure and live:
            return "it may go on on another node that shares this disk"
        states = sorted({known["state"] for _, known, _ in self.tasks if known is not None})
        words = "ended: %s" % ", ".join(states) if states else "it has no task on record"
        return "%s; %s" % (words, JUST_NOW) if live else words


_NEWEST = (layout.STATE, layout.EVENTS, layout.LOG)


def _scraps(paths: layout.Layout, live: bool) -> Iterator[Item]:
    """Locks and small files in the root itself, that whoever made them did not remove."""
    for name in layout.listing(paths.root):
        path = os.path.join(paths.root, name)
        found = _lstat(path)
        if found is None or not stat.S_ISREG(found.st_mode):
            continue
        age_s = max(0.0, time.time() - found.st_mtime)
        if name.startswith((".check-", ".write-test-")) and age_s > _SCRAP_S:
            yield _item("temporary", name, path, age_s, found.st_size, False, "nobody removed it")
        elif re.fullmatch(r"start-.*\.lock", name, re.S) and age_s > _DAY_S:
            if live or _locked(path):
                continue
            yield _item("lock", name, path, age_s, found.st_size, False, "nobody holds it")


def _trees(paths: layout.Layout, kind: str, used: str, keep: Set[str]) -> Iterator[Item]:
    folder = os.path.join(paths.root, kind)
    for name in _folders(folder):
        marker = layout.ENVIRONMENT if kind == "env" else layout.MANIFEST
        path = os.path.join(folder, name)
        note = os.path.join(path, marker)
        if name.startswith(".") or name in keep or name in used or _lstat(note) is None:
            continue
        part = _lstat(os.path.join(folder, layout.PART_PREFIX + name))
        age_s = _age_s(note)
        if part is not None or age_s < _FRESH_S:
            continue
        why = "no task that goes on uses it, nor does this profile"
        item = _item("tree", kind + "/" + name, path, age_s, _tree_bytes(path), False, why)
        item["state"] = "kept"
        yield item


def _tree_bytes(path: str) -> int:
    """As its manifest says, which is quick; counted where there is none."""
    data = files.read(os.path.join(path, layout.MANIFEST), _MOST_JSON_BYTES)
    try:
        return sum(int(entry[1]) for entry in texts.loads(data or b"")["files"])
    except (ValueError, KeyError, TypeError, IndexError):
        return size(path)


def blank(kind: str, name: str) -> Item:
    """An item of which nothing else is known."""
    return {
        "kind": kind,
        "name": name,
        "what": "",
        "path": "",
        "mark": "",
        "unsure": [],
        "run_id": "",
        "task": "",
        "node": "",
        "pids": [],
        "ports": [],
        "age_s": 0.0,
        "bytes": 0,
        "state": "left",
        "why": "",
    }


def _item(kind: str, name: str, path: str, age_s: float, count: int, live: bool, why: str) -> Item:
    found = blank(kind, name)
    found.update(path=path, age_s=age_s, bytes=count, why=why, mark=_disk_mark(path))
    found["state"] = "live" if live else "left"
    return found


def _disk_mark(path: str) -> str:
    """The same on every node that sees the same file."""
    found = _lstat(path)
    return "%d %d" % (found.st_ino, found.st_mtime_ns) if found is not None else ""


def _locked(path: str) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except OSError:
        return True
    finally:
        os.close(fd)


def _age_s(*paths: str) -> float:
    """Since the newest change of any of them."""
    stats = [found for found in map(_lstat, paths) if found is not None]
    return max(0.0, time.time() - max([found.st_mtime for found in stats] or [0.0]))


def _folders(folder: str) -> List[str]:
    """Names of real folders in a real folder."""
    own = _lstat(folder)
    if own is None or not stat.S_ISDIR(own.st_mode):
        return []
    return [name for name in layout.listing(folder) if _is_folder(os.path.join(folder, name))]


def _is_folder(path: str) -> bool:
    found = _lstat(path)
    return found is not None and stat.S_ISDIR(found.st_mode)


def _lstat(path: str) -> Optional[os.stat_result]:
    try:
        return os.lstat(path)
    except OSError:
        return None
