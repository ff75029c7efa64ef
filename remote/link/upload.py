"""Sends one tree of files to an agent, a bounded number of bytes ahead of its answers."""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from remote.bundle import Tree
from remote.errors import Cancelled, LinkLost, NodeError
from remote.hashing import TreeFile
from remote.link.decode import Reader, nonsense
from remote.link.wires import Answer, Wires
from remote.node import wire

_POLL_S = 0.1
_PROGRESS_S = 0.1

Progress = Callable[[int, int], None]


class Upload:
    """One ``put_tree`` request; :meth:`run` blocks in the asking thread."""

    def __init__(self, wires: Wires, node: str, tree: Tree) -> None:
        self._wires = wires
        self._node = node
        self._tree = tree
        self._changed = threading.Condition()
        self._got = 0
        self._have: bool | None = None
        self._kept = self._kept_bytes = 0
        self._sent_cost = 0
        self._sent_bytes = 0
        self._reported_at = 0.0

    def acknowledged(self, data: Reader) -> None:
        """An ``up`` frame came; called on the reader thread."""
        with self._changed:
            self._got = max(self._got, data.whole("got"))
            if self._have is None:
                self._have = data.flag("have")
                if not self._have:
                    self._kept, self._kept_bytes = data.whole("kept"), data.whole("kept_bytes")
            self._changed.notify_all()

    def run(
        self,
        number: int,
        answer: Answer,
        progress: Progress,
        cancelled: Callable[[], bool],
    ) -> str:
        """Send what the node lacks; its absolute path there.

        Raises:
            NodeError: the node cannot store it.
            LinkLost: the connection broke.
            Cancelled: ``cancelled`` said so; nothing is left on the node.
        """
        answer.on_done = self._wake
        try:
            self._wait(answer, cancelled, lambda: self._have is not None)
            if not self._have:
                self._send_files(number, answer, progress, cancelled)
            self._wait(answer, cancelled, answer.done.is_set)
        except (Cancelled, NodeError):
            with contextlib.suppress(LinkLost):
                self._wires.send({"up": number, "abort": True})
            # The next thing that this node is asked must find the unfinished files gone.
            answer.done.wait(10.0)
            raise
        path = answer.result()
        if not isinstance(path, str):
            raise NodeError("the node did not say where the files are", node=self._node)
        progress(self._tree.total_bytes, self._tree.total_bytes)
        return path

    def _send_files(
        self, number: int, answer: Answer, progress: Progress, cancelled: Callable[[], bool]
    ) -> None:
        self._sent_bytes = self._start()
        for head, payload in self._frames():
            cost = len(payload) + wire.FRAME_COST
            self._wait(answer, cancelled, functools.partial(self._fits, cost))
            if answer.done.is_set():
                return  # an error came early
            self._wires.send({"up": number, **head}, payload)
            self._sent_cost += cost
            self._sent_bytes += len(payload)
            self._report(progress)

    def _start(self) -> int:
        """Check what the node says that it kept of an earlier upload; its bytes."""
        files = self._tree.files
        rest = files[self._kept :]
        most = rest[0].size if rest else 0
        if not (0 <= self._kept <= len(files) and 0 <= self._kept_bytes <= most):
            raise nonsense(self._node, "it kept more of an upload than there is")
        return sum(file.size for file in files[: self._kept]) + self._kept_bytes

    def _frames(self) -> Iterator[tuple[dict[str, Any], bytes]]:
        start = self._kept_bytes
        for file in self._tree.files[self._kept :]:
            head: dict[str, Any] = {"file": file.path, "size": file.size, "sha256": file.sha256}
            if start:
                head["from"] = start
            for payload in _blocks(file, start, self._node):
                yield head, payload
                head = {}
            start = 0
        yield {"end": True}, b""

    def _fits(self, cost: int) -> bool:
        return self._sent_cost + cost - self._got <= wire.UPLOAD_WINDOW_BYTES

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _wait(
        self, answer: Answer, cancelled: Callable[[], bool], until: Callable[[], bool]
    ) -> None:
        """Until ``until``, or the answer is there (it may be an error)."""
        with self._changed:
            while not answer.done.is_set():
                if cancelled():
                    raise Cancelled("the upload was cancelled", node=self._node)
                if until():
                    return
                self._changed.wait(_POLL_S)

    def _report(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._reported_at >= _PROGRESS_S:
            self._reported_at = now
            progress(min(self._sent_bytes, self._tree.total_bytes), self._tree.total_bytes)


def _blocks(file: TreeFile, start: int, node: str) -> Iterator[bytes]:
    """The bytes of a file from ``start``, at least one block: an empty file is sent too."""
    try:
        with open(file.source, "rb", buffering=0) as stream:
            stream.seek(start)
            left = file.size - start
            while block := stream.read(min(wire.CHUNK_BYTES, left)):
                yield block
                left -= len(block)
            if file.size == start:
                yield b""
    except OSError as error:
        what = f"{file.source} cannot be read any more: {error.strerror or error}"
        raise NodeError(what, node=node, remedy="Look at that file, and try again.") from None
