"""States, causes and ends follow from what supervisors and tasks have written, nothing else."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest

from remote.history import PlacedEvent, StoredEvent
from remote.link import TaskOnNode
from remote.node.reasons import AS_ORDERED
from remote.session.cause import first_cause
from remote.session.ending import LEAVE_S, Ending
from remote.session.found import LastStep, collect, time_of_id
from remote.session.picture import RunPicture
from remote.session.tasks import GONE_S, Task
from remote.updates import LogUpdate, MarkUpdate, NoticeUpdate, StepsUpdate, TaskUpdate
from trainer.events import (
    LOG_SAYS_MORE,
    Body,
    Evaluated,
    Event,
    Failed,
    Finished,
    PhaseChanged,
    Started,
    Steps,
    encode,
)
from trainer.spec import EXIT_LOST_PEER, TaskId

PS, W0, W1 = TaskId("ps", 0), TaskId("worker", 0), TaskId("worker", 1)
NODES = {PS: "gpu001", W0: "gpu002", W1: "gpu003"}
OFFSET = 5.0


def picture() -> RunPicture:
    tasks = [Task(task=task, node=node, root="/r") for task, node in NODES.items()]
    return RunPicture("20261130-1502-k3f9", tasks, launched_at=1000.0)


def attempt(number: int = 1, **values: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "attempt": number,
        "pid": 7,
        "started_at": 1000.0 + number,
        "ended_at": None,
    }
    base |= {"exit_code": None, "signal": None, "oom": False, "last_lines": []}
    return base | values


def record(state: str, *attempts: dict[str, Any], reason: str = "") -> dict[str, Any]:
    return {"state": state, "reason": reason, "attempts": list(attempts)}


def tell(p: RunPicture, task: TaskId, state: str, *attempts: dict[str, Any], **more: Any) -> None:
    alive = state not in ("finished", "failed", "stopped")
    p.record(task, record(state, *attempts, **more), alive, now=1010.0, tick=10.0)


def event(task_event: Body, *, t: float = 1003.0, seq: int = 0, number: int = 1) -> StoredEvent:
    inner = Event(t=t, seq=seq, attempt=number, body=task_event)
    return StoredEvent(0, t - OFFSET, b"", PlacedEvent(0, b"", inner).event)


def steps(first: int, losses: list[float], *, t: float = 1004.0, examples: int = 64) -> Steps:
    count = len(losses)
    return Steps(
        steps=tuple(range(first, first + count)),
        losses=tuple(losses),
        times=tuple(t + i / 10 for i in range(count)),
        examples=examples,
        window_s=count / 10,
    )


def test_that_a_tasks_state_is_its_supervisors_and_its_phase() -> None:
    p = picture()
    task = p.tasks[W0]
    states = [task.state]
    task.preparing = True
    states.append(task.state)
    task.launched = True
    states.append(task.state)
    assert states == ["pending", "preparing", "starting"]
    tell(p, W0, "running", attempt())
    states.append(task.state)
    p.event(W0, event(Started(task="worker:0", pid=1, host="h", python="3", tensorflow="2")), 0.0)
    states.append(task.state)
    assert states[3:] == ["starting", "starting"]
    p.event(W0, event(PhaseChanged(phase="waiting", detail="waiting for ps:0")), 0.0)
    assert (task.state, task.detail) == ("waiting", "waiting for ps:0")
    p.event(W0, event(PhaseChanged(phase="training")), 0.0)
    assert (task.state, task.detail) == ("training", "")
    p.event(W0, event(PhaseChanged(phase="evaluating")), 0.0)
    assert (task.state, task.detail) == ("training", "evaluating")
    tell(p, W0, "finished", attempt(ended_at=1009.0, exit_code=0))
    assert (task.state, task.ended) == ("finished", True)


def test_that_a_phase_of_an_earlier_attempt_says_nothing_about_the_next() -> None:
    p = picture()
    tell(p, W0, "running", attempt())
    p.event(W0, event(PhaseChanged(phase="training")), 0.0)
    tell(p, W0, "restarting", attempt(ended_at=1005.0, signal=9), reason="killed")
    assert (p.tasks[W0].state, p.tasks[W0].detail) == ("restarting", "killed")
    tell(p, W0, "running", attempt(ended_at=1005.0, signal=9), attempt(2))
    assert (p.tasks[W0].state, p.tasks[W0].attempt) == ("starting", 2)
    p.event(W0, event(PhaseChanged(phase="training"), number=2), 0.0)
    assert p.tasks[W0].state == "training"


def test_that_each_restart_is_told_with_its_reason() -> None:
    p = picture()
    ended = attempt(ended_at=1005.0, signal=9)
    tell(p, W1, "running", attempt())
    updates = p.record(W1, record("running", ended, attempt(2)), True, 1010.0, 10.0)
    told = [u for u in updates if isinstance(u, NoticeUpdate)]
    assert [u.text for u in told] == [
        "worker:1 on gpu003 was killed (signal 9); started again, attempt 2"
    ]
    assert (told[0].level, told[0].node, told[0].task) == ("warning", "gpu003", W1)
    again = p.record(W1, record("running", ended, attempt(2)), True, 1011.0, 11.0)
    assert not any(isinstance(u, NoticeUpdate) for u in again), "once"
    third = (ended, attempt(2, ended_at=1012.0, exit_code=3), attempt(3))
    updates = p.record(W1, record("running", *third), True, 1013.0, 13.0)
    (notice,) = (u for u in updates if isinstance(u, NoticeUpdate))
    assert "ended with exit status 3; started again, attempt 3" in notice.text


def test_that_each_restart_makes_one_mark() -> None:
    p = picture()
    first, second = attempt(ended_at=1005.0, signal=9), attempt(2)
    updates = []
    for _ in range(3):
        updates += p.record(W0, record("running", first, second), True, now=1.0, tick=1.0)
    marks = [u for u in updates if isinstance(u, MarkUpdate)]
    assert [(m.kind, m.t, m.task) for m in marks] == [("restart", 1002.0, W0)]
    words = "worker:0 on gpu002 was killed (signal 9); started again, attempt 2"
    assert marks[0].text == words
    notices = [u for u in updates if isinstance(u, NoticeUpdate)]
    assert [(n.level, n.task, n.text) for n in notices] == [("warning", W0, words)]


def test_that_a_run_taken_up_again_stands_as_it_was_until_its_nodes_are_heard() -> None:
    task = Task(task=W0, node="gpu002", root="/r", recorded="training", recorded_attempt=2)
    p = RunPicture("20261130-1502-k3f9", [task], launched_at=1000.0)
    (told,) = p.changed()
    assert isinstance(told, TaskUpdate)
    assert (told.state, told.attempt) == ("training", 2)
    first, second = attempt(ended_at=1005.0, signal=9), attempt(2)
    updates = p.record(W0, record("running", first, second), True, now=1.0, tick=1.0)
    assert not [u for u in updates if isinstance(u, (MarkUpdate, NoticeUpdate))]  # known already
    assert task.state == "starting"  # until its own phase has come


def test_that_a_silent_node_makes_its_tasks_unknown_and_nothing_else() -> None:
    p = picture()
    tell(p, W0, "running", attempt())
    p.event(W0, event(PhaseChanged(phase="training")), 0.0)
    (lost,) = p.lost("gpu002", since=1011.0)
    assert isinstance(lost, TaskUpdate)
    assert (lost.task, lost.state, lost.unknown_since) == (W0, "training", 1011.0)
    assert p.lost("gpu002", since=1012.0) == []
    (back,) = p.heard("gpu002", now=1020.0)
    assert isinstance(back, TaskUpdate)
    assert (back.unknown_since, back.last_heard) == (None, 1020.0)


def test_that_an_ended_task_stays_known_when_its_node_goes() -> None:
    p = picture()
    tell(p, W0, "finished", attempt(ended_at=1009.0, exit_code=0))
    assert p.lost("gpu002", since=1011.0) == []


def test_that_a_task_whose_supervisor_vanished_fails_after_a_while() -> None:
    p = picture()
    p.record(W0, record("running", attempt()), False, now=1.0, tick=100.0)
    assert not p.tasks[W0].ended
    p.tick(100.0 + GONE_S)
    assert p.tasks[W0].state == "failed"
    assert "supervisor" in p.tasks[W0].detail


def test_that_work_that_was_done_is_not_lost_with_the_supervisor() -> None:
    p = picture()
    done = Finished(step=9, examples=1, train_seconds=1.0, first_step_seconds=None)
    p.event(W0, event(done), 0.0)
    p.record(W0, record("running", attempt()), False, now=1.0, tick=100.0)
    p.tick(100.0 + GONE_S)
    assert p.tasks[W0].state == "finished"


def test_that_the_first_real_cause_is_named_not_those_who_lost_it() -> None:
    p = picture()
    peer = attempt(ended_at=1008.0, exit_code=EXIT_LOST_PEER)
    p.event(W0, event(Failed(reason="worker:1 did not answer")), 0.0)
    tell(p, W0, "failed", peer, reason="ended with 75")
    tell(p, W1, "restarting", attempt(ended_at=1007.5, signal=9), reason="killed")
    assert p.cause().startswith("worker:1 on gpu003: was killed by the node (signal 9), probably")


def test_that_a_failed_event_is_the_words_of_the_cause() -> None:
    p = picture()
    p.event(W1, event(Failed(reason="no space left on /r. Make room.")), 0.0)
    tell(p, W1, "failed", attempt(ended_at=1007.0, exit_code=1), reason="exit 1")
    assert p.cause() == "worker:1 on gpu003: no space left on /r. Make room."


@pytest.mark.parametrize(
    ("lines", "end"),
    [
        (
            ["Traceback:", "ValueError: no such label", " "],
            "; its last words: ValueError: no such label",
        ),
        (["I0000 00:00:1796067681.985817   21175 port.cc:153] oneDNN is on"], LOG_SAYS_MORE),
        (["WARNING: All log messages before absl::InitializeLog() is called"], LOG_SAYS_MORE),
        (["boom", "2026-01-02 03:04:05.6: I tensorflow/core: ready"], "; its last words: boom"),
        ([], LOG_SAYS_MORE),
    ],
)
def test_that_a_program_that_failed_is_told_with_its_last_words(lines: list[str], end: str) -> None:
    p = picture()
    p.event(W1, event(Failed(reason=f"python x.py ended with exit status 1{LOG_SAYS_MORE}")), 0.0)
    last = attempt(ended_at=1007.0, exit_code=1, last_lines=lines)
    tell(p, W1, "failed", last, reason="exit 1")
    assert p.cause() == f"worker:1 on gpu003: python x.py ended with exit status 1{end}"


def test_that_memory_is_named_when_the_node_says_so() -> None:
    p = picture()
    tell(p, W1, "failed", attempt(ended_at=1007.0, signal=9, oom=True))
    assert "memory ran out" in p.cause()


def test_that_an_old_trouble_that_was_overcome_is_not_the_cause() -> None:
    p = picture()
    old = attempt(ended_at=1005.0, signal=9)
    tell(p, PS, "running", old, attempt(2))
    tell(p, W0, "failed", attempt(ended_at=9000.0, exit_code=3, last_lines=["boom\n"]))
    assert p.cause().startswith("worker:0 on gpu002: ended with exit status 3")
    assert "boom" in p.cause()


def test_that_clocks_are_put_right_before_ends_are_compared() -> None:
    p = picture()
    tell(p, W0, "failed", attempt(ended_at=1000.0, exit_code=1), reason="later")
    tell(p, W1, "failed", attempt(ended_at=1060.0, exit_code=1), reason="first")
    shifts = {"gpu003": -100.0}  # its clock is ahead
    found = first_cause(p.tasks.values(), {}, shifts)
    assert found is not None
    assert "first" in found.text


def test_that_nothing_broke_means_no_cause() -> None:
    p = picture()
    tell(p, W0, "finished", attempt(ended_at=1.0, exit_code=0))
    assert p.cause() == ""


def test_that_the_chief_decides_the_end_and_others_get_time() -> None:
    p = picture()
    assert Ending.of(p, 0.0) is None
    tell(p, W1, "finished", attempt(ended_at=1.0, exit_code=0))
    assert Ending.of(p, 0.0) is None
    tell(p, W0, "finished", attempt(ended_at=1.0, exit_code=0))
    ending = Ending.of(p, 100.0)
    assert ending is not None
    assert (ending.state, ending.is_due(p, 100.0)) == ("finished", False)
    assert ending.is_due(p, 100.0 + LEAVE_S), "a ps that stays is stopped"
    tell(p, PS, "finished", attempt(ended_at=1.0, exit_code=0))
    assert ending.is_due(p, 100.0)


def test_that_a_task_that_failed_for_good_ends_the_run() -> None:
    p = picture()
    tell(p, PS, "failed", attempt(ended_at=1.0, exit_code=1), reason="broke")
    ending = Ending.of(p, 100.0)
    assert ending is not None
    assert ending.state == "failed"
    assert "ps:0 on gpu001" in ending.why


def test_that_a_stop_from_elsewhere_is_a_stop() -> None:
    p = picture()
    tell(p, W0, "stopped", attempt(ended_at=1.0, signal=15))
    ending = Ending.of(p, 0.0)
    assert ending is not None
    assert (ending.state, ending.why) == ("stopped", "stopped from elsewhere")
    tell(p, W0, "stopped", attempt(ended_at=1.0, signal=15), reason=AS_ORDERED + " by the user")
    ending = Ending.of(p, 0.0)
    assert ending is not None
    assert ending.why == "stopped from elsewhere"


def test_that_a_run_whose_time_was_up_was_not_stopped_by_anybody() -> None:
    p = picture()
    words = "stopped after 12 hours, as max_hours says"
    tell(p, W0, "stopped", attempt(ended_at=1.0, signal=15), reason=words)
    ending = Ending.of(p, 0.0)
    assert ending is not None
    assert (ending.state, ending.why) == ("stopped", words)


def test_that_times_in_events_are_put_on_this_clock() -> None:
    p = picture()
    (update,) = (
        u for u in p.event(W0, event(steps(1, [2.0, 1.0])), 0.0) if isinstance(u, StepsUpdate)
    )
    assert update.times == (1004.0 - OFFSET, 1004.1 - OFFSET)


def test_that_a_loss_that_is_not_finite_is_one_alert_per_episode() -> None:
    p, nan = picture(), math.nan
    alerts = []
    for first, losses in ((1, [2.0, nan]), (3, [math.inf, nan]), (5, [1.0]), (6, [nan])):
        for update in p.event(W0, event(steps(first, losses)), 0.0):
            if isinstance(update, NoticeUpdate):
                alerts.append(update.text)
    assert alerts == [
        "loss became not finite at step 2 (worker:0)",
        "loss became not finite at step 6 (worker:0)",
    ]
    assert p.totals.final_loss is None


def test_that_totals_are_by_the_wall_clock() -> None:
    p = picture()
    p.event(W0, event(steps(1, [2.0] * 10, t=1010.0, examples=640)), 0.0)
    p.event(W1, event(steps(1, [2.0] * 10, t=1010.5, examples=640)), 0.0)
    p.event(W0, event(steps(21, [0.5] * 10, t=1019.1, examples=640)), 0.0)
    p.event(W0, event(Evaluated(step=30, loss=0.4, accuracy=0.9, examples=9, seconds=1.0)), 0.0)
    totals = p.totals
    assert (totals.global_step, totals.final_loss, totals.examples) == (30, 0.5, 1920)
    assert totals.accuracy == 0.9
    assert totals.time_to_first_step_s == pytest.approx(10.0 - OFFSET)
    # From the start of the first window (1009.9) to the last step (1020.0).
    assert totals.examples_per_second == pytest.approx(1920 / 10.1, rel=1e-6)


def test_that_a_run_without_steps_has_no_numbers() -> None:
    totals = picture().totals
    assert totals.examples_per_second is None
    assert totals.time_to_first_step_s is None


def test_that_a_character_cut_in_two_is_joined_in_the_log() -> None:
    p = picture()
    text = "fünf".encode()
    told = p.log(W0, 0, text[:2], reset=False) + p.log(W0, 2, text[2:], reset=False)
    assert "".join(u.text for u in told if isinstance(u, LogUpdate)) == "fünf"


def test_that_a_run_found_on_nodes_stands_as_its_newest_events_say() -> None:
    newest = [
        Event(t=9.0, seq=4, attempt=1, body=PhaseChanged(phase="training")),
        Event(t=9.5, seq=5, attempt=1, body=steps(7, [0.5, 0.25])),
    ]
    item = TaskOnNode(
        run_id="20261130-1502-aaaa",
        task=W0,
        state=record("running", attempt()),
        alive=True,
        task_alive=True,
        supervisor_alive=True,
        latest=(*(encode(event) for event in newest), b"no event"),
    )
    (run,) = collect({"gpu002": [item]}, {"gpu002": "/r"}, {"gpu002": -OFFSET})
    assert run.state == "training"
    assert run.last == LastStep(step=8, loss=0.25, at=1004.1 - OFFSET)
    only_steps = dataclasses.replace(item, latest=item.latest[1:])
    (run,) = collect({"gpu002": [only_steps]}, {"gpu002": "/r"})
    assert run.state == "training", "whoever makes steps trains"
    (run,) = collect({"gpu002": [dataclasses.replace(item, latest=())]}, {"gpu002": "/r"})
    assert (run.state, run.last) == ("starting", None)


def test_that_runs_found_on_nodes_are_joined() -> None:
    def found(task: TaskId, state: str, alive: bool, run: str) -> TaskOnNode:
        return TaskOnNode(
            run_id=run,
            task=task,
            state=record(state, attempt()),
            alive=alive,
            task_alive=alive,
            supervisor_alive=alive,
        )

    old, new = "20261130-1502-aaaa", "20261130-1503-bbbb"
    runs = collect(
        {
            "gpu001": [found(PS, "running", True, new), found(PS, "finished", False, old)],
            "gpu002": [found(W0, "finished", False, old), found(W0, "running", True, "../evil")],
        },
        {"gpu001": "/r", "gpu002": "/r"},
    )
    assert [run.run_id for run in runs if run.run_id != new] == [old]
    by_id = {run.run_id: run for run in runs}
    assert by_id[new].alive
    assert by_id[old].state == "finished"
    assert [str(t.task) for t in by_id[old].tasks] == ["ps:0", "worker:0"]


def test_that_the_minute_of_a_run_stands_in_its_id() -> None:
    assert time_of_id("19700101-0001-aaaa") == 60.0
    assert time_of_id("99999999-9999-aaaa") == 0.0
