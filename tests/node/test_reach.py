"""Agents that listen on a run's ports and dial each other."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.errors import NodeError
from remote.node import ports
from tests.support.local_node import LocalNode, until

TOKEN, OTHER = "a" * 32, "b" * 32
LIMIT_S = 5.0


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def listens(port: int) -> bool:
    return any(one.port == port for one in ports.listeners())


@pytest.fixture
def port() -> int:
    return free_port()


@contextlib.contextmanager
def service(port: int, answer: bytes) -> Iterator[None]:
    """Something else that listens there."""
    with socket.create_server(("127.0.0.1", port)) as server:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    client, _ = server.accept()
                    with client:
                        client.sendall(answer)
                        client.recv(100)

        thread = threading.Thread(target=serve)
        thread.start()
        yield
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_that_a_port_of_another_check_is_told_as_one(node: LocalNode, port: int) -> None:
    one, other = node.connect().link.checks, node.connect().link.checks
    assert one.listen(TOKEN, 0, [port], 60) == []
    (refused,) = other.listen(OTHER, 0, [port], 60)
    assert ports.OTHER_AGENT in refused.holder
    assert "exec(" not in refused.holder


def test_that_a_holder_that_ends_while_it_is_looked_for_holds_nothing(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = socket.create_server(("127.0.0.1", port))

    def ends(inodes: set[int]) -> dict[int, int]:
        server.close()
        return {}

    monkeypatch.setattr(ports, "_owners", ends)
    assert ports.holders(port, port) == []


def test_that_a_holder_of_this_account_that_is_hidden_is_not_put_on_another_account(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "_owners", lambda inodes: {})
    with socket.create_server(("127.0.0.1", port)):
        (holder,) = ports.holders(port, port)
    assert (holder.pid, holder.program) == (None, ports.UNSEEN)


def test_that_agents_know_each_other_by_their_token(node: LocalNode, port: int) -> None:
    one, other = node.connect().link.checks, node.connect().link.checks
    assert one.listen(TOKEN, 0, [port], 60) == []
    target = ("localhost", port, 0)
    (found,) = other.dial(TOKEN, [target], LIMIT_S)
    assert (found.how, found.met) == ("open", 0)
    assert found.rtt_s is not None
    assert 0 < found.rtt_s < 1
    assert "127.0.0.1" in found.addresses
    rate = other.measure(TOKEN, target, 0.05, LIMIT_S)
    assert rate is not None
    assert rate > 1e6
    assert other.dial(OTHER, [target], LIMIT_S)[0].how == "stranger"
    (wrong,) = other.dial(TOKEN, [("127.0.0.1", port, 3)], LIMIT_S)
    assert (wrong.how, wrong.met) == ("other", 0)
    one.unlisten(TOKEN)
    assert not listens(port)
    assert other.dial(TOKEN, [target], LIMIT_S)[0].how == "refused"
    assert other.measure(TOKEN, target, 0.05, LIMIT_S) is None


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"x" * 5000, b"a 0 b\n"])
def test_that_another_service_on_the_port_is_not_taken_for_ours(
    node: LocalNode, port: int, answer: bytes
) -> None:
    checks = node.connect().link.checks
    with service(port, answer):
        (refused,) = checks.listen(TOKEN, 0, [port], 60)
        assert (refused.port, refused.why) == (port, "it is in use")
        assert "pid" in refused.holder
        assert checks.dial(TOKEN, [("127.0.0.1", port, 0)], LIMIT_S)[0].how == "stranger"
    checks.unlisten(TOKEN)


def test_that_many_targets_are_dialled_and_answered_in_order(node: LocalNode) -> None:
    checks = node.connect().link.checks
    free = [free_port() for _ in range(40)]
    assert checks.listen(TOKEN, 7, free[::2], 60) == []
    targets = [("127.0.0.1", port, 7) for port in free]
    targets.append(("no such name.invalid", 1, 7))
    found = checks.dial(TOKEN, targets, LIMIT_S)
    assert [one.how for one in found] == ["open", "refused"] * 20 + ["unresolved"]
    assert found[-1].detail
    checks.unlisten(TOKEN)


def test_that_a_service_that_says_nothing_costs_no_more_than_the_limit(
    node: LocalNode, port: int
) -> None:
    checks = node.connect().link.checks
    with service(port, b""):
        assert checks.dial(TOKEN, [("127.0.0.1", port, 0)], 0.3)[0].how == "stranger"


def test_that_the_ports_end_with_the_link(node: LocalNode, port: int) -> None:
    found = node.connect()
    found.link.checks.listen(TOKEN, 0, [port], 60)
    assert listens(port)
    found.link.close()
    until(lambda: not listens(port))


def test_that_the_ports_end_by_themselves_when_nobody_ends_them(node: LocalNode, port: int) -> None:
    node.connect().link.checks.listen(TOKEN, 0, [port], 0.3)
    until(lambda: not listens(port))


def test_that_a_listener_says_nothing_to_who_does_not_know_the_token(
    node: LocalNode, port: int
) -> None:
    checks = node.connect().link.checks
    checks.listen(TOKEN, 0, [port], 60)
    for words in (b"GET / HTTP/1.1\r\n\r\n", b"clew-check 1 short\n"):
        with socket.create_connection(("127.0.0.1", port), 5) as client:
            client.sendall(words)
            with contextlib.suppress(ConnectionResetError):
                assert client.recv(100) == b""
    with socket.create_connection(("127.0.0.1", port), 5) as client:
        client.sendall(b"clew-check 1 " + b"0" * 32 + b"\n")
        assert TOKEN.encode() not in client.recv(200)
        client.sendall(b"f" * 64 + b"\n")
        with contextlib.suppress(ConnectionResetError):
            assert client.recv(100) == b""
    checks.unlisten(TOKEN)


def test_that_marks_are_seen_in_the_same_folder_and_go_with_the_link(
    node: LocalNode, tmp_path: Path
) -> None:
    one, other = node.connect(), node.connect()
    shared = tmp_path / "sh 'ä'"
    shared.mkdir()
    one.link.checks.mark(str(shared), TOKEN, 1)
    other.link.checks.mark(str(shared), TOKEN, 2)
    assert one.link.checks.marks_seen(str(shared), TOKEN, [2, 3]) == [2]
    assert one.link.checks.marks_seen(str(tmp_path), TOKEN, [2, 3]) == []
    one.link.checks.unmark(str(shared), TOKEN, 1)
    assert other.link.checks.marks_seen(str(shared), TOKEN, [1]) == []
    other.link.close()
    until(lambda: not list(shared.iterdir()))
    with pytest.raises(NodeError):
        one.link.checks.mark(str(tmp_path / "none"), TOKEN, 1)
