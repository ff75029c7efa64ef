"""Channels to processes on nodes behind an agent's, over that agent's one connection."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from dataclasses import asdict, dataclass
from typing import Any, Literal

from remote.errors import ClewError, LinkLost, NodeError
from remote.link.decode import Reader, nonsense
from remote.link.wires import Wires
from remote.node import wire

How = Literal["step", "files"]
"""As a step of the job beside its own, or through files that the job's keeper serves."""
_OPEN_LIMIT_S = 60.0
_PROBE_LIMIT_S = 90.0
_ACKNOWLEDGE_BYTES = wire.RELAY_WINDOW_BYTES // 8
_TAIL = 4096


@dataclass(frozen=True, kw_only=True, slots=True)
class Behind:
    """Which node is meant: one of a job of a run, behind the agent's own."""

    root: str
    run_id: str
    job: str
    cluster: str
    node: str


class RelayChannel:
    """A process on a node behind; see :class:`remote.channel.Channel`.

    Holds at most a window of bytes that were not read yet, so a slow reader costs others nothing.
    """

    def __init__(self, wires: Wires, node: str) -> None:
        self._wires = wires
        self._node = node
        self.number = 0
        self._changed = threading.Condition()
        self._inbox: deque[bytes] = deque()
        self._waiting = 0
        """Bytes in the inbox."""
        self._read = self._told = 0
        self._sent = self._passed = 0
        self._said = ""
        self._ended = self._closed = False
        self._lost: LinkLost | None = None

    def read(self, limit: int) -> bytes:
        """See :meth:`remote.channel.Channel.read`."""
        with self._changed:
            while not (self._inbox or self._ended or self._closed or self._lost):
                self._changed.wait()
            if self._closed:
                return b""
            if not self._inbox:
                if self._lost is not None:
                    raise self._loss()
                return b""
            data = self._inbox.popleft()
            if len(data) > limit:
                self._inbox.appendleft(data[limit:])
                data = data[:limit]
            self._read += len(data)
            self._waiting -= len(data)
            due = not self._inbox or self._read - self._told >= _ACKNOWLEDGE_BYTES
            if due:
                self._told = self._read
        if due:
            with contextlib.suppress(ClewError):  # whoever reads on learns of it
                self._wires.send({"relay": self.number, "took": self._read})
        return data

    def write(self, data: bytes) -> None:
        """See :meth:`remote.channel.Channel.write`; waits while the node takes nothing."""
        for at in range(0, len(data), wire.RELAY_PIECE_BYTES):
            piece = data[at : at + wire.RELAY_PIECE_BYTES]
            with self._changed:
                while self._is_open() and not self._fits(len(piece)):
                    self._changed.wait()
                if not self._is_open():
                    raise self._loss()
                self._sent += len(piece)
                self._wires.send({"relay": self.number}, piece)

    def stderr_tail(self) -> str:
        """See :meth:`remote.channel.Channel.stderr_tail`."""
        with self._changed:
            return self._said[-_TAIL:]

    def kill(self) -> None:
        """See :meth:`remote.channel.Channel.kill`."""
        self._end("kill")

    def close(self) -> None:
        """See :meth:`remote.channel.Channel.close`. The process is not waited for."""
        self._end("end")

    def opened(self, number: int) -> None:
        """Its number on the wire."""
        self.number = number

    def take(self, data: Reader, message: wire.Message, payload: bytes) -> None:
        """A frame of this relay; on the link's reader thread. Raises LinkLost for nonsense."""
        with self._changed:
            if "took" in message:
                self._passed = max(self._passed, data.whole("took"))
            if payload and not self._closed:
                self._inbox.append(payload)
                self._waiting += len(payload)
                if self._waiting > 2 * wire.RELAY_WINDOW_BYTES:
                    raise nonsense(data.node, "it sends more of a relay than was asked for")
            if "said" in message:
                self._said = data.text("said", _TAIL)
            if message.get("end"):
                self._ended = True
                if lost := data.text("lost"):
                    self._lost = LinkLost(lost, node=self._node, remedy="Connect again.")
            self._changed.notify_all()

    def lost(self, error: LinkLost) -> None:
        """The connection that carries it is gone."""
        with self._changed:
            if not self._ended:
                self._lost = error
            self._changed.notify_all()

    def _end(self, how: str) -> None:
        with self._changed:
            if self._closed:
                return
            self._closed = True
            self._inbox.clear()
            self._changed.notify_all()
        with contextlib.suppress(ClewError):  # the agent's end is the relay's
            self._wires.send({"relay": self.number, how: True})

    def _is_open(self) -> bool:
        return not (self._closed or self._ended or self._lost)

    def _fits(self, count: int) -> bool:
        return self._sent + count - self._passed <= wire.RELAY_WINDOW_BYTES

    def _loss(self) -> LinkLost:
        if self._lost is not None:
            return LinkLost(self._lost.what, node=self._node, remedy=self._lost.remedy)
        what = "the connection was closed" if self._closed else "the process there is gone"
        return LinkLost(what, node=self._node, remedy="Connect again.")


