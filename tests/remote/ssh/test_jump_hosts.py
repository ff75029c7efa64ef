"""Nodes behind a jump host: one connection and one login for all of them."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import paramiko
import pytest

from remote.errors import AuthError, Cancelled, ConnectError, LinkLost
from remote.ssh import ConfigSource, Fields, Secret, SshPool, SshTarget
from tests.support.ports import free_port
from tests.support.ssh import Desk, known, run, target
from tests.support.sshd import NodeOptions, SshdNodes, why_no_nodes
from tests.support.tcp import listening, saying
from tests.support.waiting import PATIENCE_S, until, within

pytestmark = pytest.mark.nodes

BASTION, CLOSED, PASSWORD = 0, 3, 4


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshdNodes]:
    if reason := why_no_nodes():
        pytest.skip(reason)
    options = {
        CLOSED: NodeOptions(config=("AllowTcpForwarding no",)),
        PASSWORD: NodeOptions(password="pässword", client_key=False),
    }
    folder = tmp_path_factory.mktemp("nodes")
    with SshdNodes(folder, mode="loop", count=5, options=options) as running:
        yield running


@pytest.fixture
def desk(nodes: SshdNodes, tmp_path: Path) -> Desk:
    return Desk(known(nodes, tmp_path))


def behind(nodes: SshdNodes, index: int, jump: SshTarget | None = None) -> SshTarget:
    bastion = jump or target(nodes.node(BASTION), nodes.client_key, name="bastion")
    return target(nodes.node(index), nodes.client_key, jump=bastion)


def logins(nodes: SshdNodes, index: int) -> int:
    return len(re.findall("Accepted (publickey|password)", nodes.node(index).log))


def test_that_nodes_behind_a_jump_host_share_one_login(nodes: SshdNodes, desk: Desk) -> None:
    before = logins(nodes, BASTION)
    connectors = [desk.connector(behind(nodes, index)) for index in (1, 2, 1, 2)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda connector: connector.connect(), connectors))
    names = [run(connector, "hostname").strip() for connector in connectors]
    assert names == ["gpu002", "gpu003", "gpu002", "gpu003"]
    assert logins(nodes, BASTION) == before + 1
    for connector in connectors[:3]:
        connector.close()
    assert run(connectors[3], "echo still").strip() == "still"
    connectors[3].close()
    assert nodes.wait_for_no_connection(BASTION)  # the last one hung up


def test_that_closing_beside_the_jump_host_s_own_end_is_quiet(
    nodes: SshdNodes, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What paramiko raises when the last word to the node no longer has a way."""
    connector = desk.connector(behind(nodes, 1))
    connector.connect()
    really = paramiko.Channel.close

    def cut_off(channel: paramiko.Channel) -> None:
        really(channel)
        if threading.current_thread() is threading.main_thread():
            raise EOFError

    with monkeypatch.context() as patch:
        patch.setattr(paramiko.Channel, "close", cut_off)
        connector.close()
    assert nodes.wait_for_no_connection(BASTION)


def test_that_jump_hosts_may_be_chained(nodes: SshdNodes, desk: Desk) -> None:
    through = behind(nodes, 1)
    with desk.connected(behind(nodes, 2, jump=through)) as connector:
        assert run(connector, "hostname").strip() == "gpu003"


def test_that_a_jump_host_is_found_in_the_config(nodes: SshdNodes, tmp_path: Path) -> None:
    first, second = nodes.node(BASTION), nodes.node(1)
    config = tmp_path / "config"
    config.write_text(
        f"Host gate\n HostName {first.ip}\n Port {first.port}\n User root\n"
        f"Host inner\n HostName {second.ip}\n Port {second.port}\n User root\n ProxyJump gate\n"
        f"Host *\n IdentityFile {nodes.client_key}\n"
    )
    desk = Desk(known(nodes, tmp_path))
    pool = SshPool(known=desk.known, prompter=desk.prompter, config=ConfigSource(user_file=config))
    connector = pool.connector(pool.resolve(Fields(host="inner")))
    connector.connect()
    assert run(connector, "hostname").strip() == "gpu002"
    connector.close()


def test_that_a_broken_jump_host_is_a_loss_and_is_dialled_again(
    nodes: SshdNodes, desk: Desk
) -> None:
    with desk.connected(behind(nodes, 1)) as one, desk.connected(behind(nodes, 2)) as two:
        channel = one.open("cat")
        assert nodes.kill_connections(BASTION) > 0
        with pytest.raises(LinkLost):
            channel.read(10)
        until(lambda: not one.alive and not two.alive)
        before = logins(nodes, BASTION)
        one.connect()
        two.connect()
        assert run(two, "hostname").strip() == "gpu003"
        assert run(one, "hostname").strip() == "gpu002"
        assert logins(nodes, BASTION) == before + 1


def test_that_a_jump_host_that_forwards_nothing_is_named(nodes: SshdNodes, desk: Desk) -> None:
    bastion = target(nodes.node(CLOSED), nodes.client_key, name="bastion")
    with pytest.raises(ConnectError) as caught:
        desk.connector(behind(nodes, 1, jump=bastion)).connect()
    assert f"the jump host {nodes.node(CLOSED).ip} cannot connect" in str(caught.value)
    assert "AllowTcpForwarding" in caught.value.remedy
    assert caught.value.node == "gpu002"


def test_that_a_closed_port_behind_a_jump_host_is_named(nodes: SshdNodes, desk: Desk) -> None:
    bastion = target(nodes.node(BASTION), nodes.client_key, name="bastion")
    to = SshTarget(name="gpu9", host_name="127.0.0.1", port=free_port(), user="root", jump=bastion)
    with pytest.raises(ConnectError, match=r"cannot connect to 127\.0\.0\.1 port"):
        desk.connector(to).connect()


def test_that_a_jump_hosts_password_is_its_own(nodes: SshdNodes, desk: Desk) -> None:
    bastion = target(nodes.node(PASSWORD), name="bastion")
    to = target(nodes.node(PASSWORD), jump=bastion)
    typed: list[str] = []

    def answer(question: object) -> Secret:
        typed.append(question.node)  # type: ignore[attr-defined]
        return Secret("pässword")

    desk.prompter.answer = answer
    with desk.connected(to):
        pass
    assert typed == ["bastion", "gpu005"]


def test_that_a_cancelled_login_to_the_jump_host_names_it(nodes: SshdNodes, desk: Desk) -> None:
    bastion = target(nodes.node(PASSWORD), name="bastion")
    with pytest.raises(AuthError, match="bastion: "):
        desk.connector(behind(nodes, 1, jump=bastion)).connect()


def test_that_another_node_takes_over_when_the_first_gives_up(nodes: SshdNodes, desk: Desk) -> None:
    with listening(saying(b"")) as port:
        silent = SshTarget(name="bastion", host_name="127.0.0.1", port=port, user="root")
        connectors = [desk.connector(behind(nodes, n, jump=silent)) for n in (1, 2)]
        results: list[type[BaseException]] = []

        def connect(index: int) -> None:
            try:
                connectors[index].connect()
            except Cancelled as error:
                results.append(type(error))

        threads = [threading.Thread(target=connect, args=(index,)) for index in range(2)]
        for thread in threads:
            thread.start()
            time.sleep(0.2)
        for connector, thread in zip(connectors, threads, strict=True):
            with within(1):
                connector.close()
                thread.join(PATIENCE_S)
        assert results == [Cancelled, Cancelled]
