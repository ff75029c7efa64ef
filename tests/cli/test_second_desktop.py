"""A run outlives its desktop; that one and others find it again, and all that it did meanwhile."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from remote.history import History
from remote.practice import PracticeCluster
from tests.support.commands import clew, objects, start_clew
from tests.support.sessions import file_of, recorded
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(900)

NAME = "Größe 7"

SCRIPT = """
import os, time
import trainer
for step in range(1, 401):
    trainer.report(step=step, loss=1 / step, examples=4)
    if step % 100 == 0:
        print("at", step, "größer")
    time.sleep(0.03)
    while step == 300 and not os.path.exists(GO):
        time.sleep(0.1)  # until the test has seen what it wants to see
"""


@pytest.fixture
def profile(practice: PracticeCluster, weird_path: Path) -> Iterator[Path]:
    """The practice cluster's, with a program that takes its time; nothing of it is left."""
    code = weird_path / "my 'code'"
    code.mkdir()
    (code / "slow.py").write_text(SCRIPT.replace("GO", repr(str(weird_path / "go"))))
    text = practice.profile.read_text(encoding="utf-8").partition("training:")[0]
    training = {"code": str(code), "command": ["python", "slow.py"], "workers": 2, "ps": 1}
    path = weird_path / "prøfile.yaml"
    path.write_text(f"{text}training: {json.dumps(training)}\n", encoding="utf-8")
    yield path
    for process in practice.left_running():
        if "sampler" not in process.command:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)


@pytest.fixture
def trust(practice: PracticeCluster) -> dict[str, str]:
    return {"CLEW_KNOWN_HOSTS": str(practice.known_hosts)}


def folder(parent: Path, name: str) -> Path:
    made = parent / name
    made.mkdir()
    return made


def launch_and_kill(
    practice: PracticeCluster, profile: Path, desktop: Path, trust: dict[str, str]
) -> str:
    """Start a run, and kill its desktop as soon as its tasks have been started."""
    process = start_clew("run", profile, "--name", NAME, "--json", data=desktop, **trust)
    try:
        assert process.stdout is not None
        told: list[dict[str, Any]] = []
        for line in process.stdout:
            told.append(json.loads(line))
            if told[-1]["type"] == "run":
                break
        run_id = str(told[-1]["run"])
        until(lambda: len(records(practice, run_id)) == 3)
    finally:
        process.kill()
        process.communicate()
    return run_id


def profile_of_another_run(profile: Path) -> Path:
    """The same nodes, and another training on them."""
    text = profile.read_text(encoding="utf-8").partition("training:")[0]
    other = profile.with_name("øther.yaml")
    other.write_text(f"{text}training: {{model: mlp, steps: 7}}\n", encoding="utf-8")
    return other


def records(practice: PracticeCluster, run_id: str) -> list[Path]:
    return list(practice.folder.glob(f"*/**/.clew/runs/{run_id}/*/*/state.json"))


def assert_complete(practice: PracticeCluster, desktop: Path, run_id: str) -> None:
    """The history has every event of every task, each once, every log, and every second."""
    history = History(desktop / "history.db")
    homes = {node.name: node.home for node in practice.nodes}
    for record in history.tasks(run_id):
        task, home = record.task, homes[record.node]
        assert recorded(history, run_id, str(task)) == file_of(home, run_id, str(task)).read_bytes()
        log = file_of(home, run_id, str(task), "log.txt").read_bytes()
        assert history.log_bytes(run_id, task) == (0, log)
        series = history.steps(run_id)[task]
        assert list(series.steps) == list(range(1, 401))
        own = [s for s in history.samples(run_id) if s.node == record.node]
        ticks = sorted(s.tick or 0.0 for s in own if s.t < series.times[-1] + 1)
        assert series.times[-1] - series.times[0] - 20 < ticks[-1] - ticks[0], "from start to end"
        gaps = [b - a for a, b in pairwise(ticks)]
        assert max(gaps) < 10, "there is a sample of every moment"
        assert min(gaps) > 0.3, "and no moment has two"
    history.close()


