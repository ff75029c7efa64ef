"""Frames over a channel from many threads: requests and their answers, and what comes unasked."""

from __future__ import annotations

import itertools
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from remote.channel import Channel
from remote.errors import ClewError, LinkLost, NodeError
from remote.link.decode import Reader, nonsense
from remote.node import wire

OnFrame = Callable[[wire.Message, bytes], None]


class Answer:
    """The answer to one request, waited for by the thread that asked."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.value: Any = None
        self.error: ClewError | None = None
        self.on_done: Callable[[], None] = lambda: None
        """Called, on another thread, once ``done`` is set; look at ``done`` after setting it."""

    def finish(self) -> None:
        self.done.set()
        self.on_done()

    def result(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.value


class Wires:
    """Reads and writes frames in threads of its own.

    Args:
        on_frame: called on the reader thread for every frame that is not an answer.
        on_closed: called once, from any thread, with None after :meth:`close`.
    """

    def __init__(
        self,
        channel: Channel,
        node: str,
        on_frame: OnFrame,
        on_closed: Callable[[ClewError | None], None],
    ) -> None:
        self._channel = channel
        self._node = node
        self._on_frame = on_frame
        self._on_closed = on_closed
        self._reader = wire.FrameReader()
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._numbers = itertools.count(1)
        self._answers: dict[int, Answer] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._error: ClewError | None = None
        self.ended = False
        """The agent's output came to its end."""
        self.last_heard = time.time()
        self.heard_at = time.monotonic()

    def start(self, first: bytes) -> None:
        """Begin; ``first`` are bytes of frames that were read already."""
        name = f"clew {self._node}"
        for target, args in ((self._write_loop, ()), (self._read_loop, (first,))):
            threading.Thread(target=target, args=args, name=name, daemon=True).start()

    @property
    def failure(self) -> ClewError | None:
        """Why the link closed by itself, if it did."""
        return self._error

    def send(self, message: wire.Message, payload: bytes = b"") -> None:
        """Queue one frame. Raises LinkLost when the link is closed."""
        frame = wire.pack(message, payload)
        with self._lock:
            if self._closed:
                raise self._lost()
            self._outbox.put(frame)

    def ask(
        self,
        op: str,
        args: dict[str, Any],
        payload: bytes = b"",
        before: Callable[[int], None] | None = None,
    ) -> tuple[int, Answer]:
        """Send a request; its number, which ``before`` gets first, and where the answer will be."""
        number, answer = next(self._numbers), Answer()
        with self._lock:
            if self._closed:
                raise self._lost()
            self._answers[number] = answer
        if before is not None:
            before(number)
        self.send({"id": number, "op": op, "args": args}, payload)
        return number, answer

    def call(
        self,
        op: str,
        args: dict[str, Any],
        payload: bytes = b"",
        timeout_s: float = 30.0,
        before: Callable[[int], None] | None = None,
    ) -> Any:
        """Send a request and wait. Raises NodeError or LinkLost."""
        number, answer = self.ask(op, args, payload, before)
        if not answer.done.wait(timeout_s):
            self.forget(number)
            what = f"gave no answer to {op.replace('_', ' ')} in {timeout_s:g} s"
            remedy = "A disk or driver of that node may hang; look at it, and try again."
            raise NodeError(what, node=self._node, remedy=remedy)
        return answer.result()

    def forget(self, number: int) -> None:
        """Expect no answer to that request any more."""
        with self._lock:
            self._answers.pop(number, None)

    def close(self, error: ClewError | None = None) -> None:
        """End the link; every waiting request fails. Safe to call often, from any thread."""
        with self._lock:
            if self._closed:
                return
            self._closed, self._error = True, error
            waiting, self._answers = list(self._answers.values()), {}
        self._outbox.put(None)
        for answer in waiting:
            answer.error = self._lost()
            answer.finish()
        self._channel.close()
        self._on_closed(error)

    def _lost(self) -> ClewError:
        if isinstance(self._error, LinkLost):
            return LinkLost(self._error.what, node=self._node, remedy=self._error.remedy)
        return LinkLost("the connection is closed", node=self._node, remedy="Connect again.")

    def _write_loop(self) -> None:
        while (frame := self._outbox.get()) is not None:
            try:
                self._channel.write(frame)
            except (ClewError, OSError) as error:
                self.close(self._broken(error))
                return

    def _read_loop(self, first: bytes) -> None:
        data = first
        try:
            while not self._closed:
                for message, payload in self._reader.feed(data):
                    self._take(message, payload)
                data = self._channel.read(1 << 16)
                if not data:
                    self.ended = True
                    raise LinkLost("the agent ended", node=self._node, remedy="Connect again.")
                self.last_heard, self.heard_at = time.time(), time.monotonic()
        except wire.WireError as error:
            self.close(nonsense(self._node, str(error)))
        except (ClewError, OSError) as error:
            self.close(self._broken(error))
        finally:  # a fault in whoever listens must not leave a link that looks alive
            self.close(LinkLost("the link's reader failed", node=self._node))

    def _broken(self, error: Exception) -> LinkLost:
        if isinstance(error, LinkLost):
            error.node = error.node or self._node
            return error
        what = f"the connection broke: {error}"
        return LinkLost(what, node=self._node, remedy="Connect again.")

    def _take(self, message: wire.Message, payload: bytes) -> None:
        if "id" not in message:
            self._on_frame(message, payload)
            return
        data = Reader(message, self._node)
        number = data.whole("id")
        with self._lock:
            answer = self._answers.pop(number, None)
        if answer is None:
            return  # nobody waits for it any more
        if "error" in message:
            told = Reader(message["error"], self._node)
            answer.error = NodeError(told.text("what"), node=self._node, remedy=told.text("remedy"))
        else:
            answer.value = message.get("ok")
        answer.finish()
