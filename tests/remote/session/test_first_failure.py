"""The first real cause is pinned, what followed is marked as such, and no cause is an answer."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from remote.cli.jsonlines import dump, result
from remote.history import History, PlacedEvent, RunRecord, StoredEvent
from remote.session.picture import RunPicture
from remote.session.tasks import Task
from remote.updates import Cause, CauseUpdate
from trainer.events import LOG_SAYS_MORE, Event, Failed, Started
from trainer.spec import EXIT_BAD_SPEC, EXIT_LOST_PEER, TaskId

PS, W0, W1, W2 = TaskId("ps", 0), TaskId("worker", 0), TaskId("worker", 1), TaskId("worker", 2)
NODES = {PS: "gpu001", W0: "gpu001", W1: "gpu002", W2: "gpu003"}
FIXTURES = Path(__file__).parents[2] / "fixtures"
CODE = "/home/ana/.clew/data/code-0123456789abcdef0123456789abcdef/train.py"
TRACEBACK = f"""step 3 loss 2.1
Traceback (most recent call last):
  File "{CODE}", line 12, in <module>
    step()
ValueError: no such column: café
"""
UNAVAILABLE = """Traceback (most recent call last):
  File "/v/lib/python3.11/site-packages/tensorflow/python/client/session.py", line 1402, in _do_call
    return fn(*args)
tensorflow.python.framework.errors_impl.UnavailableError: Connection reset by peer
"""


class Run:
    """Four tasks whose records, events and logs a test writes."""

    def __init__(self) -> None:
        tasks = [Task(task=task, node=node, root="/r") for task, node in NODES.items()]
        self.picture = RunPicture("20261130-1502-k3f9", tasks, launched_at=1000.0)
        self._offsets = dict.fromkeys(NODES, 0)

    def log(self, task: TaskId, text: str) -> None:
        data = text.encode()
        self.picture.log(task, self._offsets[task], data, reset=False, read_at=1500.0)
        self._offsets[task] += len(data)

    def failed(self, task: TaskId, reason: str, attempt: int = 1) -> None:
        inner = Event(t=1003.0, seq=0, attempt=attempt, body=Failed(reason=reason))
        stored = StoredEvent(0, 1003.0, b"", PlacedEvent(0, b"", inner).event)
        self.picture.event(task, stored, 0.0)

    def ended(self, task: TaskId, at: float, state: str = "failed", **how: Any) -> None:
        """One attempt that ended, its log's last lines in its record as a supervisor has them."""
        attempt = {"attempt": 1, "started_at": 1001.0, "ended_at": at, "exit_code": None}
        attempt |= {"signal": None, "oom": False, "last_lines": []} | how
        record = {"state": state, "reason": how.pop("reason", ""), "attempts": [attempt]}
        self.picture.record(task, record, False, 1600.0, 1.0)

    def cause(self) -> Cause:
        found = self.picture.first_failure()
        assert found is not None
        return found


@pytest.fixture
def run() -> Run:
    return Run()


def tail(text: str) -> list[str]:
    return [line for line in text.splitlines() if line][-20:]


def test_that_the_killed_worker_is_pinned_and_those_who_lost_it_are_marked(run: Run) -> None:
    text = (FIXTURES / "killed-worker.log").read_text()
    run.log(W1, text)
    run.ended(W1, 1010.0, state="restarting", signal=9, last_lines=tail(text))
    run.log(W2, UNAVAILABLE)
    run.ended(W2, 1009.5, exit_code=1, last_lines=tail(UNAVAILABLE))
    run.failed(W0, "gave up after waiting 600 s for worker:1 at gpu002:2221; see that task's log")
    run.ended(W0, 1012.0, exit_code=EXIT_LOST_PEER)
    cause = run.cause()
    assert cause.found
    assert (cause.task, cause.node, cause.kind) == (W1, "gpu002", "signal 9")
    assert cause.text.startswith("worker:1 on gpu002: was killed by the node (signal 9), probably")
    assert "memory runs out" in cause.meaning
    assert [(c.task, c.same) for c in cause.consequences] == [(W2, False), (W0, False)]
    assert "UnavailableError: Connection reset by peer" in cause.consequences[0].text


