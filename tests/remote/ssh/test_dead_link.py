"""A link that goes silent, as when a laptop sleeps: noticed, and not waited for."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.errors import ConnectError, LinkLost
from remote.ssh.channel import SshChannel
from tests.support.ssh import Desk, known, run, target
from tests.support.sshd import SshdNodes
from tests.support.waiting import PATIENCE_S, within


@pytest.fixture
def cut(sshd_nodes: SshdNodes) -> Iterator[None]:
    """The first node's link is whole again after the test."""
    yield
    sshd_nodes.restore_link(0)


@pytest.mark.usefixtures("cut")
def test_that_a_silent_link_is_noticed_within_seconds(
    sshd_nodes: SshdNodes, tmp_path: Path
) -> None:
    desk = Desk(known(sshd_nodes, tmp_path))
    with (
        desk.connected(target(sshd_nodes.node(0), sshd_nodes.client_key)) as idle,
        desk.connected(target(sshd_nodes.node(0), sshd_nodes.client_key)) as busy,
        desk.connected(target(sshd_nodes.node(1), sshd_nodes.client_key)) as other,
    ):
        reading, writing = idle.open("cat"), busy.open("cat >/dev/null")
        sshd_nodes.cut_link(0)
        started = time.monotonic()
        writing.write(b"x" * 1000)  # unacknowledged data must be noticed as well as silence
        ended: dict[str, float] = {}

        def wait(name: str, channel: SshChannel) -> None:
            with pytest.raises(LinkLost):
                channel.read(100)
            ended[name] = time.monotonic() - started

        threads = [
            threading.Thread(target=wait, args=("idle", reading)),
            threading.Thread(target=wait, args=("busy", writing)),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
        assert ended.keys() == {"idle", "busy"}
        assert max(ended.values()) < 45  # under 8 s on a quiet machine; TCP itself takes minutes
        assert run(other, "hostname").strip() == "gpu002"  # nobody else is held up


@pytest.mark.usefixtures("cut")
def test_that_a_node_without_link_is_not_waited_for_longer_than_allowed(
    sshd_nodes: SshdNodes, tmp_path: Path
) -> None:
    desk = Desk(known(sshd_nodes, tmp_path))
    sshd_nodes.cut_link(0)
    to = target(sshd_nodes.node(0), sshd_nodes.client_key, connect_timeout_s=0.8)
    connector = desk.connector(to)
    words = r"did not answer within 1 s|cannot be reached"
    with within(5), pytest.raises(ConnectError, match=words):
        connector.connect()


@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize("by_channel", [False, True])
def test_that_closing_a_dead_connection_is_quick(
    sshd_nodes: SshdNodes, tmp_path: Path, by_channel: bool
) -> None:
    desk = Desk(known(sshd_nodes, tmp_path))
    with desk.connected(target(sshd_nodes.node(0), sshd_nodes.client_key)) as connector:
        channel = connector.open("cat")
        sshd_nodes.cut_link(0)
        writer = threading.Thread(target=_write_too_much, args=(channel,))
        writer.start()  # fills the windows and blocks
        time.sleep(0.5)
        with within(0.5):  # the link itself would be given up after 6 s
            if by_channel:
                channel.close()
            connector.close()
        writer.join(PATIENCE_S)
        assert not writer.is_alive()


def _write_too_much(channel: SshChannel) -> None:
    with pytest.raises(LinkLost):
        channel.write(b"x" * (64 << 20))
