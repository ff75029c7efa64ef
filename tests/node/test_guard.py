"""Supervisors that are killed: the task goes on, its end is known, and nobody is left alone."""

import dataclasses
import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from remote.link import TaskLaunch
from remote.node import procs, record
from remote.node.guard import parse_exits
from tests.support.local_node import LocalNode, with_restarts
from tests.support.waiting import until
from trainer.lease import LOST, kill_later

UNTIL_TOLD = """
import os, sys, time
print('up', flush=True)
while not os.path.exists('go on'):
    time.sleep(0.02)
sys.exit(int(open('go on').read()))
"""


def started(node: LocalNode, launch: TaskLaunch) -> dict[str, Any]:
    """Start a task; its record once its process has said something."""
    found = node.connect()
    node.deploy(found.link)
    found.link.start_task(launch)
    log = node.task_dir() / "log.txt"
    until(lambda: log.exists() and "up" in log.read_text())
    return attempted(node)


def state_of(node: LocalNode) -> dict[str, Any]:
    return record.load(str(node.task_dir())) or {}


def attempted(node: LocalNode) -> dict[str, Any]:
    until(lambda: (state_of(node).get("attempts") or [{}])[-1].get("pid"))
    return state_of(node)


def kill_supervisor(node: LocalNode) -> dict[str, Any]:
    """Kill it and wait for the next one; the record that this one has written."""
    old = state_of(node)["supervisor"]
    os.kill(old["pid"], signal.SIGKILL)
    until(lambda: state_of(node)["supervisor"]["pid"] != old["pid"])
    return state_of(node)


def go_on(node: LocalNode, status: int) -> None:
    part = node.task_dir() / "part"
    part.write_text(str(status))
    part.rename(node.task_dir() / "go on")


def ended(node: LocalNode) -> dict[str, Any]:
    until(lambda: state_of(node).get("state") in record.FINAL, what=lambda: state_of(node))
    until(lambda: not node.processes())
    return state_of(node)


def test_that_a_killed_supervisor_is_replaced_and_the_tasks_end_is_known(node: LocalNode) -> None:
    before = started(node, node.launch(UNTIL_TOLD))
    after = kill_supervisor(node)
    after = kill_supervisor(node)
    assert after["attempts"] == before["attempts"], "the task was not touched"
    assert after["supervisor"]["guard"] == before["supervisor"]["guard"]
    assert node.connected[0].link.runs(root=node.root)[0].task_alive
    go_on(node, 7)
    state = ended(node)
    assert (state["state"], state["reason"]) == ("failed", "ended with exit status 7: up")
    assert [a["exit_code"] for a in state["attempts"]] == [7]


def test_that_an_end_between_two_supervisors_is_not_lost(node: LocalNode) -> None:
    before = started(node, node.launch(UNTIL_TOLD))
    guard, task = before["supervisor"]["guard"]["pid"], before["attempts"][0]
    os.kill(guard, signal.SIGSTOP)
    try:
        os.kill(before["supervisor"]["pid"], signal.SIGKILL)
        go_on(node, 0)
        until(lambda: not procs.is_alive(task["pid"], task["start_time"], task["boot_id"]))
    finally:
        os.kill(guard, signal.SIGCONT)
    state = ended(node)
    assert (state["state"], state["attempts"][0]["exit_code"]) == ("finished", 0)


def test_that_a_task_goes_on_without_its_guard(node: LocalNode) -> None:
    before = started(node, node.launch(UNTIL_TOLD))
    os.kill(before["supervisor"]["guard"]["pid"], signal.SIGKILL)
    until(lambda: state_of(node)["supervisor"]["guard"] is None)
    go_on(node, 0)
    state = ended(node)
    assert (state["state"], len(state["attempts"])) == ("finished", 1)


def test_that_a_new_supervisor_keeps_count_of_the_restarts(node: LocalNode) -> None:
    program = "import os, sys\nprint('up', flush=True)\nsys.exit(3)"
    launch = dataclasses.replace(with_restarts(node.launch(program), 2), backoff_s=1.0)
    started(node, launch)
    until(lambda: state_of(node)["state"] == "restarting")
    assert kill_supervisor(node)["restarts"]["used"] >= 1
    state = ended(node)
    assert state["state"] == "failed"
    assert [a["attempt"] for a in state["attempts"]] == [1, 2, 3]


def test_that_term_to_the_guard_stops_the_task(node: LocalNode) -> None:
    before = started(node, node.launch(UNTIL_TOLD))
    os.kill(before["supervisor"]["guard"]["pid"], signal.SIGTERM)
    assert ended(node)["state"] == "stopped"


def test_that_a_stop_finds_what_a_killed_supervisor_has_left(node: LocalNode) -> None:
    before = started(node, node.launch(UNTIL_TOLD))
    os.kill(before["supervisor"]["guard"]["pid"], signal.SIGKILL)
    until(lambda: state_of(node)["supervisor"]["guard"] is None)
    os.kill(before["supervisor"]["pid"], signal.SIGKILL)
    link = node.connected[0].link
    until(lambda: not link.runs(root=node.root)[0].supervisor_alive)
    assert link.runs(root=node.root)[0].task_alive
    assert link.stop_run(root=node.root, run_id="r-1", grace_s=3) == []
    assert node.processes() == []
    assert state_of(node)["state"] == "stopped"


def test_that_a_task_ends_itself_when_guard_and_supervisor_were_killed(node: LocalNode) -> None:
    launch = node.launch("")
    script = "sleep 3600 & echo up; wait"
    training = dataclasses.replace(launch.spec.training, command=("sh", "-c", script))
    spec = dataclasses.replace(launch.spec, training=training)
    before = started(
        node, dataclasses.replace(launch, spec=spec, arguments=("-m", "trainer.script"))
    )
    boss = before["supervisor"]
    for pid in (boss["guard"]["pid"], boss["pid"]):
        os.kill(pid, signal.SIGSTOP)  # so that neither acts on the other's end
    for pid in (boss["guard"]["pid"], boss["pid"]):
        os.kill(pid, signal.SIGKILL)
    until(lambda: not node.processes())
    events = Path(node.task_dir(), "events.jsonl").read_text().splitlines()
    assert LOST in [json.loads(line).get("text") for line in events]


def test_that_what_ignores_the_request_is_killed_later_and_the_killer_ends() -> None:
    deaf = subprocess.Popen(
        ["sh", "-c", "trap '' TERM; echo up; exec sleep 3600"],
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert deaf.stdout is not None
    with deaf.stdout:
        deaf.stdout.readline()
        os.killpg(deaf.pid, signal.SIGTERM)
        killer = kill_later(deaf.pid, 1)
        assert deaf.wait(60) == -signal.SIGKILL
        assert killer.wait(60) == 0
    gone = kill_later(deaf.pid, 3600)
    assert gone.wait(60) == 0


def test_that_exits_are_read_line_by_line() -> None:
    assert parse_exits(b"12 256\n13 9\n") == {12: 256, 13: 9}
    assert parse_exits(b"\nx y\n1 2 3\n7") == {}
