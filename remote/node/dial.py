"""Dials other nodes' listeners (``remote.node.reach``) as TensorFlow will dial them."""

import errno
import hmac
import os
import socket
import threading
import time
from typing import TYPE_CHECKING, Any, Dict, List, Tuple

from remote.node import reach

if TYPE_CHECKING:
    from remote.node.agent import Agent

_AT_ONCE = 16
_PINGS = 5
_PIECE = bytes(1 << 18)
_FIRST_BYTES = 1 << 20
_UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EINVAL, errno.EADDRNOTAVAIL)
_REFUSED = (errno.ECONNREFUSED, errno.ECONNRESET)

Found = Dict[str, Any]


def reach_dial(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> List[Found]:
    """Dial each of ``args["targets"]`` (``[address, port, number]``), many at the same time.

    What is found, in the same order: ``how`` is ``open``, ``refused``, ``silent`` (nothing came
    back in time), ``unreachable``, ``unresolved``, ``blocked`` (this node's own rules),
    ``stranger`` (something else listens there) or ``other`` (node ``met`` answered).
    """
    targets: List[Any] = args["targets"]
    answers: List[Found] = [{} for _ in targets]
    todo = list(enumerate(targets))
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                if not todo:
                    return
                at, target = todo.pop(0)
            answers[at] = _dial(args["token"], target, args["timeout_s"])

    count = min(_AT_ONCE, len(targets))
    threads = [threading.Thread(target=work, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def reach_measure(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> Found:
    """Send to one listener for about ``args["seconds"]``: ``bytes_per_second``, or 0: it failed."""
    address, port, meant = args["target"]
    try:
        for family, place in _resolve(address, port):
            with _connected(family, place, args["timeout_s"]) as sock:
                _introduce(sock, args["token"], meant)
                return {"bytes_per_second": _throughput(sock, args["seconds"])}
    except (OSError, _Stranger):
        pass  # the dial before has said what there is to say
    return {"bytes_per_second": 0.0}


class _Stranger(Exception):
    """Somebody else answered; ``args[0]``: the node's number, or None for no node of ours."""


def _dial(token: str, target: Tuple[str, int, int], timeout_s: float) -> Found:
    address, port, meant = target
    found: Found = {"how": "unresolved", "detail": "", "addresses": [], "met": None, "rtt_s": None}
    try:
        places = _resolve(address, port)
    except (OSError, UnicodeError) as error:
        found["detail"] = getattr(error, "strerror", None) or str(error)
        return found
    found["addresses"] = sorted({place[0] for _, place in places})
    end = time.monotonic() + timeout_s
    for family, place in places:  # one after the other, as gRPC does
        left = end - time.monotonic()
        if left <= 0:
            break
        found.update(_try(family, place, token, meant, left))
        if found["how"] == "open":
            break
    return found


def _resolve(address: str, port: int) -> List[Tuple[int, Any]]:
    found: List[Tuple[int, Any]] = []
    for family, _, _, _, place in socket.getaddrinfo(address, port, 0, socket.SOCK_STREAM):
        if (int(family), place) not in found:
            found.append((int(family), place))
    return found


def _try(family: int, place: Any, token: str, meant: int, timeout_s: float) -> Found:
    connected = False
    try:
        with _connected(family, place, timeout_s) as sock:
            connected = True
            _introduce(sock, token, meant)
            return {"how": "open", "detail": "", "met": meant, "rtt_s": _round_trip(sock)}
    except _Stranger as error:
        met = error.args[0]
        return {"how": "stranger" if met is None else "other", "detail": "", "met": met}
    except socket.timeout:
        return {"how": "stranger" if connected else "silent", "detail": ""}
    except OSError as error:
        return {"how": _how(error, connected), "detail": error.strerror or str(error)}


def _how(error: OSError, connected: bool) -> str:
    if connected:
        return "stranger"
    if error.errno in _REFUSED:
        return "refused"
    if error.errno == errno.ETIMEDOUT:
        return "silent"
    if error.errno in _UNREACHABLE:
        return "unreachable"
    return "blocked"


class _connected:  # noqa: N801 - used as a function
    """A connection that is closed at once at the end, without a trace."""

    def __init__(self, family: int, place: Any, timeout_s: float) -> None:
        self._sock = socket.socket(family, socket.SOCK_STREAM)
        try:
            self._sock.settimeout(timeout_s)
            self._sock.connect(place)
            self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError:
            self._sock.close()
            raise

    def __enter__(self) -> socket.socket:
        return self._sock

    def __exit__(self, *error: object) -> None:
        reach.quietly_close(self._sock)


def _introduce(sock: socket.socket, token: str, meant: int) -> None:
    """Both prove that they know the token. Raises _Stranger, OSError."""
    nonce = os.urandom(reach.NONCE_BYTES).hex().encode("ascii")
    sock.sendall(reach.GREETING + nonce + b"\n")
    words = reach.read_line(sock).split()
    if len(words) != 3 or not words[1].isdigit() or len(words[1]) > 9:
        raise _Stranger(None)
    met = int(words[1])
    expected = reach.proof(token, nonce, "listener %d" % met)
    if not hmac.compare_digest(words[2], expected):
        raise _Stranger(None)
    if met != meant:
        raise _Stranger(met)
    sock.sendall(reach.proof(token, words[0], "dialler") + b"\n")
    if sock.recv(1) != b"+":
        raise _Stranger(None)


def _round_trip(sock: socket.socket) -> float:
    best = float("inf")
    for _ in range(_PINGS):
        begin = time.perf_counter()
        sock.sendall(b"p")
        if sock.recv(1) != b"p":
            raise OSError(errno.ECONNRESET, "the connection broke")
        best = min(best, time.perf_counter() - begin)
    return best


def _throughput(sock: socket.socket, seconds: float) -> float:
    """Bytes per second from the first byte to the acknowledgement of the last.

    The first megabyte only opens the window; each round sends twice as much as the one before.
    """
    count, begin, best = _FIRST_BYTES, time.perf_counter(), 0.0
    while True:
        started = time.perf_counter()
        sock.sendall(b"s" + reach.LENGTH.pack(count))
        left = count
        while left:
            left -= sock.send(memoryview(_PIECE)[: min(left, len(_PIECE))])
        if sock.recv(1) != b"s":
            raise OSError(errno.ECONNRESET, "the connection broke")
        now = time.perf_counter()
        best = max(best, count / max(now - started, 1e-9))
        if now - begin + 2 * (now - started) > seconds or 2 * count > reach.MOST_BYTES:
            return best
        count *= 2
