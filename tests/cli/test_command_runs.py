"""Real runs by command, each command a process of its own, on the practice cluster."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from remote.history import History
from remote.practice import PracticeCluster
from tests.support.commands import LIMIT_S, clew, objects, start_clew
from tests.support.sessions import file_of, recorded

pytestmark = [pytest.mark.tf, pytest.mark.timeout(1500)]

LONG = 200_000
RESULT_KEYS = [
    "type",
    "run",
    "state",
    "global_step",
    "final_loss",
    "accuracy",
    "examples",
    "examples_per_second",
    "time_to_first_step_s",
    "left_behind",
]


def tasks_left(practice: PracticeCluster) -> list[int]:
    words = ("-m trainer", "remote.node.supervisor")
    return [p.pid for p in practice.left_running() if any(word in p.command for word in words)]


def hold_tasks(practice: PracticeCluster) -> None:
    """Freeze all tasks, so that a stop of theirs takes its whole grace."""
    for process in practice.left_running():
        if "-m trainer" in process.command and "supervisor" not in process.command:
            os.kill(process.pid, signal.SIGSTOP)


@pytest.fixture(autouse=True)
def _no_task_left(practice: PracticeCluster) -> Iterator[None]:
    yield
    for pid in tasks_left(practice):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def read_until(
    process: subprocess.Popen[str], holds: Callable[[dict[str, Any]], bool]
) -> list[dict[str, Any]]:
    """The objects of a running command up to one that ``holds``."""
    assert process.stdout is not None
    found = []
    for line in process.stdout:
        found.append(json.loads(line))
        if holds(found[-1]):
            return found
    assert process.stderr is not None
    raise AssertionError(f"ended before that: {found[-5:]} {process.stderr.read()}")


def rest_of(process: subprocess.Popen[str], limit_s: float = LIMIT_S) -> tuple[str, str]:
    """What a command still says until its end."""
    timer = threading.Timer(limit_s, process.kill)
    timer.start()
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        out, err = process.stdout.read(), process.stderr.read()
        process.wait()
    finally:
        timer.cancel()
    return out, err


def is_step(item: dict[str, Any]) -> bool:
    return bool(item["type"] == "step" and item["step"] > 5)


def test_that_an_unknown_host_key_is_refused_when_nobody_can_be_asked(
    profile: Path, data: Path
) -> None:
    done = clew("check", profile, data=data)
    assert done.returncode == 1
    assert "SHA256:" in done.stderr
    assert "Nobody is here to compare it" in done.stderr
    assert "Traceback" not in done.stderr


def test_that_run_ends_with_its_result(
    practice: PracticeCluster, profile: Path, data: Path, trust: dict[str, str]
) -> None:
    words = ("run", profile, "--set", "training.steps=60", "--name", "short one")
    done = clew(*words, "--json", data=data, **trust)
    assert done.returncode == 0, done.stderr
    items = objects(done.stdout)
    result = items[-1]
    assert list(result) == RESULT_KEYS
    assert (result["state"], result["left_behind"]) == ("finished", [])
    assert result["global_step"] >= 60
    kinds = {item["type"] for item in items}
    assert {"run", "task", "step", "eval", "node", "progress", "sample", "result"} <= kinds
    assert tasks_left(practice) == []
    *runs, end = objects(clew("runs", "--json", data=data).stdout)
    assert (end["type"], end["state"]) == ("result", "ok")
    assert [(r["run"], r["name"]) for r in runs] == [(result["run"], "short one")]
    exported = clew("export", "last", "--csv", "out", data=data)
    assert exported.returncode == 0
    lines = (data / "out" / "steps.csv").read_text().splitlines()
    assert len(lines) - 1 == sum(item["type"] == "step" for item in items)


def test_that_words_for_people_hold_no_control_characters(
    profile: Path, data: Path, trust: dict[str, str]
) -> None:
    done = clew("run", profile, "--set", "training.steps=30", data=data, **trust)
    assert done.returncode == 0, done.stderr
    assert "left behind         nothing" in done.stdout
    assert "examples/s" in done.stdout
    assert "\x1b" not in done.stdout


def test_that_wrong_input_that_only_the_nodes_show_is_status_2(
    practice: PracticeCluster, profile: Path, data: Path, trust: dict[str, str]
) -> None:
    on_node = "training.dataset={name: mnist, on: node, path: /no such}"
    for change, words in (
        ("nodes.1.gpus=[7]", "asks for GPU 7"),
        (on_node, "there is no /no such on this node"),
    ):
        done = clew("run", profile, "--set", change, "--json", data=data, **trust)
        assert done.returncode == 2, done.stderr
        assert words in objects(done.stdout)[-1]["reason"]
    assert tasks_left(practice) == []


def test_that_a_data_set_of_the_wrong_kind_starts_nothing(
    practice: PracticeCluster, profile: Path, data: Path, trust: dict[str, str]
) -> None:
    wrong = data / "wrong"
    wrong.mkdir()
    (wrong / "digits.csv.gz").write_bytes(b"<html>404 Not Found</html>")
    for folder, words in ((wrong, "digits.csv.gz"), (data / "none", "no such folder")):
        change = f"training.dataset.path={json.dumps(str(folder), ensure_ascii=False)}"
        done = clew("run", profile, "--set", change, "--json", data=data, **trust)
        assert done.returncode == 2
        result = objects(done.stdout)[-1]
        assert result["state"] == "failed"
        assert words in result["reason"]
        assert "training.dataset" in result["reason"]
        assert tasks_left(practice) == []
    done = clew("run", profile, "--set", change, data=data, **trust)
    assert (done.stdout + done.stderr).count("no such folder") == 1, "the reason is told once"
    assert "examples/s" not in done.stdout, "no empty rows"
    assert "no such folder" in clew("runs", data=data).stdout


def test_that_ctrl_c_stops_the_run(
    practice: PracticeCluster, profile: Path, data: Path, trust: dict[str, str]
) -> None:
    words = ("run", profile, "--set", f"training.steps={LONG}", "--json")
    with start_clew(*words, data=data, **trust) as process:
        read_until(process, is_step)
        process.send_signal(signal.SIGINT)
        out, err = rest_of(process)
    assert process.returncode == 130
    assert "stopping" in err
    assert "Traceback" not in err
    result = objects(out)[-1]
    assert (result["type"], result["state"], result["left_behind"]) == ("result", "stopped", [])
    assert tasks_left(practice) == []


def until_trained(data: Path, trust: dict[str, str], limit_s: float = LIMIT_S) -> str:
    """What ``clew status`` says once the last run makes steps."""
    deadline = time.monotonic() + limit_s
    while True:
        done = clew("status", data=data, **trust)
        assert done.returncode == 0, done.stderr
        if "  training  since " in done.stdout and "  step " in done.stdout:
            return done.stdout
        assert time.monotonic() < deadline, done.stdout


def test_that_a_second_ctrl_c_leaves_the_run_going_and_stop_ends_it(
    practice: PracticeCluster, profile: Path, data: Path, trust: dict[str, str]
) -> None:
    words = ("run", profile, "--set", f"training.steps={LONG}", "--detach")
    started = clew(*words, data=data, **trust)
    assert started.returncode == 0, started.stderr
    run_id = started.stdout.splitlines()[-1]
    assert f"clew attach {run_id}" in started.stderr

    stands = until_trained(data, trust)
    assert f"{run_id}  " in stands
    assert "worker:1" in stands
    assert re.search(r"step [0-9,]+/200,000  loss [0-9.e-]+  [0-9.]+ s ago", stands), stands
    assert "training when last seen" in clew("runs", data=data).stdout
    told = objects(clew("status", "--json", data=data, **trust).stdout)
    assert list(told[-1])[: len(RESULT_KEYS)] == RESULT_KEYS
    assert told[-1]["state"] == "training"
    assert told[-1]["global_step"] > 0

    with start_clew("attach", run_id[-4:], "--json", data=data, **trust) as process:
        items = read_until(process, is_step)
        assert {i["state"] for i in items if i["type"] == "run"} == {"training"}
        process.send_signal(signal.SIGINT)  # an attached run is only left
        _, err = rest_of(process)
    assert process.returncode == 130
    assert f"clew stop {run_id}" in err
    assert tasks_left(practice), "it goes on"

    stopped = clew("stop", "last", "--json", data=data, **trust)
    assert stopped.returncode == 0, stopped.stderr
    result = objects(stopped.stdout)[-1]
    assert (result["run"], result["state"], result["left_behind"]) == (run_id, "stopped", [])
    assert tasks_left(practice) == []


def test_that_a_closed_pipe_says_what_becomes_of_the_run(
    practice: PracticeCluster, profile: Path, data: Path, trust: dict[str, str]
) -> None:
    for more in ((), ("--json",)):
        words = ("run", profile, "--set", f"training.steps={LONG}", *more)
        with start_clew(*words, data=data, **trust) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            for line in process.stdout:
                if line.startswith("training") or '"state": "training"' in line:
                    break
            process.stdout.close()
            err = process.stderr.read()
            process.wait(LIMIT_S)
        assert process.returncode == 1
        assert "goes on. Watch it: clew attach" in err
        run_id = re.findall(r"clew stop (\S+)\.", err)[0]
        assert tasks_left(practice), "it goes on"
        told = clew("stop", run_id, "--json", data=data, **trust)
        assert objects(told.stdout)[-1]["state"] == "stopped"


def test_that_a_second_ctrl_c_says_that_stopping_was_asked_for(
    practice: PracticeCluster, profile: Path, data: Path, trust: dict[str, str]
) -> None:
    words = ("run", profile, "--set", f"training.steps={LONG}", "--json")
    with start_clew(*words, data=data, **trust) as process:
        read_until(process, is_step)
        hold_tasks(practice)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        line = ""
        while "stopping" not in line:
            line = process.stderr.readline()
            assert line
        process.send_signal(signal.SIGINT)
        out, err = rest_of(process)
    assert process.returncode == 130
    assert "stopping was asked for; clew status" in err
    assert "goes on" not in err
    assert objects(out)[-1]["type"] == "result"
    clew("stop", "last", data=data, **trust)
    assert tasks_left(practice) == []


def test_that_a_detached_run_ends_its_objects_with_a_result_and_knows_its_epochs_steps(
    practice: PracticeCluster, profile: Path, data: Path, trust: dict[str, str]
) -> None:
    words = ("run", profile, "--set", "training.epochs=20000", "--detach", "--json")
    told = objects(clew(*words, data=data, **trust).stdout)
    assert list(told[-1]) == RESULT_KEYS
    with start_clew("attach", "last", "--json", data=data, **trust) as process:
        read_until(process, lambda i: i["type"] == "task" and (i["total_steps"] or 0) > 1000)
        process.send_signal(signal.SIGINT)
        out, _ = rest_of(process)
    assert objects(out)[-1]["type"] == "result"
    clew("stop", "last", data=data, **trust)
    assert tasks_left(practice) == []


def test_that_a_command_killed_hard_costs_the_run_nothing(
    practice: PracticeCluster, profile: Path, data: Path, trust: dict[str, str]
) -> None:
    words = ("run", profile, "--set", f"training.steps={LONG}", "--json")
    with start_clew(*words, data=data, **trust) as process:
        items = read_until(process, is_step)
        process.kill()
        process.wait()
    run_id = next(item["run"] for item in items if item["type"] == "run")
    time.sleep(1.5)
    assert len(tasks_left(practice)) == 9, "three tasks, their supervisors and guards go on"
    with start_clew("attach", run_id, "--json", data=data, **trust) as process:
        seen: list[int] = []
        newest = max(item["step"] for item in items if item["type"] == "step")
        for item in read_until(process, lambda i: i["type"] == "step" and i["step"] > newest + 50):
            if item["type"] == "step":
                seen.append(item["step"])
        assert min(seen) <= 2, "what was recorded before is told again"
        done = clew("stop", run_id, data=data, **trust)
        assert done.returncode == 0, done.stderr
        out, _ = rest_of(process)
    assert process.returncode == 130
    assert objects(out)[-1]["state"] == "stopped"
    history = History(data / "history.db")
    for record in history.tasks(run_id):
        home = next(n.home for n in practice.nodes if n.name == record.node)
        task = str(record.task)
        assert recorded(history, run_id, task) == file_of(home, run_id, task).read_bytes()
    history.close()


@pytest.mark.skipif(find_spec("gui.render") is None, reason="the renderer is not here")
def test_that_the_demo_runs_without_a_display_and_draws_its_charts(data: Path) -> None:
    picture = data / "chärts.png"
    done = clew("demo", "--nodes", "2", "--steps", "80", "--png", picture, data=data)
    assert done.returncode == 0, done.stderr
    assert "left behind         nothing" in done.stdout
    assert str(picture) in done.stdout
    content = picture.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) > 10_000


def test_that_a_demo_that_is_left_leaves_nothing_on_its_nodes(data: Path) -> None:
    with start_clew("demo", "--json", "--steps", LONG, data=data) as process:
        read_until(process, is_step)
        process.send_signal(signal.SIGTERM)
        _, err = rest_of(process)
    assert "Traceback" not in err
    home = b"HOME=" + os.fsencode(data)
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            assert home not in entry.read_bytes(), entry
