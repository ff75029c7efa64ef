"""What holds for every way to a node: SSH, a step of a Slurm job, files on a shared disk."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from remote.backends import Backend, SshBackend
from remote.channel import Channel, Connector
from remote.errors import ClewError, ConnectError, LinkLost
from remote.link import COMMAND
from remote.profile import NodeConfig
from tests.support.behind import Job, login_link, start_agent, start_job
from tests.support.machines import Machine
from tests.support.slurm import SlurmCluster
from tests.support.ssh import Desk, known, target
from tests.support.waiting import PATIENCE_S, until, within

WAYS = ("ssh", "step", "files")


@dataclass
class Reached:
    """One node, reached one way."""

    backend: Backend
    node: str
    connector: Connector
    machine: Machine
    login: Machine

    def runs(self, words: str) -> bool:
        """Whether something with these words in its command line runs on the node."""
        found = self.machine.commands()
        return any(words in command and "srun" not in command for command in found)


@pytest.fixture(scope="module")
def job(slurm_started: SlurmCluster) -> Iterator[Job]:
    slurm_started.clear()
    yield start_job(slurm_started)
    slurm_started.clear()


@contextlib.contextmanager
def reach(way: str, job: Job, folder: Path) -> Iterator[Reached]:
    """A connected node; its links are this block's own."""
    cluster = job.cluster
    with contextlib.ExitStack() as stack:
        backend: Backend
        if way == "ssh":
            desk = Desk(known(cluster, folder))
            to = target(cluster.login_node, cluster.client_key)
            config = NodeConfig(host=cluster.login.ip, name="login1")
            backend = SshBackend({"login1": config}, lambda config, asks: desk.connector(to))
            node, machine = "login1", cluster.login
        else:
            link = stack.enter_context(login_link(cluster, folder))
            job.ways = dict.fromkeys(cluster.nodes, "step" if way == "step" else "files")
            backend = job.backend(link)
            node, machine = "gpu002", cluster.nodes["gpu002"]
        assert node in backend.nodes()
        connector = backend.connector(node)
        stack.callback(connector.close)
        connector.connect()
        yield Reached(backend, node, connector, machine, cluster.login)


@pytest.fixture(scope="module", params=WAYS)
def reached(
    request: pytest.FixtureRequest, job: Job, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Reached]:
    with reach(request.param, job, tmp_path_factory.mktemp("desk")) as one:
        yield one


def read_all(channel: Channel) -> bytes:
    pieces = []
    while piece := channel.read(1 << 16):
        pieces.append(piece)
    return b"".join(pieces)


def test_that_ten_megabytes_go_there_and_back(reached: Reached) -> None:
    data = os.urandom(10 << 20)
    channel = reached.connector.open("cat")
    writer = threading.Thread(target=channel.write, args=(data,))
    writer.start()
    digest, count = hashlib.sha256(), 0
    while count < len(data):
        piece = channel.read(1 << 20)
        assert piece, channel.stderr_tail()
        digest.update(piece)
        count += len(piece)
    writer.join()
    assert digest.digest() == hashlib.sha256(data).digest()
    channel.close()


def test_that_the_last_bytes_before_the_end_are_not_lost(reached: Reached) -> None:
    channel = reached.connector.open("head -c 3000000 /dev/zero; printf 'the end'")
    assert read_all(channel) == bytes(3000000) + b"the end"
    assert channel.read(100) == b""
    channel.close()


def test_that_quotes_and_other_alphabets_reach_the_shell(reached: Reached) -> None:
    channel = reached.connector.open("""echo "it's 50% \\$HOME 数据"; hostname""")
    expected = f"it's 50% $HOME 数据\n{reached.machine.name}\n"
    assert read_all(channel).decode() == expected
    channel.close()


