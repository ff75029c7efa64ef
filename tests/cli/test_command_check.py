"""``clew check`` as a process of its own, on the practice cluster."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from remote.node import procs
from tests.support.commands import LIMIT_S, clew, objects, start_clew

pytestmark = pytest.mark.tf
NODES = ("node1", "node2", "node3")


@pytest.fixture
def mark(tmp_path: Path) -> tuple[str, str]:
    """Arguments that mark the tasks' processes as this test's."""
    return "--set", f"environment.variables.CLEW_TEST={tmp_path.name}"


def hellos(mark: tuple[str, str]) -> list[int]:
    """Processes of this test's hello."""
    name, value = mark[1].removeprefix("environment.variables.").encode().split(b"=")
    marked = [pid for pid in procs.mine() if procs.environment(pid).get(name) == value]
    return [pid for pid in marked if "trainer.hello" in procs.program(pid)]


def test_that_check_says_what_the_nodes_have_and_who_reaches_whom(
    profile: Path, data: Path, trust: dict[str, str]
) -> None:
    done = clew("check", profile, "--all", data=data, **trust)
    assert done.returncode == 0, done.stderr
    for word in (
        *("node1  ready", "TensorFlow 2", "worker:1", "ps:0"),
        *("ok  disk: ", "ok  clock: ", "ok  proxy: ", "all nodes have TensorFlow"),
        *("from \\ to", "ways that the run needs are open", "nothing is in the way"),
    ):
        assert word in done.stdout, word
    assert done.stderr == ""


def test_that_a_problem_is_status_1_with_its_remedy(
    profile: Path, data: Path, trust: dict[str, str]
) -> None:
    change = ("--set", "environment.variables.http_proxy=http://proxy:3128")
    done = clew("check", profile, *change, data=data, **trust)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()  # what all nodes have alike is told once
    assert line.startswith("Problem: node1, node2 and node3: http_proxy is set for tasks")
    assert 'Set environment.variables in the profile to {no_proxy: "' in line
    assert done.stdout.splitlines()[-1].endswith(": 1 problem.")
    assert "ok  disk: " not in done.stdout  # what is well on a node is told with --all
    assert "ways that the run needs are open" in done.stdout


def test_that_the_hello_adds_on_every_device_and_leaves_no_process(
    profile: Path, data: Path, trust: dict[str, str], mark: tuple[str, str]
) -> None:
    done = clew("check", profile, *mark, "--hello", "--json", data=data, **trust)
    items = objects(done.stdout)
    assert items[-1] == {
        "type": "result",
        "state": "finished",
        "ready": 3,
        "nodes": 3,
        "problems": 0,
        "warnings": 0,
    }, items[-1]
    assert done.returncode == 0
    devices = {item["node"]: item for item in items if item["type"] == "hello"}
    assert set(devices) == set(NODES)
    for item in devices.values():
        assert (item["device"], item["good"]) == ("CPU:0", True)
        assert item["text"].startswith("[1, 2, 3] + [4, 5, 6] = [5, 7, 9] in ")
        assert item["seconds"] > 0
    findings = [item for item in items if item["type"] == "finding"]
    assert {item["level"] for item in findings} == {"ok"}
    assert {item["node"] for item in findings} == {"", *NODES}
    ways = [item for item in items if item["type"] == "reach"]
    assert {item["state"] for item in ways} == {"open"}
    assert all(item["round_trip_s"] > 0 for item in ways)
    assert any(item["bytes_per_second"] for item in ways)
    assert {item["task"] for item in items if item["type"] == "task"} == {
        "ps:0",
        "worker:0",
        "worker:1",
    }
    assert hellos(mark) == []


def test_that_ctrl_c_ends_a_hello_on_all_nodes(
    profile: Path, data: Path, trust: dict[str, str], mark: tuple[str, str]
) -> None:
    with start_clew("check", profile, *mark, "--hello", data=data, **trust) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "TensorFlow starts" in line:
                break
        deadline = time.monotonic() + LIMIT_S
        while not hellos(mark):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 130
    assert "Traceback" not in words
    deadline = time.monotonic() + LIMIT_S
    while hellos(mark):
        assert time.monotonic() < deadline
        time.sleep(0.02)
