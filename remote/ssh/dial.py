"""Byte streams to a server: TCP with a time limit, or the two ends of a ProxyCommand."""

from __future__ import annotations

import contextlib
import os
import queue
import random
import selectors
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from remote.errors import ConnectError
from remote.ssh.stop import Stop
from remote.ssh.stream import TcpStream
from remote.ssh.target import AddressFamily, SshTarget

_TICK_S = 0.05
_ENDING_S = 1.0
_FAMILIES = {"any": socket.AF_UNSPEC, "inet": socket.AF_INET, "inet6": socket.AF_INET6}
_TCP_USER_TIMEOUT = getattr(socket, "TCP_USER_TIMEOUT", None)
_Address = tuple[socket.AddressFamily, object]


class Gates:
    """Lets connections to one address in one after another.

    Servers drop connections when too many log in at once (sshd_config(5), MaxStartups).
    """

    WAIT_S = 0.05

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._gates: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def passing(self, address: str, node: str, stop: Stop) -> Iterator[None]:
        with self._lock:
            gate, users = self._gates.get(address, (threading.Lock(), 0))
            self._gates[address] = (gate, users + 1)
        try:
            with stop.holding(gate, node):
                if users:
                    stop.wait(random.uniform(0, self.WAIT_S))  # noqa: S311 - no secret
                yield
        finally:
            with self._lock:
                gate, users = self._gates[address]
                if users > 1:
                    self._gates[address] = (gate, users - 1)
                else:
                    del self._gates[address]


def dial(target: SshTarget, stop: Stop) -> socket.socket:
    """A connected TCP socket, tuned to notice a dead link within about 8 s.

    Raises:
        ConnectError: no such name, refused, unreachable, or no answer in time.
        Cancelled: ``stop`` was set.
    """
    deadline = time.monotonic() + target.connect_timeout_s
    addresses = _addresses(target, deadline, stop)
    error: OSError = TimeoutError()
    for number, (family, address) in enumerate(addresses):
        left = (deadline - time.monotonic()) / (len(addresses) - number)
        try:
            return _connect(family, address, max(left, 0.2), target.name, stop)
        except OSError as failure:
            error = failure
    raise _unreachable(target, error) from None


def _connect(
    family: socket.AddressFamily, address: object, limit_s: float, node: str, stop: Stop
) -> socket.socket:
    connection = TcpStream(family, socket.SOCK_STREAM)
    try:
        connection.setblocking(False)
        code = connection.connect_ex(address)  # type: ignore[arg-type]
        deadline = time.monotonic() + limit_s
        with selectors.DefaultSelector() as selector:
            selector.register(connection, selectors.EVENT_WRITE)
            while not selector.select(_TICK_S):
                stop.check(node)
                if time.monotonic() > deadline:
                    raise TimeoutError
        stop.check(node)
        code = connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) or (
            0 if _is_connected(connection) else code
        )
        if code:
            raise OSError(code, os.strerror(code))
        tune(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _is_connected(connection: socket.socket) -> bool:
    try:
        connection.getpeername()
    except OSError:
        return False
    return True


def tune(connection: socket.socket) -> None:
    """Send at once, and notice within seconds when the other side is gone."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 2), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    if _TCP_USER_TIMEOUT is not None:
        connection.setsockopt(socket.IPPROTO_TCP, _TCP_USER_TIMEOUT, 6000)


def _addresses(target: SshTarget, deadline: float, stop: Stop) -> list[_Address]:
    host, port, family = target.host_name, target.port, target.address_family
    with contextlib.suppress(OSError, UnicodeError):
        return _look_up(host, port, family, socket.AI_NUMERICHOST)
    answer: queue.SimpleQueue[list[_Address] | OSError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answer.put(_look_up(host, port, family, 0))
        except (OSError, UnicodeError) as error:
            answer.put(error if isinstance(error, OSError) else OSError(str(error)))

    # A name server that does not answer holds getaddrinfo for many seconds; nobody can stop it.
    threading.Thread(target=ask, name="clew-name-lookup", daemon=True).start()
    while True:
        try:
            found = answer.get(timeout=_TICK_S)
        except queue.Empty:
            stop.check(target.name)
            if time.monotonic() > deadline:
                found = OSError("the name server does not answer")
            else:
                continue
        if isinstance(found, OSError):
            raise ConnectError(
                f"the host name {host} was not found",
                node=target.name,
                remedy="Check the host in the profile or in ~/.ssh/config, and your network or VPN",
            )
        return found


def _look_up(host: str, port: int, family: AddressFamily, flags: int) -> list[_Address]:
    found = socket.getaddrinfo(host, port, _FAMILIES[family], socket.SOCK_STREAM, 0, flags)
    return list(dict.fromkeys((kind, address) for kind, _, _, _, address in found))


def _unreachable(target: SshTarget, error: OSError) -> ConnectError:
    place = f"{target.host_name} port {target.port}"
    if isinstance(error, ConnectionRefusedError):
        what = f"{place} refused the connection: no SSH server listens there"
        remedy = "Check the host and the port, and that sshd runs on the node"
    elif isinstance(error, TimeoutError):
        what = f"{place} did not answer within {target.connect_timeout_s:.0f} s"
        remedy = "Check that the node is up, and your network or VPN"
    else:
        what = f"{place} cannot be reached ({(error.strerror or str(error)).lower()})"
        remedy = "Check the host in the profile, and your network or VPN"
    return ConnectError(what, node=target.name, remedy=remedy)


class ProxyProcess:
    """A running ProxyCommand. ``socket`` is its standard input and output."""

    def __init__(self, command: str, node: str) -> None:
        self.socket, theirs = socket.socketpair()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        try:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", f"exec {command}"],
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=self._errors,
                start_new_session=True,
            )
        except OSError as error:
            self.socket.close()
            self._errors.close()
            raise ConnectError(
                f"the ProxyCommand cannot be started ({error.strerror})", node=node
            ) from None
        finally:
            theirs.close()

    def failure(self) -> str:
        """How the command failed by itself: ``ended with exit status 1``; empty: it did not.

        One that ends well has only passed on that the server hung up.
        """
        try:
            # Its end is noticed a moment after the end of its output.
            status = self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            return ""
        if status < 0:
            return f"was killed (signal {-status})"
        return f"ended with exit status {status}" if status else ""

    def last_words(self) -> str:
        """The last line that the command wrote to standard error."""
        try:
            self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - 2000))
            lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        except ValueError:  # closed by another thread meanwhile
            return ""
        return lines[-1][:200] if lines else ""

    def close(self) -> None:
        self.socket.close()
        for order, limit_s in ((None, 0.1), (signal.SIGTERM, 0.2), (signal.SIGKILL, 2.0)):
            if order is not None:
                with contextlib.suppress(OSError):
                    os.killpg(self._process.pid, order)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(limit_s)  # it has not been reaped, so the pid is still its own
                break
        self._errors.close()