class Relays:
    """The relays of one link."""

    def __init__(self, wires: Wires, node: str) -> None:
        self._wires = wires
        self._node = node
        self._open: dict[int, RelayChannel] = {}
        self._lock = threading.Lock()
        self._lost: LinkLost | None = None

    def open(self, behind: Behind, command: str, how: How) -> RelayChannel:
        """Start ``command`` on a node behind this one; blocks until it runs.

        Raises:
            NodeError: it cannot be started there; says why.
            LinkLost: the connection to the agent broke.
        """
        channel = RelayChannel(self._wires, behind.node)

        def expect(number: int) -> None:
            channel.opened(number)
            with self._lock:
                self._open[number] = channel
                lost = self._lost
            if lost is not None:
                channel.lost(lost)

        args: dict[str, Any] = {**asdict(behind), "command": command, "how": how}
        try:
            self._wires.call("relay_open", args, timeout_s=_OPEN_LIMIT_S, before=expect)
        except NodeError as error:
            channel.kill()
            with self._lock:
                self._open.pop(channel.number, None)
            raise NodeError(error.what, node=behind.node, remedy=error.remedy) from None
        return channel

    def probe(self, behind: Behind, how: How | None = None) -> tuple[How, str]:
        """Which way leads to that node, and why the better one does not (empty: it does).

        Raises:
            NodeError: none does.
            LinkLost: the connection to the agent broke.
        """
        args: dict[str, Any] = {**asdict(behind), "how": how}
        try:
            answer = self._wires.call("relay_probe", args, timeout_s=_PROBE_LIMIT_S)
        except NodeError as error:
            raise NodeError(error.what, node=behind.node, remedy=error.remedy) from None
        told = Reader({"way": answer}, self._node)
        way = Reader(told.mapping("way"), self._node)
        found, why = way.text("how"), way.text("why", 2000)
        if found == "step":
            return "step", why
        if found == "files":
            return "files", why
        raise nonsense(self._node, "it names a way that there is not")

    def take(self, data: Reader, message: wire.Message, payload: bytes) -> bool:
        """Whether the frame was one of a relay; on the link's reader thread."""
        if "relay" not in message:
            return False
        number = data.whole("relay")
        with self._lock:
            channel = self._open.get(number)
            if channel is not None and message.get("end"):
                del self._open[number]
        if channel is not None:
            channel.take(data, message, payload)
        return True

    def lost(self, error: ClewError | None) -> None:
        """The link has ended."""
        what = error.what if error is not None else "the connection through the login is closed"
        lost = LinkLost(what, node=self._node, remedy="Connect again.")
        with self._lock:
            self._lost = lost
            channels = list(self._open.values())
            self._open.clear()
        for channel in channels:
            channel.lost(lost)
