"""The practice cluster, reached as any other node is."""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("asyncssh")

from remote.errors import ClewError, LinkLost
from remote.practice import PracticeCluster, PracticeNode
from remote.profile import load
from remote.ssh import ConfigSource, HostKeys, SshConnector, SshPool
from tests.support.fixtures import awkward_name
from tests.support.ssh import Recorder, read_all, run
from tests.support.waiting import PATIENCE_S, until, within


def pool_for(cluster: PracticeCluster) -> SshPool:
    empty = cluster.folder / "empty_config"
    empty.touch()
    own = cluster.folder / "own_known_hosts"
    return SshPool(
        known=HostKeys(own, extra=[cluster.known_hosts], openssh=()),
        prompter=Recorder(),
        config=ConfigSource(user_file=empty),
    )


def connectors(cluster: PracticeCluster) -> list[SshConnector]:
    """As a session makes them: everything comes from the written profile."""
    pool, profile = pool_for(cluster), load(cluster.profile).profile
    return [pool.connector(pool.resolve(node, profile.ssh)) for node in profile.nodes]


@pytest.fixture
def connected(practice: PracticeCluster) -> Iterator[list[SshConnector]]:
    found = connectors(practice)
    for connector in found:
        connector.connect()
    yield found
    for connector in found:
        connector.close()


def test_that_the_profile_leads_to_three_nodes_without_a_question(
    practice: PracticeCluster, connected: list[SshConnector]
) -> None:
    for node, connector in zip(practice.nodes, connected, strict=True):
        told = run(connector, 'echo "$CLEW_PRACTICE_NODE|$HOME|$TMPDIR|$(pwd)"').strip()
        assert told == f"{node.name}|{node.home}|{node.home}/tmp|{node.home}"


def test_that_the_profile_is_a_whole_training(practice: PracticeCluster) -> None:
    loaded = load(practice.profile)
    profile, training = loaded.profile, loaded.profile.training
    assert not loaded.warnings
    assert [(node.name, node.host, node.address, node.gpus) for node in profile.nodes] == [
        (f"node{n}", "127.0.0.1", "127.0.0.1", "none") for n in (1, 2, 3)
    ]
    assert profile.environment.python == sys.executable
    assert profile.storage.root == "~/.clew"
    assert (training.workers, training.ps, training.steps) == (2, 1, 4000)
    assert (training.dataset.name, training.dataset.on) == ("digits", "desktop")
    assert os.listdir(str(training.dataset.path)) == ["digits.csv.gz"]


def test_that_keys_are_private_and_servers_are_on_loopback(practice: PracticeCluster) -> None:
    assert stat.S_IMODE(practice.client_key.stat().st_mode) == 0o600
    for node in practice.nodes:
        assert node.host == "127.0.0.1"
        with (
            pytest.raises(ConnectionRefusedError),
            socket.create_connection(("127.0.0.2", node.port), 1),
        ):
            pass


def test_that_another_key_is_refused(practice: PracticeCluster, tmp_path: Path) -> None:
    from dataclasses import replace

    from remote.errors import AuthError
    from tests.support.sshd import make_key

    pool, profile = pool_for(practice), load(practice.profile).profile
    target = pool.resolve(profile.nodes[0], profile.ssh)
    other = str(make_key(tmp_path / "other"))
    with pytest.raises(AuthError, match=r"key other: refused; .*password: not offered"):
        pool.connector(replace(target, identity_files=(other,))).connect()


@pytest.mark.parametrize(
    ("command", "status"),
    [("exit 0", 0), ("exit 7", 7), ("no-such-program-here", 127), ("kill -TERM $$", -1)],
)
def test_that_exit_codes_come_back(
    connected: list[SshConnector], command: str, status: int
) -> None:
    channel = connected[0].open(command)
    read_all(channel)
    assert channel._channel.recv_exit_status() == status
    channel.close()


def test_that_every_byte_arrives_both_ways(connected: list[SshConnector]) -> None:
    data = os.urandom(12 << 20)
    channel = connected[0].open("cat; echo complaint >&2")

    def write() -> None:
        channel.write(data)
        channel._channel.shutdown_write()

    writer = threading.Thread(target=write)
    writer.start()
    got = hashlib.sha256(read_all(channel)).digest()
    writer.join()
    assert got == hashlib.sha256(data).digest()
    assert channel.stderr_tail() == "complaint\n"
    channel.close()


