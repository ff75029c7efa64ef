"""Connecting, and everything that may come instead of a connection."""

from __future__ import annotations

import logging
import shlex
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from remote.errors import Cancelled, ClewError, ConnectError
from remote.ssh import HostKeys, SshTarget
from tests.support.ports import free_port
from tests.support.ssh import Desk, Recorder, known, run, target
from tests.support.sshd import NodeOptions, SshdNodes, why_no_nodes
from tests.support.tcp import dropping_first, listening, saying
from tests.support.threads import ended
from tests.support.waiting import PATIENCE_S, until, within

PIPE = """
import socket, sys, threading
link = socket.create_connection((sys.argv[1], int(sys.argv[2])))
def back():
    while data := link.recv(65536):
        sys.stdout.buffer.write(data); sys.stdout.buffer.flush()
    sys.stdout.close()
threading.Thread(target=back, daemon=True).start()
while data := sys.stdin.buffer.raw.read(65536):
    link.sendall(data)
"""


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshdNodes]:
    if reason := why_no_nodes():
        pytest.skip(reason)
    options = {
        1: NodeOptions(config=("MaxStartups 3:100:4", "LoginGraceTime 20")),
        2: NodeOptions(config=("Ciphers chacha20-poly1305@openssh.com",)),
        3: NodeOptions(config=("KexAlgorithms sntrup761x25519-sha512@openssh.com",)),
        4: NodeOptions(host_key_types=("ed25519", "rsa", "ecdsa")),
    }
    folder = tmp_path_factory.mktemp("nodes")
    with SshdNodes(folder, mode="loop", count=5, options=options) as running:
        yield running


@pytest.fixture
def desk(nodes: SshdNodes, tmp_path: Path) -> Desk:
    return Desk(known(nodes, tmp_path))


def nobody(tmp_path: Path) -> Desk:
    """A desk without known hosts, that trusts everybody."""
    return Desk(HostKeys(tmp_path / "own", openssh=()), Recorder(trust=True))


def at(port: int, **changes: object) -> SshTarget:
    values: dict[str, object] = {"name": "gpu9", "host_name": "127.0.0.1", "user": "ana"}
    return SshTarget(port=port, **(values | changes))  # type: ignore[arg-type]


def failure(desk: Desk, to: SshTarget) -> ClewError:
    connector = desk.connector(to)
    try:
        with pytest.raises(ClewError) as caught:
            connector.connect()
    finally:
        connector.close()
    error = caught.value
    assert error.node == to.name
    assert error.remedy
    assert "\n" not in str(error)
    return error


def test_that_a_closed_port_is_refused_at_once(tmp_path: Path) -> None:
    with within(1):
        error = failure(nobody(tmp_path), at(free_port()))
    assert "refused the connection" in str(error)


def test_that_a_name_that_is_none_is_not_found(tmp_path: Path) -> None:
    # Longer than a label of a name may be, so that no name server is asked.
    error = failure(nobody(tmp_path), at(22, host_name="x" * 70))
    assert "was not found" in str(error)


def test_that_a_server_that_never_answers_is_given_up(tmp_path: Path) -> None:
    with listening(None) as port:
        error = failure(nobody(tmp_path), at(port, connect_timeout_s=0.5))
    assert "no SSH server answered within" in str(error)


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.5])
@pytest.mark.parametrize("half", [b"", b"SSH-2.0-OpenSSH_9.2\r\n"])
def test_that_closing_ends_a_connect_at_once(tmp_path: Path, delay: float, half: bytes) -> None:
    desk = nobody(tmp_path)
    before = threading.active_count()
    results: list[BaseException] = []

    def connect() -> None:
        try:
            connector.connect()
        except ClewError as error:
            results.append(error)

    with listening(saying(half)) as port:
        connector = desk.connector(at(port))
        thread = threading.Thread(target=connect)
        thread.start()
        time.sleep(delay)
        with within(1):
            connector.close()
            thread.join(PATIENCE_S)
    assert [type(error) for error in results] == [Cancelled]
    assert ended(before)


def test_that_closing_first_cancels_connecting(tmp_path: Path) -> None:
    connector = nobody(tmp_path).connector(at(free_port()))
    connector.close()
    with pytest.raises(Cancelled):
        connector.connect()


def test_that_another_kind_of_server_is_named_so(tmp_path: Path) -> None:
    with listening(saying(b"HTTP/1.1 400 Bad Request\r\n" * 200)) as port:
        error = failure(nobody(tmp_path), at(port))
    assert "is not an SSH server" in str(error)


