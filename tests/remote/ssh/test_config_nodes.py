"""What ssh_config says, done: every keyword that Clew uses, against real sshd nodes."""

from __future__ import annotations

import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from remote.errors import AuthError, ConnectError, HostKeyError
from remote.ssh import ConfigSource, Fields, HostKeys, SshPool
from tests.support.ssh import Recorder, run
from tests.support.ssh_agent import running_agent
from tests.support.sshd import NodeOptions, SshdNodes, make_key, why_no_nodes
from tests.support.tcp import listening
from tests.support.waiting import within

pytestmark = pytest.mark.nodes
GATE, SECOND, INNER, SIX = range(4)
Connect = Callable[..., str]

PIPE = """
import socket, sys, threading
link = socket.create_connection((sys.argv[1], int(sys.argv[2])))
def back():
    while data := link.recv(65536):
        sys.stdout.buffer.write(data); sys.stdout.buffer.flush()
threading.Thread(target=back, daemon=True).start()
while data := sys.stdin.buffer.raw.read(65536):
    link.sendall(data)
"""


def free_port_of_six() -> int | None:
    """A port on ::1; None: this computer has no IPv6."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            probe.bind(("::1", 0))
            return int(probe.getsockname()[1])
    except OSError:
        return None


SIX_PORT = free_port_of_six()
needs_six = pytest.mark.skipif(SIX_PORT is None, reason="there is no IPv6 here")


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshdNodes]:
    if reason := why_no_nodes():
        pytest.skip(reason)
    six = (f"ListenAddress [::1]:{SIX_PORT}",) if SIX_PORT else ()
    folder = tmp_path_factory.mktemp("nodes")
    with SshdNodes(folder, mode="loop", count=4, options={SIX: NodeOptions(config=six)}) as found:
        yield found


@pytest.fixture(params=["openssh", "own reader"])
def connect(
    request: pytest.FixtureRequest,
    nodes: SshdNodes,
    weird_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Connect:
    """Writes a config, connects to ``alias`` as it says, and returns the node's name.

    Once with ``ssh -G`` and once on a computer without OpenSSH.
    """
    path = weird_path / "config"

    def go(text: str, alias: str = "gpu", known: str | None = None, **fields: object) -> str:
        path.write_text(f"{text}\nHost *\n  User root\n")
        own = weird_path / "own"
        files = [nodes.known_hosts] if known is None else [weird_path / "known"]
        if known is not None:
            files[0].write_text(known)
        pool = SshPool(
            known=HostKeys(own, openssh=files),
            prompter=Recorder(),
            config=ConfigSource(user_file=path, notice=pytest.fail),
        )
        with monkeypatch.context() as patch:
            if request.param == "own reader":
                patch.setenv("PATH", "/nonexistent")
            target = pool.resolve(Fields(host=alias, **fields))  # type: ignore[arg-type]
        connector = pool.connector(target)
        try:
            connector.connect()
            return run(connector, "hostname").strip()
        finally:
            connector.close()

    return go


def block(nodes: SshdNodes, index: int, alias: str = "gpu", *lines: str) -> str:
    node = nodes.node(index)
    return "\n  ".join((f"Host {alias}", f"HostName {node.ip}", f"Port {node.port}", *lines)) + "\n"


def key(nodes: SshdNodes) -> str:
    return f"IdentityFile {nodes.client_key}"


def test_that_included_files_and_several_keys_are_used(
    nodes: SshdNodes, connect: Connect, weird_path: Path
) -> None:
    folder = weird_path / "conf.d"
    folder.mkdir()
    wrong = make_key(weird_path / "wrong key")
    (folder / "20-late").write_text("Host gpu\n  Port 1\n")
    (folder / "10-first").write_text(block(nodes, GATE, "gpu", f"IdentityFile {_quoted(wrong)}"))
    text = f"Include {_quoted(folder)}/*\nInclude /nonexistent\nHost g*\n  {key(nodes)}\n"
    assert connect(text + "  IdentitiesOnly yes\n  IdentityAgent none\n") == "gpu001"


def test_that_tokens_name_the_host_and_the_key(
    nodes: SshdNodes, connect: Connect, weird_path: Path
) -> None:
    node = nodes.node(GATE)
    alias = node.ip[-1]  # the address is whole only with %h in place of its last digit
    (weird_path / f"root-{alias}").symlink_to(nodes.client_key)
    text = f"HostName {node.ip[:-1]}%h\n  Port {node.port}\n"
    assert connect(
        f"Host {alias}\n  {text}  IdentityFile {_quoted(weird_path)}/%r-%n\n", alias
    ) == ("gpu001")


def test_that_match_blocks_apply(nodes: SshdNodes, connect: Connect) -> None:
    node = nodes.node(SECOND)
    text = (
        f"Match originalhost other\n  Port 1\nMatch originalhost gpu user root\n"
        f"  Port {node.port}\nMatch host {node.ip} user !root\n  Port 2\n"
        f"Host gpu\n  HostName {node.ip}\nMatch host {node.ip}\n  {key(nodes)}\n"
    )
    assert connect(text, user="root") == "gpu002"


def test_that_a_host_key_alias_decides_what_is_looked_up(
    nodes: SshdNodes, connect: Connect
) -> None:
    text = block(nodes, GATE, "gpu", key(nodes), "HostKeyAlias the-%n")
    host_key = nodes.node(GATE).host_public_key()
    assert connect(text, known=f"the-gpu {host_key}\n") == "gpu001"
    with pytest.raises(HostKeyError, match="of the-gpu was not accepted"):
        connect(text, known=f"{nodes.node(GATE).known_hosts_name} {host_key}\n")


def test_that_a_known_hosts_file_of_the_host_is_read(
    nodes: SshdNodes, connect: Connect, weird_path: Path
) -> None:
    node = nodes.node(GATE)
    file = weird_path / "lab hosts"
    file.write_text(f"{node.known_hosts_name} {node.host_public_key()}\n")
    text = block(nodes, GATE, "gpu", key(nodes), f"UserKnownHostsFile {_quoted(file)} /nonexistent")
    assert connect(text, known="") == "gpu001"


@needs_six
@pytest.mark.parametrize(
    "where",
    ["HostName ::1", "HostName ::1\n  AddressFamily inet6", "HostName 0:0:0:0:0:0:0:1"],
)
def test_that_a_node_is_reached_by_ipv6(nodes: SshdNodes, connect: Connect, where: str) -> None:
    host_key = nodes.node(SIX).host_public_key()
    known = f"[::1]:{SIX_PORT},[0:0:0:0:0:0:0:1]:{SIX_PORT} {host_key}\n"
    text = f"Host gpu\n  {where}\n  Port {SIX_PORT}\n  {key(nodes)}\n"
    assert connect(text, known=known) == "gpu004"


@needs_six
def test_that_an_address_family_without_an_address_is_told(
    nodes: SshdNodes, connect: Connect
) -> None:
    text = f"Host gpu\n  HostName ::1\n  AddressFamily inet\n  Port {SIX_PORT}\n"
    with pytest.raises(ConnectError, match="the host name ::1 was not found"):
        connect(text)


@needs_six
def test_that_a_jump_host_may_have_an_ipv6_address(nodes: SshdNodes, connect: Connect) -> None:
    text = block(nodes, INNER, "gpu", f"ProxyJump root@[::1]:{SIX_PORT}")
    known = nodes.known_hosts.read_text()
    known += f"[::1]:{SIX_PORT} {nodes.node(SIX).host_public_key()}\n"
    assert connect(f"{text}Host *\n  {key(nodes)}\n", known=known) == "gpu003"
    assert connect(block(nodes, INNER), known=known, **_jump(nodes)) == "gpu003"


def _jump(nodes: SshdNodes) -> dict[str, str]:
    return {"jump": f"root@[::1]:{SIX_PORT}", "identity_file": str(nodes.client_key)}


def test_that_a_chain_of_jump_hosts_is_gone_through_in_order(
    nodes: SshdNodes, connect: Connect
) -> None:
    def logins() -> list[int]:
        way = (nodes.node(index) for index in (GATE, SECOND, INNER))
        return [node.log.count("Accepted publickey") for node in way]

    text = block(nodes, GATE, "gate") + block(nodes, SECOND, "second", "ProxyJump nowhere")
    text += block(nodes, INNER, "gpu", "ProxyJump gate,second")
    before = logins()
    assert connect(f"{text}Host *\n  {key(nodes)}\n") == "gpu003"
    assert logins() == [count + 1 for count in before]


def test_that_none_switches_a_jump_host_off(nodes: SshdNodes, connect: Connect) -> None:
    text = block(nodes, INNER, "gpu", "ProxyJump none", key(nodes))
    assert connect(f"{text}Host *\n  ProxyJump nowhere.invalid\n") == "gpu003"


def test_that_a_proxy_command_gets_its_tokens(
    nodes: SshdNodes, connect: Connect, weird_path: Path
) -> None:
    script = weird_path / "pipe.py"
    script.write_text(PIPE)
    command = f"{sys.executable} {shlex.quote(str(script)).replace('%', '%%')} %h %p"
    text = block(nodes, INNER, "gpu", f"ProxyCommand {command}", key(nodes))
    assert connect(text) == "gpu003"


def test_that_the_connect_timeout_ends_waiting(connect: Connect) -> None:
    with listening(None) as port, pytest.raises(ConnectError, match="within 1 s"), within(8):
        connect(f"Host gpu\n  HostName 127.0.0.1\n  Port {port}\n  ConnectTimeout 1\n")


@pytest.fixture
def agent(weird_path: Path, nodes: SshdNodes) -> Iterator[str]:
    """An agent that holds the nodes' key, at a socket with an awkward path."""
    path = str(weird_path / "agent")
    with running_agent(path) as surroundings:
        subprocess.run(["ssh-add", "-q", str(nodes.client_key)], env=surroundings, check=True)
        yield path


