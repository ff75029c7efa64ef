"""After a stop: GPU memory back, no temporary file, and orders that others find."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from remote.node import gpu_left, procs, record
from tests.support.local_node import LocalNode
from tests.support.waiting import until

SLEEP = "import time\nprint('up', flush=True)\ntime.sleep(3600)\n"
DEAF = "import signal\nsignal.signal(15, signal.SIG_IGN)\n" + SLEEP
SMI = """\
#!/bin/sh
# Plays the driver: lists what is in `apps`, so often as `times` says.
case "$*" in
*compute-apps*)
    n=$(cat "$HOME/times")
    echo asked >> "$HOME/asked"
    if [ "$n" -gt 0 ]; then echo $((n - 1)) > "$HOME/times"; cat "$HOME/apps"; fi ;;
esac
"""


def play_gpu(node: LocalNode, pid: int, times: int) -> None:
    """From here on the driver counts memory for ``pid``, for so many more questions."""
    tool = node.tools / "nvidia-smi"
    (node.home / "apps").write_text(f"GPU-5a, {pid}, 1234\n")
    (node.home / "times").write_text(str(times))
    tool.write_text(SMI)
    tool.chmod(0o755)


def running(node: LocalNode, program: str = SLEEP) -> int:
    """Start a task; the pid of its process."""
    link = node.connect().link
    node.deploy(link)
    link.start_task(node.launch(program))
    log = node.task_dir() / "log.txt"
    until(lambda: log.exists() and "up" in log.read_text())
    until(lambda: link.runs(root=node.root)[0].task_alive)
    return int(link.runs(root=node.root)[0].state["attempts"][-1]["pid"])


def test_that_a_driver_gets_a_moment_to_free_the_memory(node: LocalNode) -> None:
    pid = running(node)
    play_gpu(node, pid, times=3)
    assert node.connected[0].link.stop_run(root=node.root, run_id="r-1", grace_s=3) == []
    assert len((node.home / "asked").read_text().split()) >= 4


def test_that_memory_that_stays_is_named_with_its_gpu(node: LocalNode) -> None:
    pid = running(node)
    play_gpu(node, pid, times=10**6)
    (left,) = node.connected[0].link.stop_run(root=node.root, run_id="r-1", grace_s=3)
    assert left.what == f"GPU GPU-5a still counts 1234 MB for process {pid}"


def test_that_a_pid_that_went_to_somebody_else_is_not_the_runs(
    node: LocalNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = subprocess.Popen(["sleep", "3600"], env=node.env)
    try:
        play_gpu(node, stranger.pid, times=10**6)
        monkeypatch.setenv("PATH", node.env["PATH"])
        monkeypatch.setenv("HOME", node.env["HOME"])
        assert gpu_left.held_by({stranger.pid}) == []
        stranger.kill()
        stranger.wait()
        assert len(gpu_left.held_by({stranger.pid}, wait_s=0.0)) == 1
    finally:
        stranger.kill()
        stranger.wait()


def test_that_what_a_killed_supervisor_left_half_written_goes_with_the_stop(
    node: LocalNode,
) -> None:
    running(node)
    link = node.connected[0].link
    os.kill(link.runs(root=node.root)[0].state["supervisor"]["pid"], signal.SIGKILL)
    task = node.task_dir()
    half = task / "state.json.00112233aabb.tmp"
    half.write_text("{")
    checkpoint = task.parent.parent / "checkpoints" / ".step-3.npz.part"
    checkpoint.write_text("half")
    kept = task / "the user's own.tmp"
    kept.write_text("mine")
    assert link.stop_run(root=node.root, run_id="r-1", grace_s=3) == []
    assert not half.exists()
    assert not checkpoint.exists()
    assert not (task / "state.json.spare").exists()
    assert kept.read_text() == "mine"


def test_that_force_kills_at_once_and_tells_the_nodes_that_share_the_disk(node: LocalNode) -> None:
    pid = running(node, DEAF)
    link = node.connected[0].link
    assert link.stop_run(root=node.root, run_id="r-1", grace_s=0, depth="force") == []
    assert procs.start_time(pid) is None
    state = record.load(str(node.task_dir()))
    assert state is not None
    assert state["attempts"][-1]["signal"] == signal.SIGKILL
    orders = [
        json.loads(path.read_text())["depth"]
        for path in (Path(node.root, "runs", "r-1", "stop.json"), node.task_dir() / "stop.json")
    ]
    assert orders == ["force", "force"]
