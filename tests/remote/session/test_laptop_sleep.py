"""A laptop that sleeps and wakes elsewhere: nothing old is shown as new, nothing is asked twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.sshd import NodeOptions, SshdNodes, why_no_nodes
from tests.support.waiting import PATIENCE_S, until

pytestmark = pytest.mark.nodes
ROOT = Path(__file__).resolve().parents[3]
PASSWORD = "sleep well ü"


class Desktop:
    """A running ``sleeping_desktop`` and what it has told."""

    def __init__(self, data: Path, nodes: SshdNodes) -> None:
        node = nodes.node(0)
        words = [str(data), str(nodes.known_hosts), node.ip, str(node.port)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.remote.session.sleeping_desktop", *words],
            cwd=ROOT,
            env={**os.environ, "LAB_PASSWORD": PASSWORD, "CLEW_DATA_DIR": str(data)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.told: list[dict[str, Any]] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.told.append(json.loads(line))

    def wait_for(
        self, holds: Callable[[dict[str, Any]], bool], after: int, limit_s: float = PATIENCE_S
    ) -> int:
        """The place of the first item behind ``after`` for which it holds."""
        deadline = time.monotonic() + limit_s
        while True:
            for place, item in enumerate(self.told[after:], after):
                if holds(item):
                    return place
            assert time.monotonic() < deadline, self.told[-5:]
            time.sleep(0.05)

    def close(self) -> None:
        self.process.send_signal(signal.SIGCONT)
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[SshdNodes]:
    if reason := why_no_nodes():
        pytest.skip(reason)
    options = NodeOptions(password=PASSWORD, client_key=False)
    with SshdNodes(tmp_path / "nodes", mode="netns", count=1, options=options) as running:
        yield running


@pytest.fixture
def desktop(nodes: SshdNodes, weird_path: Path) -> Iterator[Desktop]:
    found = Desktop(weird_path, nodes)
    yield found
    found.close()


def test_that_waking_up_shows_no_old_state_and_asks_nothing(
    nodes: SshdNodes, desktop: Desktop
) -> None:
    ready = desktop.wait_for(lambda item: item["state"] == "ready", 0)
    sample = desktop.wait_for(lambda item: item["state"] == "sample", ready)
    assert desktop.told[sample]["asked"] == 1
    threads = desktop.told[sample]["threads"]

    desktop.process.send_signal(signal.SIGSTOP)
    nodes.cut_link(0)
    nodes.kill_connections(0)  # the node gives the connection up, and nobody hears of it
    time.sleep(3)
    asleep = len(desktop.told)
    woken = time.monotonic()
    desktop.process.send_signal(signal.SIGCONT)
    lost = desktop.wait_for(lambda item: item["state"] == "unreachable", asleep)
    assert desktop.told[lost]["at"] - woken < 45  # 8 s on a quiet machine; TCP takes minutes
    said = [item["state"] for item in desktop.told[asleep:lost]]
    assert set(said) <= {"sample", "ready"}  # what had come before it slept
    assert said.count("sample") <= 5  # no burst of all that was missed

    nodes.restore_link(0)
    again = desktop.wait_for(lambda item: item["state"] == "ready", lost)
    fresh = desktop.wait_for(lambda item: item["state"] == "sample", again)
    assert desktop.told[fresh]["asked"] == 1
    assert nodes.node(0).log.count("Accepted password") == 2
    until(lambda: desktop.told[-1]["threads"] <= threads)  # the dead connection's end soon
