"""``clew sweep`` and the depths of ``clew stop``, on the practice cluster, without TensorFlow."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remote.practice import PracticeCluster
from remote.profile import load
from tests.support.commands import LIMIT_S, clew, command, objects, start_clew, surroundings
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(900)
DEAF = """\
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(["setsid", "sh", "-c", "trap '' TERM; while :; do sleep 0.5; done"])
print("deaf", flush=True)
time.sleep(3600)
"""


@pytest.fixture
def sleeper(profile: Path, data: Path) -> Path:
    """A profile whose tasks ignore SIGTERM and fork a child out of their group."""
    code = data / "code"
    code.mkdir()
    (code / "deaf.py").write_text(DEAF)
    text = profile.read_text().partition("training:")[0]
    training = {"code": str(code), "command": ["python", "deaf.py"], "workers": 2, "ps": 0}
    path = data / "sleeper.yaml"
    path.write_text(f"{text}training: {json.dumps(training)}\n")
    assert load(path).profile.training.command
    return path


def ours(practice: PracticeCluster) -> list[int]:
    words = ("supervisor", "trainer.script", "deaf.py", "trap '' TERM")
    return [p.pid for p in practice.left_running() if any(word in p.command for word in words)]


@pytest.fixture(autouse=True)
def _nothing_left(practice: PracticeCluster) -> Iterator[None]:
    yield
    for pid in ours(practice):
        os.kill(pid, signal.SIGKILL)
    until(lambda: not ours(practice))


def launch(practice: PracticeCluster, path: Path, data: Path, trust: dict[str, str]) -> str:
    """Start the run and leave it; its id."""
    done = clew("run", path, "--detach", "--json", data=data, **trust)
    assert done.returncode == 0, done.stdout + done.stderr
    until(lambda: len([p for p in practice.left_running() if "trap '' TERM" in p.command]) >= 2)
    return str(objects(done.stdout)[-1]["run"])


def swept(path: Path, data: Path, trust: dict[str, str], *words: str) -> list[dict[str, Any]]:
    done = clew("sweep", path, "--json", *words, data=data, **trust)
    assert "Traceback" not in done.stderr
    return objects(done.stdout)


def leftovers(items: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [item for item in items if item["type"] == "leftover" and item["kind"] == kind]


def test_that_a_sweep_leaves_what_lives_and_ends_what_is_left(
    practice: PracticeCluster, sleeper: Path, data: Path, trust: dict[str, str]
) -> None:
    run_id = launch(practice, sleeper, data, trust)
    before = set(ours(practice))
    *items, result = swept(sleeper, data, trust)
    mine = [item for item in leftovers(items, "process") if item["run"] == run_id]
    assert len(mine) == 2, "each task once, although all nodes see all processes"
    assert {item["removable"] for item in mine} == {False}
    assert {len(item["nodes"]) for item in mine} <= {1, 2, 3}
    assert set(ours(practice)) >= before, "a run that goes on is not touched"
    assert result["state"] == "finished"

    other = data / "another desktop"
    other.mkdir()
    theirs = leftovers(swept(sleeper, other, trust), "process")
    words = {item["why"] for item in theirs if item["run"] == run_id}
    assert len(words) == 1
    assert "a run of another desktop" in words.pop()
    assert set(ours(practice)) >= before

    for process in practice.left_running():
        # Their supervisors and the tasks themselves are killed: what they forked goes on.
        if "trap '' TERM" not in process.command and process.pid in before:
            os.kill(process.pid, signal.SIGKILL)
    until(lambda: len(ours(practice)) == 2)
    words_shown = choose_at_terminal(sleeper, data, trust, run_id)
    assert words_shown.count("[x] process") >= 2
    assert "its task and its supervisor are gone" in words_shown
    assert "Removed 2 of 2" in words_shown
    assert ours(practice) == []


def choose_at_terminal(path: Path, data: Path, trust: dict[str, str], run_id: str) -> str:
    """Run the sweep at a terminal of its own, have it remove one run's; what it showed."""
    main, side = pty.openpty()
    env = surroundings(data, COLUMNS="200", TERM="dumb", **trust)
    process = subprocess.Popen(command("sweep", path), cwd=data, env=env, stdin=side, stdout=side,
                               stderr=side, start_new_session=True)  # fmt: skip
    os.close(side)
    shown, end, answered = b"", time.monotonic() + LIMIT_S, False
    try:
        while time.monotonic() < end:
            try:
                piece = os.read(main, 4096)
            except OSError:
                break  # the other end is closed
            shown += piece
            if not answered and b"[y/N" in shown:
                # Others on this machine may have left something, too: that is theirs.
                lines = shown.decode("utf-8", "replace").splitlines()
                numbers = [line.split()[0] for line in lines if run_id in line and "[x]" in line]
                answered = os.write(main, f"{','.join(numbers)}\n".encode()) > 0
        assert process.wait(LIMIT_S) == 0, shown
    finally:
        process.kill()
        process.wait()
        os.close(main)
    sys.stdout.write(shown.decode("utf-8", "replace"))
    return shown.decode("utf-8", "replace")


def test_that_a_stop_survives_its_desktop_and_is_raised_from_another_one(
    practice: PracticeCluster, sleeper: Path, data: Path, trust: dict[str, str]
) -> None:
    run_id = launch(practice, sleeper, data, trust)
    patient = ("stop", run_id, "--after-checkpoint", "--json")
    with start_clew(*patient, data=data, **trust) as first:
        wait_for_waiting(first)
        first.kill()
    assert len(ours(practice)) >= 4, "the tasks are deaf, and have five minutes"
    listed = objects(clew("runs", "--json", data=data).stdout)[0]
    assert len(listed["stops_when_heard"]) == 2

    other = data / "another desktop"
    other.mkdir()
    began = time.monotonic()
    with start_clew(*patient, data=data, **trust) as again:
        try:
            wait_for_waiting(again)
            words = ("stop", run_id, "--force", "--take-control", "--json", "--profile", sleeper)
            forced = clew(*words, data=other, **trust)
            out, _ = again.communicate(timeout=LIMIT_S)
        finally:
            again.kill()
    assert (forced.returncode, again.returncode) == (0, 0), forced.stderr
    for told in (forced.stdout, out):
        assert objects(told)[-1]["left_behind"] == []
    assert time.monotonic() - began < 290, "neither waited for the five minutes"
    assert ours(practice) == []
    assert objects(clew("runs", "--json", data=data).stdout)[0]["stops_when_heard"] == []


def wait_for_waiting(process: subprocess.Popen[str]) -> None:
    """Read what a stop tells until it has told the nodes, and says whom it waits for."""
    assert process.stdout is not None
    for line in process.stdout:
        if "waiting for worker:" in line:
            return
    raise AssertionError("it does not say whom it waits for")