def test_that_a_run_whose_desktop_is_killed_at_its_launch_is_found_and_complete(
    practice: PracticeCluster, profile: Path, weird_path: Path, trust: dict[str, str]
) -> None:
    first, second = folder(weird_path, "first"), folder(weird_path, "second")
    run_id = launch_and_kill(practice, profile, first, trust)

    def at_300() -> bool:
        files = [path.with_name("events.jsonl") for path in records(practice, run_id)]
        return all(p.exists() and re.search(rb"[\[,] ?300[\],]", p.read_bytes()) for p in files)

    until(at_300)
    other = profile_of_another_run(profile)
    listed = clew("runs", other, "--json", data=second, **trust)
    assert listed.returncode == 0, listed.stderr
    (found,) = [o for o in objects(listed.stdout) if o.get("run") == run_id]
    assert (found["alive"], found["state"], found["name"]) == (True, "training", NAME)
    history = History(second / "history.db")
    record = history.find(run_id)
    assert "slow.py" in record.profile, "what the run trains, not what the other profile would"
    assert json.loads(record.training)["command"] == ["python", "slow.py"]
    history.close()
    (weird_path / "go").touch()
    watched = clew("attach", run_id, "--json", data=second, **trust)
    assert watched.returncode == 0, watched.stderr
    result = objects(watched.stdout)[-1]
    assert (result["state"], result["left_behind"]) == ("finished", [])
    assert_complete(practice, second, run_id)

    # The one that was killed is opened again, after the end.
    again = clew("attach", "last", "--json", data=first, **trust)
    assert again.returncode == 0, again.stderr
    assert objects(again.stdout)[-1]["state"] == "finished"
    assert_complete(practice, first, run_id)
    table = clew("runs", other, data=folder(weird_path, "third"), **trust)
    (line,) = [line for line in table.stdout.splitlines() if run_id in line]
    assert NAME in line
    assert "finished" in line
    assert "last seen" not in line, "its nodes have just been asked"


def test_that_one_desktop_controls_a_run_and_another_asks_before_it_stops_it(
    practice: PracticeCluster, profile: Path, weird_path: Path, trust: dict[str, str]
) -> None:
    first, second = folder(weird_path, "first"), folder(weird_path, "second")
    named = {**trust, "CLEW_DESKTOP_NAME": "ana@läptop"}
    process = start_clew("run", profile, "--json", data=first, **named)
    try:
        run_id = seen_until(process, lambda o: o["type"] == "step")
        other = start_clew("attach", run_id, "--profile", profile, "--json", data=second, **trust)
        try:
            seen_until(other, lambda o: o.get("controlled_from") == "ana@läptop")
            words = ("stop", run_id, "--profile", profile, "--json")
            refused = clew(*words, data=second, **trust)
            assert refused.returncode == 1
            assert "is controlled from ana@läptop" in objects(refused.stdout)[-1]["reason"]
            assert "--take-control" in objects(refused.stdout)[-1]["reason"]
            assert process.poll() is None
            stopped = clew(*words, "--take-control", data=second, **trust)
            assert stopped.returncode == 0, stopped.stdout + stopped.stderr
            for watcher in (other, process):
                assert watcher.stdout is not None
                last = objects(watcher.stdout.read())[-1]
                assert (last["type"], last["state"]) == ("result", "stopped")
        finally:
            other.kill()
            other.communicate()
    finally:
        process.kill()
        process.communicate()


def seen_until(process: subprocess.Popen[str], holds: Callable[[dict[str, Any]], bool]) -> str:
    """The run that a command tells of, once it has told an object that ``holds``."""
    assert process.stdout is not None
    run_id, told = "", {}
    for line in process.stdout:
        told = json.loads(line)
        run_id = told.get("run") or run_id
        if holds(told):
            return str(run_id)
    assert process.stderr is not None
    raise AssertionError(f"it ended before that with {told}: {process.stderr.read()}")