def test_that_a_process_that_reads_nothing_does_not_stop_the_others(
    connected: list[SshConnector],
) -> None:
    stuck = connected[0].open("sleep 3600")
    writer = threading.Thread(target=_write_until_closed, args=(stuck,), daemon=True)
    writer.start()
    time.sleep(0.3)
    assert run(connected[0], "echo here").strip() == "here"
    assert run(connected[1], "echo there").strip() == "there"
    stuck.close()
    writer.join(PATIENCE_S)
    assert not writer.is_alive()


def _write_until_closed(channel: object) -> None:
    with pytest.raises(LinkLost):
        channel.write(bytes(32 << 20))  # type: ignore[attr-defined]


def test_that_a_process_that_stops_reading_does_not_block_its_writer(
    connected: list[SshConnector],
) -> None:
    channel = connected[0].open("head -c 1 >/dev/null; exec <&-; sleep 0.5; echo done")
    writer = threading.Thread(target=channel.write, args=(bytes(8 << 20),))
    writer.start()
    assert read_all(channel) == b"done\n"
    writer.join(PATIENCE_S)
    assert not writer.is_alive()
    channel.close()


def alive(node: PracticeNode, cluster: PracticeCluster, text: str) -> bool:
    return any(p.node == node.name and text in p.command for p in cluster.left_running())


def test_that_a_lost_client_ends_what_reads_from_it_and_not_what_is_detached(
    practice: PracticeCluster,
) -> None:
    node, connector = practice.nodes[0], connectors(practice)[0]
    connector.connect()
    channel = connector.open("setsid sleep 4321 </dev/null >/dev/null 2>&1 & exec cat -")
    channel.write(b"x")
    assert channel.read(1) == b"x"
    connector.close()
    until(lambda: not alive(node, practice, "cat -"))
    until(lambda: alive(node, practice, "sleep 4321"))
    (process,) = [p for p in practice.left_running() if "4321" in p.command]
    os.kill(process.pid, signal.SIGKILL)


def test_that_closing_is_quick_and_leaves_only_what_is_detached(tmp_path: Path) -> None:
    with PracticeCluster(tmp_path / awkward_name(), nodes=2) as cluster:
        connector = connectors(cluster)[1]
        connector.connect()
        channel = connector.open("setsid sleep 5432 </dev/null >/dev/null 2>&1 & exec sleep 3601")
        until(lambda: len(cluster.left_running()) == 2)
        with within(2):
            cluster.close()
            cluster.close()
        with pytest.raises(LinkLost):
            channel.read(1)
        connector.close()
        (process,) = cluster.left_running()
        assert process.command == "sleep 5432"
        assert process.node == "node2"
        os.kill(process.pid, signal.SIGKILL)


def test_that_a_folder_may_be_used_again(tmp_path: Path) -> None:
    folder = tmp_path / awkward_name()
    with PracticeCluster(folder, nodes=2) as cluster:
        first = cluster.nodes
        (first[0].home / "kept").touch()
        profile = cluster.profile.read_text()
    with PracticeCluster(folder, nodes=2) as cluster:
        assert cluster.nodes == first
        assert cluster.profile.read_text() == profile
        connector = connectors(cluster)[0]
        connector.connect()
        assert "kept" in run(connector, "ls")
        connector.close()
    with (
        socket.create_server(("127.0.0.1", first[0].port)),
        PracticeCluster(folder, nodes=2) as cluster,
    ):
        assert cluster.nodes[0].port != first[0].port
        assert str(cluster.nodes[0].port) in cluster.profile.read_text()


@pytest.mark.parametrize("module", ["asyncssh", "sklearn"])
def test_that_what_is_not_installed_is_named(tmp_path: Path, module: str) -> None:
    # A process of its own in which the module cannot be found.
    code = (
        "import sys\n"
        f"sys.modules[{module!r}] = None\n"  # as if it were not there
        "from pathlib import Path\n"
        "from remote.errors import ClewError\n"
        "from remote.practice import PracticeCluster\n"
        "try:\n"
        f"    PracticeCluster(Path({str(tmp_path)!r})).start()\n"
        "except ClewError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    assert 'pip install "clew[demo]"' in done.stdout


def test_that_starting_a_cluster_imports_no_scikit_learn(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from remote.practice import PracticeCluster\n"
        f"with PracticeCluster(Path({str(tmp_path)!r})): pass\n"
        "print(sorted(m for m in sys.modules if m in ('sklearn', 'numpy', 'tensorflow')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    assert done.stdout == "[]\n"
    assert done.stderr == ""


def test_that_an_unwritable_place_is_an_error_that_reads_well(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ClewError, match="cannot be used"):
        PracticeCluster(tmp_path / "file" / "cluster").start()
