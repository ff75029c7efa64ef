"""Listens on the ports that a run will use, and answers only who knows the check's token.

``<token>`` is shared by the nodes of one check and never travels between them. Whoever dials says
``clew-check 1 <nonce>``; the listener answers ``<own nonce> <own number> <proof>``, a proof being
an HMAC-SHA256 of the other's nonce. So another service on the port, or another node behind the
address, is not taken for the one that was meant. After the dialler's proof come commands: ``p``
is echoed, ``s`` and a length of eight bytes announces bytes that are counted and acknowledged.
Everything ends with the check, with the time limit, or with the agent.
"""

import errno
import hashlib
import hmac
import os
import socket
import struct
import threading
import time
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Set

from remote.node import ports

if TYPE_CHECKING:
    from remote.node.agent import Agent

GREETING = b"clew-check 1 "
NONCE_BYTES = 16
LENGTH = struct.Struct(">Q")
MOST_BYTES = 1 << 26
_MOST_CONNECTIONS = 256
_TALK_S = 10.0
_LINE_BYTES = 200
_IN_USE = "it is in use"


def proof(token: str, nonce: bytes, who: str) -> bytes:
    """What only a holder of ``token`` can say about ``nonce``."""
    text = nonce + b" " + who.encode("ascii")
    return hmac.new(token.encode("ascii"), text, hashlib.sha256).hexdigest().encode("ascii")


def read_line(sock: socket.socket) -> bytes:
    """Up to a line break; byte by byte, because raw bytes may follow. Empty: it ended."""
    line = b""
    while not line.endswith(b"\n"):
        piece = sock.recv(1)
        if not piece or len(line) > _LINE_BYTES:
            return b""
        line += piece
    return line[:-1]


def listen_everywhere(port: int) -> socket.socket:
    """A listening socket as TensorFlow opens it: all interfaces. Raises OSError."""
    try:
        return _bound(socket.AF_INET6, "::", port)
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise
        return _bound(socket.AF_INET, "0.0.0.0", port)  # noqa: S104 - what gRPC does


def _bound(family: int, host: str, port: int) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        sock.bind((host, port))
        sock.listen(128)
    except OSError:
        sock.close()
        raise
    return sock


class Listeners:
    """The open ports of one check on this node."""

    def __init__(self, token: str, number: int, limit_s: float) -> None:
        self._token = token
        self._number = number
        self._end = time.monotonic() + limit_s
        self._lock = threading.Lock()
        self._listening: List[socket.socket] = []
        self._talking: Set[socket.socket] = set()
        self._closed = False

    def open(self, port: int) -> None:
        """Listen on one more port. Raises OSError."""
        sock = listen_everywhere(port)
        sock.settimeout(0.5)
        with self._lock:
            if self._closed:
                sock.close()
                return
            self._listening.append(sock)
        threading.Thread(target=self._accept, args=(sock,), daemon=True).start()

    def let_go(self, port: int) -> None:
        """Close one port, for the task that it is meant for."""
        with self._lock:
            known = {sock.getsockname()[1]: sock for sock in self._listening}
            if port in known:
                self._listening.remove(known[port])
        if port in known:
            quietly_close(known[port])

    def close(self) -> None:
        """Let go of all ports and connections; safe to call twice."""
        with self._lock:
            self._closed = True
            listening, self._listening = self._listening, []
            talking = list(self._talking)
        for sock in listening + talking:
            quietly_close(sock)

    def _accept(self, listening: socket.socket) -> None:
        while not self._closed and time.monotonic() < self._end:
            try:
                sock, _ = listening.accept()
            except socket.timeout:
                continue
            except OSError:
                break
            with self._lock:
                taken = not self._closed and len(self._talking) < _MOST_CONNECTIONS
                if taken:
                    self._talking.add(sock)
            if taken:
                threading.Thread(target=self._talk, args=(sock,), daemon=True).start()
            else:
                quietly_close(sock)
        quietly_close(listening)

    def _talk(self, sock: socket.socket) -> None:
        try:
            sock.settimeout(_TALK_S)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._is_ours(sock):
                _serve(sock)
        except (OSError, ValueError):
            pass  # whoever dialled reports what went wrong
        finally:
            with self._lock:
                self._talking.discard(sock)
            quietly_close(sock)

    def _is_ours(self, sock: socket.socket) -> bool:
        line = read_line(sock)
        nonce = line[len(GREETING) :]
        if not line.startswith(GREETING) or len(nonce) != 2 * NONCE_BYTES:
            return False
        own = os.urandom(NONCE_BYTES).hex().encode("ascii")
        said = proof(self._token, nonce, "listener %d" % self._number)
        sock.sendall(b"%s %d %s\n" % (own, self._number, said))
        return hmac.compare_digest(read_line(sock), proof(self._token, own, "dialler"))


def _serve(sock: socket.socket) -> None:
    sock.sendall(b"+")
    while True:
        command = sock.recv(1)
        if command == b"p":
            sock.sendall(b"p")
        elif command == b"s":
            left = LENGTH.unpack(_exactly(sock, LENGTH.size))[0]
            if left > MOST_BYTES:
                return
            while left:
                left -= len(sock.recv(min(left, 1 << 18)) or _ended())
            sock.sendall(b"s")
        else:
            return


def _exactly(sock: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        data += sock.recv(count - len(data)) or _ended()
    return data


def _ended() -> bytes:
    raise ValueError("the connection ended in the middle")


def quietly_close(sock: socket.socket) -> None:
    """Close at once, without a TIME_WAIT that would outlast the check."""
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass
    try:
        sock.shutdown(socket.SHUT_RDWR)  # wakes a thread that waits in accept or recv
    except OSError:
        pass
    sock.close()


def reach_listen(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> List[Any]:
    """Listen on ``args["ports"]``; for each port that cannot be had ``[port, why, holder]``."""
    checks = agent.service("reach", dict)
    found = Listeners(args["token"], args["number"], args["limit_s"])
    checks[args["token"]] = found
    agent.at_end.append(found.close)
    timer = threading.Timer(args["limit_s"], found.close)
    timer.daemon = True
    timer.start()
    refused = []
    wanted = args["ports"] or [0]
    # A task opens its port seconds after it was started: until then it looks free.
    promised = {item.port: item for item in ports.promised(min(wanted), max(wanted))}
    for port in args["ports"]:
        if port in promised:
            refused.append(
                [port, _IN_USE, "%s of run %s" % (promised[port].task, promised[port].run_id)]
            )
            continue
        try:
            found.open(port)
        except OSError as error:
            refused.append([port, _why(error), _holder(port)])
    return refused


def let_go(agent: "Agent", wanted: List[int]) -> None:
    """This agent's checks listen on these ports no longer: a task of its desktop gets them."""
    for found in list(agent.service("reach", dict).values()):
        for port in wanted:
            found.let_go(port)


def reach_close(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> None:
    """End what :func:`reach_listen` began; nothing happens where there is nothing."""
    found: Optional[Listeners] = agent.service("reach", dict).pop(args["token"], None)
    if found is not None:
        found.close()
        agent.at_end.remove(found.close)


def _why(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return _IN_USE
    if error.errno in (errno.EACCES, errno.EPERM):
        return "it is reserved for root"
    return error.strerror or str(error)


def _holder(port: int) -> str:
    for holder in ports.holders(port, port):
        if holder.pid is None:
            return "a program of another account"
        return "pid %d (%s)" % (holder.pid, holder.program)
    return ""