def test_that_a_traceback_gives_the_exception_and_the_users_line(run: Run) -> None:
    run.log(W1, TRACEBACK)
    run.failed(W1, f"python train.py ended with exit status 1{LOG_SAYS_MORE}")
    run.ended(W1, 1010.0, exit_code=1, last_lines=tail(TRACEBACK))
    cause = run.cause()
    assert cause.text == "worker:1 on gpu002: ValueError: no such column: café (train.py line 12)"
    assert (cause.kind, cause.place, cause.row) == ("exception", "train.py line 12", 4)


def test_that_the_same_failure_everywhere_is_one_cause(run: Run) -> None:
    for task, at in ((W2, 1010.0), (W0, 1010.5), (W1, 1011.0)):
        run.log(task, TRACEBACK)
        run.ended(task, at, exit_code=1, last_lines=tail(TRACEBACK))
    cause = run.cause()
    assert cause.task == W2
    assert [(c.task, c.same) for c in cause.consequences] == [(W0, True), (W1, True)]


def test_that_a_known_message_says_what_to_do(run: Run) -> None:
    text = (
        "Traceback (most recent call last):\n"
        "OSError: [Errno 28] No space left on device: '/scratch/é'\n"
    )
    run.log(W0, text)
    run.ended(W0, 1010.0, exit_code=1, last_lines=tail(text))
    cause = run.cause()
    assert cause.kind == "disk full"
    assert cause.meaning == "The disk that the program writes to is full."
    assert "Make room" in cause.remedy


def test_that_a_long_message_is_found_though_its_beginning_left_the_record(run: Run) -> None:
    more = "".join(f"  detail {n} of the graph\n" for n in range(30))
    text = TRACEBACK + more
    run.log(W0, text)
    run.ended(W0, 1010.0, exit_code=1, last_lines=tail(text))
    assert run.cause().place == "train.py line 12"


def test_that_an_exception_that_was_overcome_is_not_pinned(run: Run) -> None:
    text = TRACEBACK + "".join(f"step {n} loss 1.0\n" for n in range(100))
    run.log(W0, text)
    run.ended(W0, 1010.0, exit_code=3, last_lines=[*tail(text)[:-1], "giving up: no data"])
    cause = run.cause()
    assert cause.text.endswith("ended with exit status 3; its last words: giving up: no data")
    assert (cause.kind, cause.meaning, cause.row) == ("", "", None)


def test_that_a_signal_is_not_explained_by_an_old_traceback(run: Run) -> None:
    run.log(W0, TRACEBACK)
    run.ended(W0, 1010.0, signal=9, last_lines=tail(TRACEBACK))
    cause = run.cause()
    assert cause.kind == "signal 9"
    assert cause.place in ("", "train.py line 12")
    assert "killed by the node" in cause.text


def test_that_nan_is_pinned_with_clews_own_sentence(run: Run) -> None:
    run.failed(W0, "the loss became nan at step 12; lower the learning rate or check the data")
    run.ended(W0, 1010.0, exit_code=EXIT_BAD_SPEC)
    run.failed(
        W1, "worker:0 ended the run: the loss became nan at step 12; lower the learning rate"
    )
    run.ended(W1, 1010.4, exit_code=69)
    cause = run.cause()
    assert (cause.kind, cause.task) == ("nan", W0)
    assert cause.text.endswith(
        "the loss became nan at step 12; lower the learning rate or check the data"
    )
    assert cause.meaning == "", "the sentence says it"


def test_that_own_code_is_pinned_with_its_place(run: Run) -> None:
    run.log(W0, TRACEBACK)
    run.failed(W0, f"model train:build failed at {CODE} line 12: ValueError: no; correct that code")
    run.ended(W0, 1010.0, exit_code=EXIT_BAD_SPEC, last_lines=tail(TRACEBACK))
    cause = run.cause()
    assert cause.place == "train.py line 12"
    assert cause.row == 4


def test_that_without_a_cause_on_record_that_is_said(run: Run) -> None:
    run.failed(W1, "gave up after waiting 600 s for ps:0 at gpu001:2220; see that task's log")
    run.ended(W1, 1012.0, exit_code=EXIT_LOST_PEER)
    cause = run.cause()
    assert not cause.found
    assert "cause not found: nothing on record says what happened to ps:0 on gpu001" in cause.text
    run.picture.lost("gpu001", since=1200.0)
    assert "gpu001, where ps:0 ran, does not answer" in run.cause().text