def test_that_nothing_reaches_standard_error(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with listening(saying(b"SSH-2.0-x\r\n" + b"\0\0\0\x0c" + b"\x99" * 300)) as port:
        failure(nobody(tmp_path), at(port))
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""
    assert not logging.getLogger("paramiko").propagate


def test_that_a_server_limited_to_other_algorithms_is_explained(
    nodes: SshdNodes, desk: Desk
) -> None:
    error = failure(desk, target(nodes.node(2), nodes.client_key))
    assert "no cipher in common; Clew has aes128-gcm@openssh.com, " in str(error)
    assert "(Ciphers)" in error.remedy
    error = failure(desk, target(nodes.node(3), nodes.client_key))
    assert "no key exchange in common" in str(error)
    assert "(KexAlgorithms)" in error.remedy


def test_that_dropped_connections_are_tried_again(nodes: SshdNodes, desk: Desk) -> None:
    node = nodes.node(0)
    with listening(dropping_first(2, node.ip, node.port)) as port:
        to = target(node, nodes.client_key, host_name="127.0.0.1", port=port)
        key = node.host_public_key()
        desk.known.own.write_text(f"[127.0.0.1]:{port} {key}\n")
        with desk.connected(to) as connector:
            assert run(connector, "hostname").strip() == "gpu001"


def test_that_a_server_that_always_hangs_up_is_reported(tmp_path: Path) -> None:
    counted: list[int] = []

    def hang_up(connection: object, number: int) -> None:
        counted.append(number)
        connection.close()  # type: ignore[attr-defined]

    with listening(hang_up) as port:
        error = failure(nobody(tmp_path), at(port))
    assert "dropped the connection 4 times" in str(error)
    assert "MaxStartups" in error.remedy
    assert len(counted) == 4


def test_that_a_server_with_few_startups_lets_everybody_in(nodes: SshdNodes, desk: Desk) -> None:
    connectors = [desk.connector(target(nodes.node(1), nodes.client_key)) for _ in range(12)]
    with ThreadPoolExecutor(12) as threads:
        list(threads.map(lambda connector: connector.connect(), connectors))
    assert all(connector.alive for connector in connectors)
    for connector in connectors:
        connector.close()


@pytest.mark.parametrize("kind", ["ed25519", "rsa", "ecdsa"])
def test_that_the_known_type_of_host_key_is_asked_for(
    nodes: SshdNodes, tmp_path: Path, kind: str
) -> None:
    node = nodes.node(4)
    file = tmp_path / "known"
    file.write_text(f"{node.known_hosts_name} {node.host_public_key(kind)}\n")
    desk = Desk(HostKeys(tmp_path / "own", openssh=[file]))
    with desk.connected(target(node, nodes.client_key)) as connector:
        assert run(connector, "hostname").strip() == "gpu005"


def test_that_a_proxy_command_carries_a_connection(
    nodes: SshdNodes, desk: Desk, weird_path: Path
) -> None:
    script = weird_path / "pipe.py"
    script.write_text(PIPE)
    node = nodes.node(0)
    command = shlex.join([sys.executable, str(script), node.ip, str(node.port)])
    with desk.connected(target(node, nodes.client_key, proxy_command=command)) as connector:
        assert run(connector, "hostname").strip() == "gpu001"


def test_that_a_failing_proxy_command_is_quoted(nodes: SshdNodes, desk: Desk) -> None:
    command = "echo no route to the lab >&2; exit 3"
    error = failure(
        desk, target(nodes.node(0), nodes.client_key, proxy_command=f"sh -c '{command}'")
    )
    assert "the ProxyCommand ended with exit status 3 (it said: no route to the lab)" in str(error)
    assert "ProxyCommand in ~/.ssh/config" in error.remedy


def test_that_a_server_that_hangs_up_behind_a_proxy_command_is_not_the_commands_fault(
    nodes: SshdNodes, desk: Desk
) -> None:
    error = failure(desk, target(nodes.node(0), nodes.client_key, proxy_command="true"))
    assert "dropped the connection" in str(error)


def test_that_a_silent_proxy_command_is_named(nodes: SshdNodes, desk: Desk) -> None:
    silent = target(nodes.node(0), proxy_command="sleep 3603", connect_timeout_s=0.5)
    error = failure(desk, silent)
    assert "no SSH server answered through the ProxyCommand within" in str(error)
    assert "takes connections" not in str(error)


def test_that_a_hanging_proxy_command_is_ended(nodes: SshdNodes, desk: Desk) -> None:
    connector = desk.connector(target(nodes.node(0), proxy_command="sleep 3602"))
    timer = threading.Timer(0.3, connector.close)
    timer.start()
    with within(2), pytest.raises(Cancelled):
        connector.connect()
    timer.join()


def test_that_connecting_twice_is_connecting_once(nodes: SshdNodes, desk: Desk) -> None:
    node = nodes.node(0)
    before = node.log.count("Accepted publickey")
    with desk.connected(target(node, nodes.client_key)) as connector:
        connector.connect()
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda _: connector.connect(), range(4)))
    assert node.log.count("Accepted publickey") == before + 1


def test_that_it_can_connect_again_after_a_loss(nodes: SshdNodes, desk: Desk) -> None:
    with desk.connected(target(nodes.node(0), nodes.client_key)) as connector:
        assert nodes.kill_connections(0) > 0
        until(lambda: not connector.alive)
        connector.connect()
        assert run(connector, "hostname").strip() == "gpu001"


def test_that_an_error_is_a_connect_error_for_whoever_retries(tmp_path: Path) -> None:
    assert isinstance(failure(nobody(tmp_path), at(free_port())), ConnectError)


def test_that_a_node_is_reached_by_its_ipv6_address(tmp_path: Path) -> None:
    if reason := why_no_nodes():
        pytest.skip(reason)
    port = free_port()
    options = NodeOptions(config=(f"ListenAddress [::1]:{port}",))
    with SshdNodes(tmp_path / "nodes", mode="loop", count=1, options=options) as nodes:
        keys = tmp_path / "known"
        keys.write_text(f"[::1]:{port} {nodes.node(0).host_public_key()}\n")
        desk = Desk(HostKeys(tmp_path / "own", extra=[keys], openssh=()))
        to = target(nodes.node(0), nodes.client_key, host_name="::1", port=port)
        with desk.connected(to) as connector:
            assert run(connector, "hostname").strip() == "gpu001"
