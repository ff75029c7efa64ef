"""Small TCP servers that misbehave, on loopback."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.support.waiting import PATIENCE_S


@contextmanager
def listening(serve: Callable[[socket.socket, int], None] | None) -> Iterator[int]:
    """A port whose connections are given to ``serve`` with their number; None: nobody accepts."""
    server = socket.create_server(("127.0.0.1", 0), backlog=64)
    connections: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = server.accept()
                number = len(connections)
                connections.append(connection)
                assert serve is not None
                thread = threading.Thread(target=serve, args=(connection, number), daemon=True)
                threads.append(thread)
                thread.start()

    if serve is not None:
        threads.append(threading.Thread(target=accept, daemon=True))
        threads[0].start()
    try:
        yield server.getsockname()[1]
    finally:
        for one in (server, *connections):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        for thread in threads:
            thread.join(PATIENCE_S)


def saying(data: bytes) -> Callable[[socket.socket, int], None]:
    """Says this and waits for the other side to hang up."""

    def serve(connection: socket.socket, number: int) -> None:
        with contextlib.suppress(OSError):
            connection.sendall(data)
            while connection.recv(4096):
                pass

    return serve


def dropping_first(count: int, host: str, port: int) -> Callable[[socket.socket, int], None]:
    """Hangs up on the first ``count`` connections, as a full sshd does; relays the others."""

    def serve(connection: socket.socket, number: int) -> None:
        if number < count:
            connection.close()
            return
        with socket.create_connection((host, port), PATIENCE_S) as other:
            back = threading.Thread(target=_pump, args=(other, connection), daemon=True)
            back.start()
            _pump(connection, other)
            back.join(PATIENCE_S)

    return serve


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            sink.sendall(data)
    for one in (source, sink):
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
