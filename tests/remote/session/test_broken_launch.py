"""An agent that dies while it starts tasks costs a moment, not the run."""

from __future__ import annotations

import fcntl
import json
import os
import signal
from pathlib import Path

import pytest

from remote.profile import loads
from tests.remote.session.test_sshd_run import LIMIT_S, assert_nothing_runs, profile_text
from tests.support.sessions import watched
from tests.support.sshd import SshdNodes
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(1500)


def test_that_a_launch_outlives_an_agent(sshd_nodes: SshdNodes, tmp_path: Path) -> None:
    text = profile_text(sshd_nodes, Path("/nowhere"), "steps: 1").partition("training:")[0]
    training = {"command": ["python", "-c", "print('done')"], "workers": 3, "ps": 0}
    profile = loads(f"{text}training: {json.dumps(training)}\n", "sshd").profile
    root = sshd_nodes.node(0).home / ".clew"
    root.mkdir()
    with (
        watched(profile, tmp_path, known_hosts=[sshd_nodes.known_hosts]) as w,
        (root / "start-gpu001.lock").open("w") as held,
    ):
        fcntl.flock(held, fcntl.LOCK_EX)  # so that the agent stands still while it starts a task
        run = w.session.launch()
        until(lambda: list(root.glob("runs/*/gpu001/worker-*")), LIMIT_S)
        for process in sshd_nodes.processes(0):
            os.kill(process.pid, signal.SIGKILL)
        held.close()
        result = run.wait(LIMIT_S)
        assert result is not None
        assert (result.state, result.left_behind) == ("finished", ()), result
        assert_nothing_runs(sshd_nodes)
