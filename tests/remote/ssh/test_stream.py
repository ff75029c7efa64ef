"""A TCP stream gives every byte once and in order, however it is asked and cut."""

from __future__ import annotations

import os
import random
import socket

import pytest

from remote.ssh.stream import TcpStream
from tests.support.tcp import listening
from tests.support.waiting import PATIENCE_S

DATA = os.urandom(1_000_000)


def connected(port: int) -> TcpStream:
    stream = TcpStream(socket.AF_INET, socket.SOCK_STREAM)
    stream.settimeout(PATIENCE_S)
    stream.connect(("127.0.0.1", port))
    return stream


def test_that_all_bytes_come_whatever_is_asked_for() -> None:
    def serve(connection: socket.socket, number: int) -> None:
        sizes, at = random.Random(1), 0
        while at < len(DATA):
            at += connection.send(DATA[at : at + sizes.randint(1, 100_000)])
        connection.shutdown(socket.SHUT_WR)

    sizes, found = random.Random(2), b""
    with listening(serve) as port, connected(port) as stream:
        while piece := stream.recv(sizes.choice((1, 16, 1000, 32_000, 100_000))):
            found += piece
        assert stream.recv(10) == b""
    assert found == DATA


def test_that_a_reader_s_time_limit_and_end_are_those_of_a_socket() -> None:
    with listening(lambda connection, number: None) as port, connected(port) as stream:
        stream.settimeout(0.05)
        with pytest.raises(TimeoutError):
            stream.recv(1)
        stream.close()
        with pytest.raises(OSError, match="Bad file descriptor"):
            stream.send(b"x")
