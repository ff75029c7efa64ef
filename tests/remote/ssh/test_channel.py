"""One process over a connection: bytes both ways, login shells, limits, and links that break."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import paramiko
import pytest

from remote.errors import LinkLost, NodeError
from remote.link import COMMAND, AgentLink
from remote.ssh import SshConnector
from remote.ssh.channel import SshChannel
from tests.support.ssh import Desk, known, read_all, run, target
from tests.support.sshd import NodeOptions, SshdNodes, why_no_nodes
from tests.support.waiting import PATIENCE_S, until

pytestmark = pytest.mark.nodes

FIXED_LINE = """exec /bin/sh -c 'IFS= read -r c && eval "$c"'"""
NOISE = Path(__file__).resolve().parents[2] / "fixtures" / "shells" / "noisy.bashrc"
SHELLS = ["/bin/bash", "/usr/bin/fish", "/bin/csh", "/bin/dash"]
NOISY, LIMITED = len(SHELLS), len(SHELLS) + 1


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshdNodes]:
    if reason := why_no_nodes():
        pytest.skip(reason)
    options = {number: NodeOptions(shell=shell) for number, shell in enumerate(SHELLS)}
    options[NOISY] = NodeOptions(shell="/bin/bash", bashrc=NOISE.read_text())
    options[LIMITED] = NodeOptions(config=("MaxSessions 2",))
    folder = tmp_path_factory.mktemp("nodes")
    with SshdNodes(folder, mode="loop", count=len(options), options=options) as running:
        yield running


@pytest.fixture
def desk(nodes: SshdNodes, tmp_path: Path) -> Desk:
    return Desk(known(nodes, tmp_path))


@pytest.fixture
def connector(nodes: SshdNodes, desk: Desk) -> Iterator[SshConnector]:
    with desk.connected(target(nodes.node(0), nodes.client_key)) as connected:
        yield connected


@pytest.mark.parametrize("number", range(len(SHELLS)))
def test_that_a_script_on_standard_input_runs_alike_under_every_login_shell(
    nodes: SshdNodes, desk: Desk, number: int
) -> None:
    if not os.path.exists(SHELLS[number]):
        pytest.skip(f"{SHELLS[number]} is not installed")
    with desk.connected(target(nodes.node(number), nodes.client_key)) as connector:
        channel = connector.open(FIXED_LINE)
        channel.write(b"""RUN=$(printf '%s' "it's 50% done!"); echo "$RUN"; if :; then cat; fi\n""")
        channel.write(b"rest of the input")
        expected = b"it's 50% done!\nrest of the input"
        got = b""
        while len(got) < len(expected):
            piece = channel.read(4096)
            assert piece, (got, channel.stderr_tail())
            got += piece
        channel.close()
    assert got == expected


def test_that_a_shell_that_prints_only_adds_around(nodes: SshdNodes, desk: Desk) -> None:
    with desk.connected(target(nodes.node(NOISY), nodes.client_key)) as connector:
        channel = connector.open(FIXED_LINE)
        channel.write(b"printf '<mark>0, GPU, 50 %%</mark>'\n")
        got = read_all(channel)
        assert got.startswith(b"Welcome to the lab cluster")
        assert got.partition(b"<mark>")[2].partition(b"</mark>")[0] == b"0, GPU, 50 %"
        assert "Maintenance on" in channel.stderr_tail()
        channel.close()


def test_that_every_byte_arrives_both_ways(connector: SshConnector) -> None:
    data = os.urandom(8 << 20)
    channel = connector.open("cat")
    writer = threading.Thread(target=channel.write, args=(data,))
    writer.start()
    digest, count = hashlib.sha256(), 0
    while count < len(data):
        piece = channel.read(1 << 20)
        assert piece
        digest.update(piece)
        count += len(piece)
    writer.join()
    assert digest.digest() == hashlib.sha256(data).digest()
    channel.close()


def test_that_new_keys_are_exchanged_while_bytes_flow(
    nodes: SshdNodes, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paramiko.packet.Packetizer, "REKEY_BYTES", 1 << 20)
    data = os.urandom(6 << 20)
    with desk.connected(target(nodes.node(0), nodes.client_key)) as connector:
        channel = connector.open("cat")
        writer = threading.Thread(target=channel.write, args=(data,))
        writer.start()
        got = b""
        while len(got) < len(data):
            piece = channel.read(1 << 20)
            assert piece
            got += piece
        writer.join()
        assert got == data
        transport = connector._transport()
        assert transport is not None
        assert transport.session_id != transport.H  # the keys of the beginning are gone
        assert run(connector, "echo still").strip() == "still"


def test_that_the_last_bytes_before_the_end_are_not_lost(connector: SshConnector) -> None:
    for _ in range(20):
        channel = connector.open("head -c 3000000 /dev/zero")
        assert len(read_all(channel)) == 3000000
        channel.close()


def test_that_many_complaints_do_not_hold_the_process_up(connector: SshConnector) -> None:
    channel = connector.open("head -c 30000000 /dev/zero | tr '\\0' x >&2; echo end >&2; echo done")
    assert read_all(channel) == b"done\n"
    tail = channel.stderr_tail()
    assert tail.endswith("xxxend\n")
    assert len(tail) == 4096
    channel.close()


def test_that_closing_wakes_a_blocked_reader(connector: SshConnector) -> None:
    channel = connector.open("sleep 3600")
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(channel.read(100)))
    reader.start()
    time.sleep(0.1)
    channel.close()
    channel.close()
    reader.join(PATIENCE_S)
    assert got == [b""]
    assert connector.alive
    with pytest.raises(LinkLost):
        channel.write(b"more")


def test_that_a_process_that_ends_is_an_end_and_not_a_loss(connector: SshConnector) -> None:
    channel = connector.open("exit 3")
    assert channel.read(100) == b""
    until(lambda: channel.closed)
    with pytest.raises(LinkLost, match="the process at the other end is gone"):
        channel.write(b"x" * 65536)


def test_that_no_more_sessions_than_allowed_is_said(nodes: SshdNodes, desk: Desk) -> None:
    with desk.connected(target(nodes.node(LIMITED), nodes.client_key)) as connector:
        held = [connector.open("cat") for _ in range(2)]
        with pytest.raises(NodeError, match="the server allows only 2 sessions per connection"):
            connector.open("cat")
        assert connector.alive
        held[0].close()
        again: list[SshChannel] = []

        def opened() -> bool:
            with contextlib.suppress(NodeError):  # the server has not seen the first one's end yet
                again.append(connector.open("echo again"))
            return bool(again)

        until(opened)
        assert read_all(again[0]) == b"again\n"


def test_that_a_killed_connection_is_a_loss_for_reader_and_writer(
    nodes: SshdNodes, desk: Desk
) -> None:
    with desk.connected(target(nodes.node(1), nodes.client_key)) as connector:
        channel = connector.open("cat")
        assert nodes.kill_connections(1) > 0
        with pytest.raises(LinkLost, match="the SSH connection broke"):
            channel.read(100)
        with pytest.raises(LinkLost):
            channel.write(b"x")
        with pytest.raises(LinkLost):
            connector.open("true")


def test_that_detached_processes_outlive_the_connection(nodes: SshdNodes, desk: Desk) -> None:
    with desk.connected(target(nodes.node(3), nodes.client_key)) as connector:
        channel = connector.open("setsid sleep 3210 </dev/null >/dev/null 2>&1 & echo started")
        assert read_all(channel) == b"started\n"
    until(lambda: [process.text for process in nodes.processes(3)] == ["sleep 3210"])


def test_that_a_login_shell_that_hangs_is_ended_with_what_it_waits_for(tmp_path: Path) -> None:
    if reason := why_no_nodes():
        pytest.skip(reason)
    bashrc = "echo wait; sleep 3604; sleep 3605\n"
    options = NodeOptions(shell="/bin/bash", bashrc=bashrc, uid=64123)
    with (
        tempfile.TemporaryDirectory(prefix="clew-other-user-") as open_to_all,
        SshdNodes(Path(open_to_all), mode="loop", count=1, options=options) as nodes,
    ):
        Path(open_to_all).chmod(0o755)

        def hanging() -> list[str]:
            return [p.text for p in nodes.processes(0) if "sleep 360" in p.text]

        desk = Desk(known(nodes, tmp_path))
        with desk.connected(target(nodes.node(0), nodes.client_key)) as connector:
            channel = connector.open(COMMAND)
            until(lambda: bool(hanging()))
            with pytest.raises(NodeError, match=r"login shell did not run .* in 0\.2 s"):
                AgentLink.start(
                    channel,
                    node="n",
                    python=None,
                    on_stream=lambda item: None,
                    on_closed=lambda error: None,
                    timeout_s=0.2,
                )
            until(lambda: not hanging())
