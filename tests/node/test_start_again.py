"""A task that an agent began to start before it was killed gets no second supervisor."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from remote.node import layout
from remote.node.layout import Layout
from tests.support.local_node import LocalNode
from tests.support.waiting import PATIENCE_S

REPOSITORY = Path(__file__).parents[2]
LATE = """
import os, sys, time
from remote.node import procs, record
folder = sys.argv[1]
while not os.path.exists(folder + "/start.lock"):
    time.sleep(0.01)
me = {"pid": os.getpid(), "start_time": procs.start_time(os.getpid()), "guard": None}
known = {"run_id": "r-1", "task": "worker:0", "state": "starting", "reason": "", "attempts": []}
record.StateFile(folder).write(dict(known, boot_id=procs.boot_id(), supervisor=me))
time.sleep(3600)
"""
"""A supervisor of an agent that was killed: its record comes once the next agent is at it."""


def test_that_a_supervisor_that_is_just_starting_is_waited_for(node: LocalNode) -> None:
    link = node.connect().link
    node.deploy(link)
    launch = node.launch("print('once')")
    folder = Layout(node.root, node.name).task("r-1", "worker:0")
    token = {"CLEW_RUN": "r-1", "CLEW_NODE": node.name, "CLEW_TASK": "worker:0"}
    supervisor = subprocess.Popen(
        [sys.executable, "-c", LATE, folder],
        env={**os.environ, **token, "PYTHONPATH": str(REPOSITORY)},
    )
    try:
        found = link.start_task(launch)
        assert found["supervisor"]["pid"] == supervisor.pid
        assert not Path(folder, layout.LAUNCH).exists(), "nothing was started here"
    finally:
        supervisor.kill()
        supervisor.wait(PATIENCE_S)