def test_that_a_running_run_tells_what_is_wrong_and_when_it_is_over(run: Run) -> None:
    run.ended(W1, 1010.0, state="restarting", signal=9)
    (told,) = (u for u in run.picture.tick(5.0) if isinstance(u, CauseUpdate))
    assert told.cause is not None
    assert told.cause.task == W1
    assert not any(isinstance(u, CauseUpdate) for u in run.picture.tick(6.0)), "once"
    again: dict[str, Any] = {"attempt": 2, "started_at": 1011.0, "ended_at": None, "last_lines": []}
    first = {"attempt": 1, "started_at": 1001.0, "ended_at": 1010.0, "signal": 9, "last_lines": []}
    record = {"state": "running", "reason": "", "attempts": [first, again]}
    run.picture.record(W1, record, True, 1600.0, 7.0)
    (told,) = (u for u in run.picture.tick(8.0) if isinstance(u, CauseUpdate))
    assert told.cause is None


def test_that_the_cause_is_kept_with_the_result(run: Run, tmp_path: Path) -> None:
    run.ended(W1, 1010.0, signal=9, oom=True)
    run.failed(W0, "gave up after waiting 600 s for worker:1")
    run.ended(W0, 1012.0, exit_code=EXIT_LOST_PEER)
    ended = run.picture.result("failed", run.picture.cause(), ())
    history = History(tmp_path / "history.db")
    history.add_run(RunRecord(run_id=ended.run_id, name="é", started_at=1.0), [])
    history.finish(ended, 2.0)
    record = history.run(ended.run_id)
    history.close()
    assert record is not None
    assert record.result == ended
    told = json.loads(dump(result(ended)))
    assert told["cause"]["kind"] == "out of memory"
    assert told["cause"]["consequences"][0]["task"] == "worker:0"
    assert told["reason"] == told["cause"]["text"]
    well = dataclasses.replace(ended, state="finished", cause=None, reason="")
    assert "cause" not in result(well)


@pytest.mark.parametrize(
    ("more", "words", "meaning"),
    [
        ({}, "probably out of memory", "memory runs out"),
        ({"oom_counted": True}, "not by the kernel for memory", "Somebody"),
        (
            {"oom_counted": True, "oom_evidence": "its cgroup is full"},
            "its cgroup is full",
            "memory",
        ),
        ({"oom": True, "oom_evidence": "dmesg"}, "memory ran out: dmesg", "memory"),
        ({"peak_bytes": 3 << 30}, "it had used up to 3.0 GiB", "memory"),
    ],
)
def test_that_a_kill_is_told_with_what_its_node_knows(
    run: Run, more: dict[str, Any], words: str, meaning: str
) -> None:
    run.ended(W1, 1010.0, signal=9, **more)
    assert words in run.cause().text
    assert meaning in run.cause().meaning


def test_that_who_was_ended_by_order_did_not_break(run: Run) -> None:
    run.ended(W1, 1010.0, state="stopped", exit_code=1, ended_by_us=True)
    assert run.picture.first_failure() is None


def test_that_a_log_row_is_found_for_a_task_of_many_attempts(run: Run) -> None:
    started = Started(task="worker:0", pid=1, host="h", python="3", tensorflow="2")
    inner = Event(t=1001.0, seq=0, attempt=1, body=started)
    run.picture.event(W0, StoredEvent(0, 1001.0, b"", PlacedEvent(0, b"", inner).event), 0.0)
    run.log(W0, TRACEBACK)
    run.log(W0, TRACEBACK.replace("café", "thé"))
    attempts = [
        {
            "attempt": n,
            "started_at": 1000.0 + n,
            "ended_at": 1000.5 + n,
            "exit_code": 1,
            "signal": None,
            "last_lines": tail(TRACEBACK.replace("café", word)),
        }
        for n, word in ((1, "café"), (2, "thé"))
    ]
    record = {"state": "failed", "reason": "x", "attempts": attempts}
    run.picture.record(W0, record, False, 1600.0, 1.0)
    cause = run.cause()
    assert ("thé" in cause.text, cause.row) == (True, 9)
