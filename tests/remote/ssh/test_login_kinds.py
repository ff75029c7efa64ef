"""Logins of rarer kinds: a security key, a bastion with a password."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from remote.ssh import Secret, SshConnector
from tests.support.ssh import Desk, known, run, target
from tests.support.sshd import NodeOptions, SshdNodes, why_no_nodes
from tests.support.touch_agent import TouchAgent
from tests.support.waiting import PATIENCE_S

pytestmark = pytest.mark.nodes
PASSWORD = "bastion's own"
TOKEN, BASTION = range(2)


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TouchAgent]:
    with TouchAgent(tmp_path_factory.mktemp("agent") / "it's a socket") as running:
        yield running


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory, agent: TouchAgent) -> Iterator[SshdNodes]:
    if reason := why_no_nodes():
        pytest.skip(reason)
    options = {
        TOKEN: NodeOptions(client_key=False, public_keys=(agent.public_line,)),
        BASTION: NodeOptions(client_key=False, password=PASSWORD),
    }
    folder = tmp_path_factory.mktemp("nodes")
    with SshdNodes(folder, mode="loop", count=5, options=options) as running:
        yield running


@pytest.fixture
def desk(nodes: SshdNodes, tmp_path: Path) -> Desk:
    return Desk(known(nodes, tmp_path))


@pytest.mark.parametrize("named", [False, True])
def test_that_a_security_key_in_the_agent_logs_in(
    nodes: SshdNodes, desk: Desk, agent: TouchAgent, tmp_path: Path, named: bool
) -> None:
    """Also where the config names the public half and allows nothing else."""
    before = agent.signed
    public = tmp_path / "id_ed25519_sk"
    public.write_text(f"{agent.public_line}\n")
    to = target(
        nodes.node(TOKEN),
        public if named else None,
        agent=str(agent.path),
        identities_only=named,
    )
    with desk.connected(to) as connector:
        assert run(connector, "hostname").strip() == "gpu001"
    assert agent.signed == before + 1  # one touch


def test_that_a_bastion_asks_once_for_all_behind_it(nodes: SshdNodes, desk: Desk) -> None:
    bastion = target(nodes.node(BASTION), name="bastion")
    desk.prompter.answer = lambda question: Secret(PASSWORD)
    connectors = [
        desk.connector(target(nodes.node(index), nodes.client_key, jump=bastion))
        for index in (2, 3, 4)
    ]
    try:
        with ThreadPoolExecutor(3) as threads:
            list(threads.map(lambda connector: connector.connect(), connectors))
        assert [run(connector, "hostname").strip() for connector in connectors] == [
            "gpu003",
            "gpu004",
            "gpu005",
        ]
        assert [question.node for question in desk.prompter.secrets] == ["bastion"]
        # All is lost at once, as at night: the password is known, so nobody is asked.
        assert nodes.kill_connections(BASTION) > 0
        with ThreadPoolExecutor(3) as threads:
            list(threads.map(_connect_again, connectors))
        assert len(desk.prompter.secrets) == 1
    finally:
        for connector in connectors:
            connector.close()


def _connect_again(connector: SshConnector) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while connector.alive and time.monotonic() < deadline:
        time.sleep(0.01)
    connector.connect()
    assert run(connector, "echo back").strip() == "back"
