"""Logging in to real sshd nodes with keys, agents and passwords."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from remote.errors import AuthError, Cancelled, HostKeyError
from remote.ssh import HostKeys, Secret, SecretQuestion
from tests.support.ssh import Desk, Recorder, always, known, run, target
from tests.support.ssh_agent import running_agent
from tests.support.sshd import NodeOptions, SshdNodes, make_key, why_no_nodes

PASSWORD = "hunter 2 ü"
PASSPHRASE = "s3cret $HOME"
KEY_NODE, PASSWORD_NODES, AGENT_NODE, BOTH_NODE = 0, (1, 2), 3, 4


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys") / "with 'blank"
    folder.mkdir()
    make_key(folder / "encrypted", passphrase=PASSPHRASE)
    for kind in ("rsa", "ecdsa"):
        make_key(folder / kind, kind)
    for number in range(9):
        make_key(folder / f"agent{number}")
    make_key(folder / "lab")
    return folder


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory, keys: Path) -> Iterator[SshdNodes]:
    if reason := why_no_nodes():
        pytest.skip(reason)
    public = {path.stem: path.read_text() for path in keys.glob("*.pub")}
    accepted = tuple(public[name] for name in ("encrypted", "rsa", "ecdsa"))
    by_password = NodeOptions(password=PASSWORD, client_key=False)
    options = {
        KEY_NODE: NodeOptions(public_keys=accepted),
        1: by_password,
        2: by_password,
        AGENT_NODE: NodeOptions(public_keys=(public["lab"],), config=("MaxAuthTries 4",)),
        BOTH_NODE: NodeOptions(
            password=PASSWORD, config=("AuthenticationMethods publickey,password",)
        ),
    }
    folder = tmp_path_factory.mktemp("nodes")
    with SshdNodes(folder, mode="loop", count=5, options=options) as running:
        yield running


@pytest.fixture
def desk(nodes: SshdNodes, tmp_path: Path) -> Desk:
    return Desk(known(nodes, tmp_path))


@pytest.fixture(scope="module")
def full_agent(keys: Path) -> Iterator[str]:
    """The socket of an agent that holds nine keys, and the right one as the last."""
    socket = str(keys / "agent.sock")
    with running_agent(socket) as surroundings:
        names = [str(keys / f"agent{number}") for number in range(9)] + [str(keys / "lab")]
        subprocess.run(["ssh-add", *names], env=surroundings, check=True, capture_output=True)
        yield socket


@pytest.mark.parametrize("name", ["rsa", "ecdsa"])
def test_that_a_key_logs_in_without_a_question(
    nodes: SshdNodes, desk: Desk, keys: Path, name: str
) -> None:
    with desk.connected(target(nodes.node(KEY_NODE), keys / name)) as connector:
        assert run(connector, "hostname").strip() == "gpu001"
        assert not connector.needs_user
    assert desk.prompter.secrets == []


def test_that_a_passphrase_is_asked_once_for_all_and_again_when_wrong(
    nodes: SshdNodes, desk: Desk, keys: Path
) -> None:
    answers = ["wrong", PASSPHRASE]
    desk.prompter.answer = lambda question: Secret(answers.pop(0))
    to = target(nodes.node(KEY_NODE), keys / "encrypted")
    connectors = [desk.connector(to) for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda connector: connector.connect(), connectors))
    for connector in connectors:
        assert run(connector, "echo $USER").strip() == "root"
        connector.close()
    assert [question.attempt for question in desk.prompter.secrets] == [1, 2]
    assert desk.prompter.secrets[0].kind == "passphrase"
    assert desk.prompter.secrets[0].key_path == str(keys / "encrypted")


def test_that_a_cancelled_passphrase_ends_the_login(
    nodes: SshdNodes, desk: Desk, keys: Path
) -> None:
    with pytest.raises(AuthError, match=r"cancelled.*key encrypted: no passphrase given"):
        desk.connector(target(nodes.node(KEY_NODE), keys / "encrypted")).connect()
    assert len(desk.prompter.secrets) == 1


def test_that_a_password_is_asked_once_for_two_nodes(nodes: SshdNodes, desk: Desk) -> None:
    answers = ["wrong", PASSWORD]
    desk.prompter.answer = lambda question: Secret(answers.pop(0))
    for index in PASSWORD_NODES:
        with desk.connected(target(nodes.node(index))) as connector:
            assert run(connector, "hostname").strip() == nodes.node(index).name
            assert not connector.needs_user
    assert [(q.kind, q.attempt, q.echo) for q in desk.prompter.secrets] == [
        ("password", 1, False),
        ("password", 2, False),
    ]


def test_that_three_wrong_passwords_are_refused_with_what_was_tried(
    nodes: SshdNodes, desk: Desk, keys: Path
) -> None:
    desk.prompter.answer = always("wr0ng-secret")
    with pytest.raises(AuthError) as caught:
        desk.connector(target(nodes.node(1), keys / "lab")).connect()
    text = str(caught.value)
    assert "key lab: refused; password: refused; password: refused; password: refused" in text
    assert "was refused" in text
    assert "wr0ng-secret" not in text
    assert caught.value.remedy
    assert len(desk.prompter.secrets) == 3


def test_that_a_node_without_passwords_says_so(nodes: SshdNodes, desk: Desk, keys: Path) -> None:
    with pytest.raises(AuthError, match=r"key lab: refused; .*password: not offered"):
        desk.connector(target(nodes.node(KEY_NODE), keys / "lab")).connect()
    assert desk.prompter.secrets == []


def test_that_key_files_that_cannot_be_used_are_explained(
    nodes: SshdNodes, desk: Desk, tmp_path: Path
) -> None:
    open_key = make_key(tmp_path / "open")
    open_key.chmod(0o640)
    to = target(
        nodes.node(KEY_NODE),
        identity_files=(str(tmp_path / "absent"), str(open_key)),
        identities_named=True,
    )
    with pytest.raises(AuthError) as caught:
        desk.connector(to).connect()
    assert "absent: no such file" in str(caught.value)
    assert "other users may read it" in str(caught.value)
    remedy = f"Correct identity_file: there is no {tmp_path / 'absent'} on this computer"
    assert caught.value.remedy == remedy


def test_that_a_public_key_is_told_from_the_private_one(
    nodes: SshdNodes, desk: Desk, keys: Path
) -> None:
    with pytest.raises(AuthError, match="the agent does not hold its private half") as caught:
        desk.connector(target(nodes.node(KEY_NODE), keys / "lab.pub")).connect()
    assert caught.value.remedy.startswith(f"Set identity_file to {keys / 'lab'}, or load")


def test_that_the_named_key_comes_before_a_full_agent(
    nodes: SshdNodes, desk: Desk, keys: Path, full_agent: str
) -> None:
    to = target(nodes.node(AGENT_NODE), keys / "lab", agent=full_agent, identities_only=True)
    before = nodes.node(AGENT_NODE).log.count("Failed publickey")
    with desk.connected(to) as connector:
        assert run(connector, "hostname").strip() == "gpu004"
    assert nodes.node(AGENT_NODE).log.count("Failed publickey") == before


def test_that_the_agent_signs_for_an_encrypted_or_public_key_file(
    nodes: SshdNodes, desk: Desk, keys: Path, full_agent: str
) -> None:
    to = target(nodes.node(AGENT_NODE), keys / "lab.pub", agent=full_agent, identities_only=True)
    with desk.connected(to) as connector:
        assert run(connector, "hostname").strip() == "gpu004"
    assert desk.prompter.secrets == []


def test_that_identities_only_offers_nothing_else(
    nodes: SshdNodes, desk: Desk, keys: Path, full_agent: str
) -> None:
    to = target(nodes.node(AGENT_NODE), keys / "rsa", agent=full_agent, identities_only=True)
    with pytest.raises(AuthError) as caught:
        desk.connector(to).connect()
    assert "key rsa: refused" in str(caught.value)
    assert "agent key" not in str(caught.value)


def test_that_an_agent_with_too_many_keys_is_explained(
    nodes: SshdNodes, desk: Desk, full_agent: str
) -> None:
    with pytest.raises(AuthError) as caught:
        desk.connector(target(nodes.node(AGENT_NODE), agent=full_agent)).connect()
    assert "Too many authentication failures" in str(caught.value)
    assert "IdentitiesOnly" in caught.value.remedy


@pytest.mark.parametrize("content", [None, "not an agent"])
def test_that_a_dead_agent_does_not_stand_in_the_way(
    nodes: SshdNodes, desk: Desk, tmp_path: Path, content: str | None
) -> None:
    path = tmp_path / "agent"
    if content is not None:
        path.write_text(content)
    to = target(nodes.node(KEY_NODE), nodes.client_key, agent=str(path))
    with desk.connected(to) as connector:
        assert run(connector, "hostname").strip() == "gpu001"


def test_that_after_a_partial_success_only_what_is_asked_for_is_tried(
    nodes: SshdNodes, desk: Desk, keys: Path
) -> None:
    desk.prompter.answer = always(PASSWORD)
    to = target(
        nodes.node(BOTH_NODE),
        identity_files=(str(nodes.client_key), str(keys / "rsa")),
        identities_named=True,
    )
    with desk.connected(to) as connector:
        assert run(connector, "hostname").strip() == "gpu005"
    assert [question.kind for question in desk.prompter.secrets] == ["password"]
    assert "rsa" not in nodes.node(BOTH_NODE).log.lower().replace("host_rsa", "")


def test_that_closing_during_a_question_cancels_the_login(nodes: SshdNodes, desk: Desk) -> None:
    def closing(question: SecretQuestion) -> Secret | None:
        connector.close()
        return Secret(PASSWORD)

    desk.prompter.answer = closing
    connector = desk.connector(target(nodes.node(1)))
    with pytest.raises(Cancelled):
        connector.connect()
    assert not connector.alive


@pytest.mark.parametrize("trust", [True, False])
def test_that_an_unknown_host_is_asked_about_before_the_login(
    nodes: SshdNodes, tmp_path: Path, trust: bool
) -> None:
    desk = Desk(HostKeys(tmp_path / "own", openssh=()), Recorder(trust=trust))
    node = nodes.node(KEY_NODE)
    connector = desk.connector(target(node, nodes.client_key))
    accepted = node.log.count("Accepted publickey")
    if trust:
        connector.connect()
        connector.close()
        assert (
            tmp_path / "own"
        ).read_text() == f"{node.known_hosts_name} {node.host_public_key()}\n"
    else:
        with pytest.raises(HostKeyError, match="was not accepted"):
            connector.connect()
        assert node.log.count("Accepted publickey") == accepted
    (question,) = desk.prompter.hosts
    assert question.node == node.name
    assert question.host == node.known_hosts_name


def test_that_32_connections_at_once_ask_about_the_host_once(
    nodes: SshdNodes, tmp_path: Path
) -> None:
    desk = Desk(HostKeys(tmp_path / "own", openssh=()), Recorder(trust=True))
    node = nodes.node(KEY_NODE)
    connectors = [desk.connector(target(node, nodes.client_key)) for _ in range(32)]
    with ThreadPoolExecutor(32) as threads:
        list(threads.map(lambda connector: connector.connect(), connectors))
    assert all(connector.alive for connector in connectors)
    for connector in connectors:
        connector.close()
    assert len(desk.prompter.hosts) == 1


def test_that_a_changed_host_key_ends_the_connection(nodes: SshdNodes, tmp_path: Path) -> None:
    wrong = " ".join(Path(f"{make_key(tmp_path / 'k')}.pub").read_text().split()[:2])
    file = tmp_path / "known"
    node = nodes.node(KEY_NODE)
    file.write_text(f"{node.known_hosts_name} {wrong}\n")
    desk = Desk(HostKeys(tmp_path / "own", openssh=[file]), Recorder(trust=True))
    with pytest.raises(HostKeyError, match=rf"{file}, line 1"):
        desk.connector(target(node, nodes.client_key)).connect()
    assert desk.prompter.hosts == []