def test_that_the_agent_is_the_one_that_is_named(
    nodes: SshdNodes, agent: str, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSH_AUTH_SOCK", "/nonexistent")
    monkeypatch.setenv("LAB_AGENT", agent)
    assert connect(block(nodes, GATE, "gpu", "IdentityAgent $LAB_AGENT")) == "gpu001"
    assert connect(block(nodes, GATE, "gpu", f"IdentityAgent {_quoted(agent)}")) == "gpu001"
    monkeypatch.setenv("SSH_AUTH_SOCK", agent)
    assert connect(block(nodes, GATE)) == "gpu001"
    with pytest.raises(AuthError):
        connect(block(nodes, GATE, "gpu", "IdentityAgent none"))


def test_that_only_the_named_keys_are_offered_of_an_agent(
    nodes: SshdNodes, agent: str, connect: Connect, weird_path: Path
) -> None:
    other = make_key(weird_path / "other")
    lines = (f"IdentityFile {_quoted(other)}", f"IdentityAgent {_quoted(agent)}")
    assert connect(block(nodes, GATE, "gpu", *lines)) == "gpu001"
    with pytest.raises(AuthError, match="key other: refused"):
        connect(block(nodes, GATE, "gpu", *lines, "IdentitiesOnly yes"))


def _quoted(path: object) -> str:
    """A path as one word of a config line."""
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'
