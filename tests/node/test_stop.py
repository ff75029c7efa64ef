"""Stop means stopped: nothing that belongs to the run is left, and nothing else is touched."""

import dataclasses
import os
import signal
import socket
import subprocess
import sys
import time

from remote.node import procs, record
from tests.support.local_node import LocalNode, with_restarts
from tests.support.ports import free_port
from tests.support.waiting import until

SLEEP = "import time\nprint('up', flush=True)\ntime.sleep(3600)\n"
DEAF = "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint('deaf', flush=True)\n" + SLEEP
DOUBLE_FORK = """
import os, signal, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(15, signal.SIG_IGN)
        os.close(1)
        time.sleep(3600)
    os._exit(0)
print('forked', flush=True)
time.sleep(3600)
"""
PORT = """
import socket, time
s = socket.create_server(('127.0.0.1', %d))
print('listening', flush=True)
time.sleep(3600)
"""


def running(node: LocalNode, program: str, word: str = "up", **launch: object) -> None:
    """Start a task and wait until its program has said ``word``."""
    found = node.connect()
    node.deploy(found.link)
    made = with_restarts(node.launch(program), 3)
    found.link.start_task(dataclasses.replace(made, **launch))  # type: ignore[arg-type]
    log = node.task_dir() / "log.txt"
    until(lambda: log.exists() and word in log.read_text())


def test_that_stop_ends_a_task_and_it_is_recorded_as_stopped(node: LocalNode) -> None:
    running(node, SLEEP)
    link = node.connected[0].link
    began = time.monotonic()
    assert link.stop_run(root=node.root, run_id="r-1", grace_s=1000) == []
    assert time.monotonic() - began < 500, "a task that ends by itself is not waited for"
    assert node.processes() == []
    state = record.load(str(node.task_dir()))
    assert state is not None
    assert (state["state"], len(state["attempts"])) == ("stopped", 1)
    assert state["attempts"][0]["signal"] == signal.SIGTERM


def test_that_a_task_that_ignores_term_is_killed_after_the_grace(node: LocalNode) -> None:
    running(node, DEAF, "deaf")
    link = node.connected[0].link
    began = time.monotonic()
    assert link.stop_run(root=node.root, run_id="r-1", grace_s=0.5) == []
    assert time.monotonic() - began > 0.4
    assert node.processes() == []
    state = record.load(str(node.task_dir()))
    assert state is not None
    assert state["state"] == "stopped"


def test_that_processes_that_left_the_group_are_ended_too(node: LocalNode) -> None:
    running(node, DOUBLE_FORK, "forked")
    until(lambda: len(node.processes()) == 4)
    assert node.connected[0].link.stop_run(root=node.root, run_id="r-1", grace_s=0.5) == []
    assert node.processes() == []


def test_that_stop_works_when_the_supervisor_was_killed(node: LocalNode) -> None:
    running(node, DOUBLE_FORK, "forked")
    link = node.connected[0].link
    os.kill(link.runs(root=node.root)[0].state["supervisor"]["pid"], signal.SIGKILL)
    assert link.stop_run(root=node.root, run_id="r-1", grace_s=0.5) == []
    assert node.processes() == []


def test_that_a_stop_during_the_pause_before_a_restart_is_kept(node: LocalNode) -> None:
    running(node, "import sys\nprint('gone', flush=True)\nsys.exit(1)", "gone", backoff_s=3600.0)
    link = node.connected[0].link
    until(lambda: (record.load(str(node.task_dir())) or {}).get("state") == "restarting")
    assert link.stop_run(root=node.root, run_id="r-1", grace_s=1) == []
    state = record.load(str(node.task_dir()))
    assert state is not None
    assert (state["state"], len(state["attempts"])) == ("stopped", 1)


def test_that_term_to_the_supervisor_stops_the_task(node: LocalNode) -> None:
    running(node, SLEEP)
    link = node.connected[0].link
    os.kill(link.runs(root=node.root)[0].state["supervisor"]["pid"], signal.SIGTERM)
    until(lambda: not node.processes())
    assert link.runs(root=node.root)[0].state["state"] == "stopped"


def test_that_the_ports_are_free_afterwards_and_others_programs_untouched(node: LocalNode) -> None:
    mine, foreign = free_port(), free_port()
    other = subprocess.Popen(
        [sys.executable, "-m", "http.server", str(foreign), "--bind", "127.0.0.1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        running(node, PORT % mine, "listening", ports=(mine, foreign))
        link = node.connected[0].link
        facts = link.probe(
            root=node.root, python=None, setup=[], variables={}, ports_from=mine, gpus="none"
        )
        (holder,) = [port for port in facts.ports_in_use if port.port == mine]
        assert (holder.run_id, holder.task) == ("r-1", "worker:0")
        assert holder.pid in node.processes()
        assert "program.py" in holder.program
        assert link.stop_run(root=node.root, run_id="r-1", grace_s=3) == []
        with socket.create_server(("127.0.0.1", mine)):
            pass
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_that_only_the_exact_run_and_node_are_stopped(node: LocalNode) -> None:
    link = node.connect().link
    node.deploy(link)
    for run_id in ("r-1", "r-10"):
        link.start_task(node.launch(SLEEP, run_id=run_id))
        until(lambda run_id=run_id: len(node.processes(run_id)) == 3)  # type: ignore[misc]
    env = {**node.env, "CLEW_RUN": "r-1", "CLEW_NODE": "another node"}
    stranger = subprocess.Popen(["sleep", "3600"], env=env)
    try:
        assert link.stop_run(root=node.root, run_id="r-1", grace_s=3) == []
        assert node.processes("r-1") == []
        assert len(node.processes("r-10")) == 3
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_that_stopping_what_is_not_there_is_no_error(node: LocalNode) -> None:
    link = node.connect().link
    assert link.stop_run(root=node.root, run_id="never was", grace_s=1) == []


def test_that_a_stopped_run_is_not_started_again(node: LocalNode) -> None:
    running(node, SLEEP)
    link = node.connected[0].link
    link.stop_run(root=node.root, run_id="r-1", grace_s=3)
    assert link.start_task(node.launch(SLEEP))["state"] == "stopped"
    assert node.processes() == []


def test_that_a_pid_given_to_another_process_is_not_taken_for_ours() -> None:
    sleeper = subprocess.Popen(["sleep", "3600"])
    try:
        started = procs.start_time(sleeper.pid)
        assert started is not None
        assert procs.is_alive(sleeper.pid, started, procs.boot_id())
        assert not procs.is_alive(sleeper.pid, started + 1, procs.boot_id())
        assert not procs.is_alive(sleeper.pid, started, "another boot")
        sleeper.kill()
        until(lambda: not procs.is_alive(sleeper.pid, started, procs.boot_id()))
    finally:
        sleeper.kill()
        sleeper.wait()
