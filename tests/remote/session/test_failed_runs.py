"""Why real runs fail: a user's own program on three nodes raises, is killed, runs out of memory."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from remote.history import History
from remote.practice import PracticeCluster
from remote.session.recorded_logs import recorded_log
from remote.updates import Cause, CauseUpdate
from tests.support.sessions import practice_profile, watched
from trainer.spec import TaskId

pytestmark = pytest.mark.timeout(1500)
LIMIT_S = 400.0
W0, W1 = TaskId("worker", 0), TaskId("worker", 1)
PROGRAM = """
import json, os, resource, sys, time
import trainer
what, marker = sys.argv[1:3]
index = json.loads(os.environ["TF_CONFIG"])["task"]["index"]

class UnavailableError(Exception):
    "As TensorFlow's."

def give_up():
    raise ValueError("no such column: café")

print(f"hello from {index}", flush=True)
for step in range(1, 5):
    trainer.report(step=step, loss=1 / step, examples=4)
if index == 1:
    if what == "killed":
        open(marker, "w").close()
        os.kill(os.getpid(), 9)
    if what == "memory":
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        bytearray(1 << 34)
    give_up()
while not os.path.exists(marker):
    time.sleep(0.05)
if index == 0:
    raise UnavailableError("Connection reset by peer")
time.sleep(3600)
"""


def line_of(words: str) -> str:
    lines = PROGRAM.splitlines()
    return f"fail it.py line {next(n for n, line in enumerate(lines, 1) if words in line)}"


def cause_of_run(practice: PracticeCluster, folder: Path, what: str) -> Cause:
    """Run the program; what is pinned at the end, which is also what the history has."""
    code = folder / "nets é"
    code.mkdir()
    (code / "fail it.py").write_text(PROGRAM, encoding="utf-8")
    profile = practice_profile(
        practice.profile,
        code=str(code),
        command=json.dumps(["python", "fail it.py", what, str(folder / "marker")]),
        workers=3,
        **{"restart.max": 0},
    )
    with watched(profile, folder, known_hosts=[practice.known_hosts]) as w:
        result = w.session.launch().wait(LIMIT_S)
        assert result is not None
        assert (result.state, result.left_behind) == ("failed", ())
        assert result.cause is not None
        assert result.reason == result.cause.text
        told = [u.cause for u in w.of(CauseUpdate) if u.cause is not None]
        assert told, "it was pinned while the run was still ending"
        record = w.history.run(result.run_id)
        assert record is not None
        assert record.result == result
        _has_row(w.history, result.run_id, result.cause)
        return result.cause


def _has_row(history: History, run_id: str, cause: Cause) -> None:
    """The line that the cause names is there in the recorded log, and has a time."""
    log = recorded_log(history, run_id, cause.task)
    assert any(row.text == "hello from 1" and row.t is not None for row in log.rows)
    if cause.row is not None:
        (row,) = (row for row in log.rows if row.number == cause.row)
        assert row.text in cause.text
        assert row.level == "error"


def test_that_an_exception_is_pinned_with_the_users_line(
    practice: PracticeCluster, weird_path: Path
) -> None:
    cause = cause_of_run(practice, weird_path, "raises")
    place = line_of("raise ValueError")
    assert cause.text == f"worker:1 on node2: ValueError: no such column: café ({place})"
    assert (cause.task, cause.place, cause.found) == (W1, place, True)
    assert cause.row is not None


def test_that_a_killed_worker_is_the_cause_and_who_lost_it_is_not(
    practice: PracticeCluster, weird_path: Path
) -> None:
    cause = cause_of_run(practice, weird_path, "killed")
    assert (cause.task, cause.kind, cause.found) == (W1, "signal 9", True)
    assert re.match(
        r"worker:1 on node2: was killed (by the node )?\(signal 9", cause.text
    )  # by its counts
    followed = {c.task: c for c in cause.consequences}
    assert "UnavailableError: Connection reset by peer" in followed[W0].text
    assert not followed[W0].same


def test_that_memory_that_ran_out_is_told_with_what_to_do(
    practice: PracticeCluster, weird_path: Path
) -> None:
    cause = cause_of_run(practice, weird_path, "memory")
    assert (cause.kind, cause.place) == ("out of memory in numpy", line_of("bytearray"))
    assert "Load less data at a time" in cause.remedy


NAN_DATA = """
import numpy as np

def load():
    x, y = np.ones((64, 4), np.float32), np.arange(64) % 3
    x[7] = np.nan
    return (x, y), (x[8:], y[8:])
"""


@pytest.mark.tf
def test_that_a_loss_that_is_no_number_is_pinned(
    practice: PracticeCluster, weird_path: Path
) -> None:
    code = weird_path / "code"
    code.mkdir()
    (code / "my_data.py").write_text(NAN_DATA)
    profile = practice_profile(
        practice.profile,
        model="mlp",
        baseline="single",
        steps=200,
        batch_size=64,
        code=str(code),
        **{"dataset.name": "my_data:load"},
    )
    with watched(profile, weird_path, known_hosts=[practice.known_hosts]) as w:
        result = w.session.launch().wait(LIMIT_S)
        assert result is not None
        assert result.cause is not None
        assert (result.cause.kind, result.cause.found) == ("nan", True)
        assert result.reason.startswith("worker:0 on node1: ")
        assert "lower the learning rate" in result.reason
