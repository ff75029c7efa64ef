"""Receives the files of one tree, and goes on where an earlier connection broke off.

Files arrive in the order of the tree, which its digest fixes, into ``.part-<digest>``. Each is
checked by size and SHA-256 and flushed, then noted in the folder's journal; a later upload of the
same tree says how many it has and how far the next one got. A cancelled upload, and one that
cannot be, is removed; one whose desktop went away is kept for a day.
"""

import hashlib
import os
import queue
import time
from typing import TYPE_CHECKING, Any, Iterator, List, Optional, Set

from remote.node import files, layout, parts, texts, wire
from remote.node.flushing import Flushing
from remote.node.refused import Refused

if TYPE_CHECKING:
    from remote.node.agent import Agent

_ACKNOWLEDGE_BYTES = wire.UPLOAD_WINDOW_BYTES // 4
"""So much less than the window that a sender, whatever its next frame, never waits for the rest."""
_ACKNOWLEDGE_S = 0.2
"""After so long every frame is acknowledged: on a slow link the desktop must hear of its node."""
_IDLE_LIMIT_S = 120.0
_READ_BYTES = 1 << 20
_LOCK_POLL_S = 0.1


class Upload:
    """Takes frames from the main loop and writes them in the operation's own thread."""

    def __init__(self, agent: "Agent", number: int) -> None:
        self._agent = agent
        self._number = number
        self._frames: queue.Queue[List[wire.Frame]] = queue.Queue()
        self._coming: Iterator[wire.Frame] = iter(())
        self._taken = self._got = self._told = 0
        self._told_at = 0.0

    def take(self, frames: List[wire.Frame]) -> None:
        """Called by the main loop; must not block."""
        cost = sum(len(payload) + wire.FRAME_COST for _, payload in frames)
        if self._taken + cost - self._got > 2 * wire.UPLOAD_WINDOW_BYTES:
            return  # the sender broke its window; sizes and checksums will tell
        self._taken += cost
        self._frames.put(frames)

    def receive(self, final: str, digest: str) -> None:
        """Receive what is missing of the tree ``final``.

        While somebody else sends it to this disk (a home that nodes share), wait for that.

        Raises:
            Refused: the upload was cancelled, stood still, or a file arrived damaged.
        """
        parent = os.path.dirname(final)
        if parts.is_whole(final):
            return self._say_whole()
        os.makedirs(parent, mode=0o700, exist_ok=True)
        parts.remove_stale(parent)
        part = self._hold(parent, digest)
        try:
            if parts.is_whole(final):  # the other one's, just now
                part.remove()
                return self._say_whole()
            kept = {"kept": len(part.finished), "kept_bytes": part.begun_bytes()}
            self._agent.send({"up": self._number, "got": 0, "have": False, **kept})
            self._receive_files(part)
            part.publish(final)
        except BaseException:
            part.remove()
            raise
        finally:
            part.close()

    def _say_whole(self) -> None:
        self._agent.send({"up": self._number, "got": 0, "have": True})

    def _hold(self, parent: str, digest: str) -> parts.Part:
        while True:
            part = parts.Part.open(parent, digest)
            if part is not None:
                return part
            try:
                for message, _ in self._frames.get(timeout=_LOCK_POLL_S):
                    self._check(message)
            except queue.Empty:
                continue

    def _receive_files(self, part: parts.Part) -> None:
        writer: Optional[_Writer] = None
        flushing = Flushing(part)
        made: Set[str] = set()
        try:
            while True:
                message, payload = self._next()
                if "file" in message:
                    if writer is not None:
                        writer.finish()
                    writer = _Writer(part, flushing, made, message)
                if payload and writer is not None:
                    writer.write(payload)
                self._acknowledge(len(payload) + wire.FRAME_COST)
                if message.get("end"):
                    break
            if writer is not None:
                writer.finish()
            flushing.wait()
        finally:
            if writer is not None:
                writer.close()
            flushing.close()
        document = texts.dumps({"v": 1, "files": sorted(part.finished)})
        files.write_new(os.path.join(part.path, layout.MANIFEST), document)
        for folder, _, _ in os.walk(part.path):
            files.sync_folder(folder)

    def _acknowledge(self, cost: int) -> None:
        self._got += cost
        now = time.monotonic()
        late = now - self._told_at >= _ACKNOWLEDGE_S
        if late or self._got - self._told >= _ACKNOWLEDGE_BYTES:
            self._told, self._told_at = self._got, now
            self._agent.send({"up": self._number, "got": self._got})

    def _next(self) -> wire.Frame:
        frame = next(self._coming, None)
        if frame is None:
            try:
                self._coming = iter(self._frames.get(timeout=_IDLE_LIMIT_S))
            except queue.Empty:
                raise Refused("the upload stood still for %d s" % _IDLE_LIMIT_S, "Try again.")
            frame = next(self._coming)
        self._check(frame[0])
        return frame

    def _check(self, message: wire.Message) -> None:
        if message.get("abort"):
            raise Refused("the upload was cancelled")


class _Writer:
    """One file of a tree; the bytes of it that an earlier upload left are read again."""

    def __init__(
        self, part: parts.Part, flushing: Flushing, made: Set[str], message: wire.Message
    ) -> None:
        self._flushing = flushing
        self._path = safe_path(message["file"])
        self._size, self._sha256 = int(message["size"]), str(message["sha256"])
        self._hash = hashlib.sha256()
        full = os.path.join(part.path, self._path)
        folder = os.path.dirname(full)
        if folder not in made:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            made.add(folder)
        kept = int(message.get("from", 0))
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self._fd = os.open(full, flags if kept else flags | os.O_TRUNC, 0o600)
        self._left = self._size - (self._read_again(kept) if kept else 0)
        flushing.begin(self._path, self._size)

    def _read_again(self, count: int) -> int:
        read = 0
        while read < count:
            block = os.read(self._fd, min(_READ_BYTES, count - read))
            if not block:
                raise Refused("%s is shorter than it was" % self._path, "Try again.")
            self._hash.update(block)
            read += len(block)
        os.ftruncate(self._fd, count)
        return count

    def write(self, data: bytes) -> None:
        self._left -= len(data)
        self._hash.update(data)
        files.write_all(self._fd, data)

    def finish(self) -> None:
        """Check the file and have it flushed; a second call does nothing."""
        if self._fd < 0:
            return
        if self._left or self._hash.hexdigest() != self._sha256:
            what = "%s arrived damaged, or changed while it was sent" % self._path
            raise Refused(what, "Leave the folder alone until it is sent, and try again.")
        fd, self._fd = self._fd, -1
        self._flushing.finish(fd, self._path, self._size)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def safe_path(path: Any) -> str:
    """A relative path that stays inside its folder; raises :class:`Refused` otherwise."""
    refused = Refused("%r is not a path inside a folder" % (path,), "Rename that file.")
    if not isinstance(path, str) or not path or path.startswith("/"):
        raise refused
    names = path.split("/")
    bad = any(part in ("", ".", "..") or len(os.fsencode(part)) > 255 for part in names)
    # A line break is a fair, if odd, part of a name; other control characters are an attack.
    if bad or any((ord(c) < 32 and c != "\n") or ord(c) == 127 for c in path):
        raise refused
    if names[0] in (layout.MANIFEST, layout.JOURNAL):
        raise refused
    return path