def test_that_complaints_hold_nobody_up_and_their_end_is_kept(reached: Reached) -> None:
    channel = reached.connector.open(
        "head -c 3000000 /dev/zero | tr '\\0' x >&2; echo tail >&2; echo done"
    )
    assert read_all(channel) == b"done\n"
    until(lambda: "xxxtail" in channel.stderr_tail())
    assert len(channel.stderr_tail()) <= 4096
    channel.close()


def test_that_closing_wakes_a_reader_and_ends_the_process(reached: Reached) -> None:
    channel = reached.connector.open("echo up; exec cat - /dev/null")
    assert channel.read(100) == b"up\n"
    assert reached.runs("cat - /dev/null")
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(channel.read(100)))
    reader.start()
    channel.close()
    channel.close()
    reader.join(PATIENCE_S)
    assert got == [b""]
    until(lambda: not reached.runs("cat - /dev/null"))
    with pytest.raises(LinkLost):
        channel.write(b"more")


def test_that_a_process_that_ends_is_an_end_and_not_a_loss(reached: Reached) -> None:
    channel = reached.connector.open("exit 3")
    assert channel.read(100) == b""

    def refused() -> bool:
        try:
            channel.write(b"x" * 65536)
        except LinkLost:
            return True
        return False

    until(refused)
    channel.close()


def test_that_what_will_not_end_is_killed(reached: Reached) -> None:
    channel = reached.connector.open("trap '' TERM HUP INT; echo up; while :; do sleep 0.123; done")
    assert channel.read(100) == b"up\n"
    assert reached.runs("trap '' TERM")
    channel.kill()
    assert channel.read(100) == b""
    until(lambda: not reached.runs("trap '' TERM"))


def test_that_eight_at_once_do_not_hold_each_other_up(reached: Reached) -> None:
    flood = reached.connector.open("exec head -c 100000000 /dev/zero")  # nobody reads it
    channels = [reached.connector.open("cat") for _ in range(7)]
    sent = [os.urandom(100_000) for _ in channels]
    for channel, data in zip(channels, sent, strict=True):
        threading.Thread(target=channel.write, args=(data,)).start()
    for channel, data in zip(channels, sent, strict=True):
        got = b""
        while len(got) < len(data):
            piece = channel.read(1 << 16)
            assert piece, channel.stderr_tail()
            got += piece
        assert got == data
    for channel in [flood, *channels]:
        channel.close()
    until(lambda: not reached.runs("head -c 100000000"))


def test_that_an_agent_starts_there_and_knows_its_node(reached: Reached) -> None:
    link = start_agent(reached.connector.open(COMMAND), reached.node)
    try:
        assert link.hello.hostname == reached.machine.name
        facts = link.probe(
            root="~/.clew", python=None, setup=(), variables={}, ports_from=2222, gpus="none"
        )
        assert facts.node == reached.node
        assert facts.cpus > 0
        assert facts.python
    finally:
        link.close()
    until(lambda: not reached.runs("clew_agent") and not reached.runs("clew_loader"))


def test_that_a_closed_connector_ends_its_channels_and_opens_no_more(reached: Reached) -> None:
    other = reached.backend.connector(reached.node)
    other.connect()
    channel = other.open("cat")
    other.close()
    other.close()
    with contextlib.suppress(LinkLost):  # a connection that is closed is lost, or at its end
        assert channel.read(10) == b""
    with pytest.raises(ClewError):
        other.open("cat")


def test_that_an_unknown_node_is_no_node(reached: Reached) -> None:
    with pytest.raises(ConnectError, match="no node"):
        reached.backend.connector("gpu999")


@pytest.mark.parametrize("way", WAYS)
def test_that_a_cut_link_is_a_loss_within_seconds(way: str, job: Job, tmp_path: Path) -> None:
    with reach(way, job, tmp_path) as one:
        channel = one.connector.open("cat")
        channel.write(b"hello")
        assert channel.read(100) == b"hello"
        one.login.cut()
        try:
            with within(8.0), pytest.raises(LinkLost):
                channel.read(100)
        finally:
            one.login.restore()
