"""Receives trees of files: the trainer, and data sets.

A tree is written to a new folder beside its final place, each file checked by size and SHA-256
and flushed, and the folder renamed. Whatever goes wrong, the final place holds a whole tree or
none, and the unfinished folder is removed.
"""

import hashlib
import os
import queue
import shutil
import time
import uuid
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from remote.node import files, layout, texts, wire
from remote.node.refused import Refused, from_os_error

if TYPE_CHECKING:
    from remote.node.agent import Agent

_STALE_S = 86400.0
_QUEUE_FRAMES = 2 * wire.UPLOAD_WINDOW_BYTES // wire.FRAME_COST
_ACKNOWLEDGE_BYTES = wire.UPLOAD_WINDOW_BYTES // 8
_IDLE_LIMIT_S = 120.0
_MOST_CHECKED = 5000
_REMOVE_TRIES = 5
_MAX_MANIFEST_BYTES = 64 * 1024 * 1024


def missing(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> List[int]:
    """Which of the trees, by position in ``args["trees"]``, are not whole on this node."""
    paths = layout.Layout(args["root"], agent.node)
    found = []
    for position, (kind, name, digest) in enumerate(args["trees"]):
        if not is_whole(paths.tree(kind, name, digest)):
            found.append(position)
    return found


def put_tree(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> str:
    """Receive one tree in ``up`` frames; returns its path."""
    paths = layout.Layout(args["root"], agent.node)
    final = paths.tree(args["kind"], args["name"], args["digest"])
    upload = _Upload(agent, number)
    agent.uploads[number] = upload.take
    try:
        agent.send({"up": number, "got": 0, "have": is_whole(final)})
        if is_whole(final):
            return final
        return upload.receive(final)
    except OSError as error:
        raise from_os_error(error, agent.node, os.path.dirname(final))
    finally:
        agent.uploads.pop(number, None)


def is_whole(folder: str) -> bool:
    """Whether a published tree is still there; cleaners remove single files of old folders."""
    data = files.read(os.path.join(folder, layout.MANIFEST), _MAX_MANIFEST_BYTES)
    if data is None:
        return False
    try:
        sizes = texts.loads(data)["files"]
        return all(
            os.stat(os.path.join(folder, path)).st_size == size
            for path, size in sizes[:_MOST_CHECKED]
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def safe_path(path: Any) -> str:
    """A relative path that stays inside its folder; raises :class:`Refused` otherwise."""
    refused = Refused("%r is not a path inside a folder" % (path,), "Rename that file.")
    if not isinstance(path, str) or not path or path.startswith("/"):
        raise refused
    parts = path.split("/")
    bad = any(part in ("", ".", "..") or len(os.fsencode(part)) > 255 for part in parts)
    # A line break is a fair, if odd, part of a name; other control characters are an attack.
    if bad or any((ord(c) < 32 and c != "\n") or ord(c) == 127 for c in path):
        raise refused
    if parts[0] == layout.MANIFEST:
        raise refused
    return path


class _Upload:
    """Takes frames from the main loop and writes them in the operation's own thread."""

    def __init__(self, agent: "Agent", number: int) -> None:
        self._agent = agent
        self._number = number
        self._frames: queue.Queue[Tuple[wire.Message, bytes]] = queue.Queue(_QUEUE_FRAMES)
        self._got = self._told = 0

    def take(self, message: wire.Message, payload: bytes) -> None:
        """Called by the main loop; must not block."""
        try:
            self._frames.put_nowait((message, payload))
        except queue.Full:
            pass  # the sender broke its window; sizes and checksums will tell

    def receive(self, final: str) -> str:
        parent = os.path.dirname(final)
        os.makedirs(parent, mode=0o700, exist_ok=True)
        remove_stale(parent)
        part = os.path.join(parent, layout.PART_PREFIX + uuid.uuid4().hex)
        # If the agent is told to end, it takes the unfinished folder along.
        remove = _Remover(part)
        self._agent.at_end.append(remove)
        try:
            os.mkdir(part, 0o700)
            self._receive_files(part)
            return _publish(part, final)
        finally:
            remove()
            self._agent.at_end.remove(remove)

    def _receive_files(self, part: str) -> None:
        writer: Optional[_Writer] = None
        manifest: List[Tuple[str, int]] = []
        try:
            while True:
                message, payload = self._next()
                if "file" in message:
                    if writer is not None:
                        writer.finish()
                    path = safe_path(message["file"])
                    writer = _Writer(part, path, message["size"], message["sha256"])
                    manifest.append((path, message["size"]))
                if payload and writer is not None:
                    writer.write(payload)
                self._acknowledge(len(payload) + wire.FRAME_COST)
                if message.get("end"):
                    break
            if writer is not None:
                writer.finish()
        finally:
            if writer is not None:
                writer.close()
        document = texts.dumps({"v": 1, "files": sorted(manifest)})
        files.write_new(os.path.join(part, layout.MANIFEST), document)
        for folder, _, _ in os.walk(part):
            files.sync_folder(folder)

    def _acknowledge(self, cost: int) -> None:
        self._got += cost
        if self._got - self._told >= _ACKNOWLEDGE_BYTES or self._frames.empty():
            self._told = self._got
            self._agent.send({"up": self._number, "got": self._got})

    def _next(self) -> Tuple[wire.Message, bytes]:
        try:
            message, payload = self._frames.get(timeout=_IDLE_LIMIT_S)
        except queue.Empty:
            raise Refused("the upload stood still for %d s" % _IDLE_LIMIT_S, "Try again.")
        if message.get("abort"):
            raise Refused("the upload was cancelled")
        return message, payload


class _Writer:
    """One file of a tree."""

    def __init__(self, part: str, path: str, size: int, sha256: str) -> None:
        full = os.path.join(part, path)
        os.makedirs(os.path.dirname(full), mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        self._fd = os.open(full, flags, 0o600)
        self._path = path
        self._left = size
        self._sha256 = sha256
        self._hash = hashlib.sha256()

    def write(self, data: bytes) -> None:
        self._left -= len(data)
        self._hash.update(data)
        files.write_all(self._fd, data)

    def finish(self) -> None:
        """Flush and check the file; a second call does nothing."""
        if self._fd < 0:
            return
        os.fsync(self._fd)
        self.close()
        if self._left or self._hash.hexdigest() != self._sha256:
            what = "%s arrived damaged, or changed while it was sent" % self._path
            raise Refused(what, "Leave the folder alone until it is sent, and try again.")

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class _Remover:
    """Removes a folder when called, once or often."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __call__(self) -> None:
        for _ in range(_REMOVE_TRIES):
            # Another thread may still be writing into it while the agent ends.
            shutil.rmtree(self._path, ignore_errors=True)
            if not os.path.lexists(self._path):
                break


def _publish(part: str, final: str) -> str:
    if os.path.lexists(final) and not is_whole(final):
        # Damaged: out of the way first; nobody can have been using it with success.
        broken = os.path.join(os.path.dirname(final), layout.PART_PREFIX + uuid.uuid4().hex)
        os.rename(final, broken)
        shutil.rmtree(broken, ignore_errors=True)
    try:
        os.rename(part, final)
    except OSError:
        if not is_whole(final):  # else another agent on a shared disk was faster
            raise
    files.sync_folder(os.path.dirname(final))
    return final


def remove_stale(parent: str) -> None:
    """Remove unfinished folders that a killed agent left more than a day ago."""
    limit = time.time() - _STALE_S
    for name in os.listdir(parent):
        path = os.path.join(parent, name)
        try:
            if name.startswith(layout.PART_PREFIX) and os.lstat(path).st_mtime < limit:
                shutil.rmtree(path, ignore_errors=True)
        except OSError:
            continue
