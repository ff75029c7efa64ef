"""A stall is a state of its own, from evidence only, told once; other pauses are what they are."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import pytest

from remote.history import PlacedEvent, StoredEvent
from remote.link import TaskOnNode
from remote.session.found import collect
from remote.session.picture import RunPicture
from remote.session.stalls import FIRST_STEP, FLOOR_S, limit_s
from remote.session.tasks import Task
from remote.updates import NoticeUpdate, TaskUpdate
from trainer.events import Body, Event, PhaseChanged, Steps, encode
from trainer.spec import TaskId

PS, W0, W1 = TaskId("ps", 0), TaskId("worker", 0), TaskId("worker", 1)
NODES = {PS: "gpu001", W0: "gpu002", W1: "gpu003"}


def record(state: str = "running", attempts: int = 1) -> dict[str, Any]:
    listed: list[dict[str, Any]] = [
        {
            "attempt": n,
            "started_at": 1000.0 + n,
            "ended_at": 1000.5 + n if n < attempts or state == "restarting" else None,
            "exit_code": None,
            "signal": 9 if n < attempts or state == "restarting" else None,
            "last_lines": [],
        }
        for n in range(1, attempts + 1)
    ]
    return {"state": state, "reason": "", "attempts": listed}


class Watched:
    """A run of a ps and two workers, its monotonic clock, and what was told."""

    def __init__(self) -> None:
        tasks = [Task(task=task, node=node, root="/r") for task, node in NODES.items()]
        self.picture = RunPicture("20261130-1502-k3f9", tasks, launched_at=1000.0)
        self.now = 5000.0
        self.told: list[object] = []
        for task in NODES:
            self.record(task, record())
            self.event(task, PhaseChanged(phase="training"))

    def record(self, task: TaskId, what: dict[str, Any], *, alive: bool = True) -> None:
        self.told += self.picture.record(task, what, alive, 1010.0, self.now)

    def event(self, task: TaskId, body: Body, attempt: int = 1) -> None:
        inner = Event(t=1003.0, seq=0, attempt=attempt, body=body)
        stored = StoredEvent(0, 1003.0, b"", PlacedEvent(0, b"", inner).event)
        self.told += self.picture.event(task, stored, self.now)

    def steps(self, task: TaskId, step_s: float = 0.2, attempt: int = 1) -> None:
        times = tuple(1003.0 + i * step_s for i in range(5))
        body = Steps(
            steps=(1, 2, 3, 4, 5),
            losses=(1.0,) * 5,
            times=times,
            examples=5,
            window_s=5 * step_s,
        )
        self.event(task, body, attempt)

    def pass_s(self, seconds: float) -> None:
        """Time passes, and the run is looked at as often as it is while it is followed."""
        end = self.now + seconds
        while self.now < end:
            self.now = min(end, self.now + 1.0)
            self.told += self.picture.tick(self.now)

    def notices(self) -> list[NoticeUpdate]:
        return [u for u in self.told if isinstance(u, NoticeUpdate) and u.topic]

    def states(self, task: TaskId) -> list[str]:
        found: list[str] = []
        for update in self.told:
            if isinstance(update, TaskUpdate) and update.task == task:
                found += [] if found[-1:] == [update.state] else [update.state]
        return found


@pytest.fixture
def run() -> Watched:
    return Watched()


def test_that_a_stall_is_a_state_told_once_and_over_when_steps_go_on(run: Watched) -> None:
    run.steps(W1)
    run.pass_s(FLOOR_S - 2)
    assert run.picture.tasks[W1].state == "training"
    run.pass_s(60.0)
    task = run.picture.tasks[W1]
    assert task.state == "stalled"
    assert task.detail.startswith("no step since ")
    assert task.detail.endswith("usually one every 0.2 s")
    (notice,) = run.notices()
    assert notice.level == "warning"
    assert notice.text.startswith("worker:1 on gpu003 is stalled: no step since ")
    assert (notice.task, notice.node) == (W1, "gpu003")
    run.steps(W1)
    run.pass_s(2.0)
    assert run.picture.tasks[W1].state == "training"
    first, again = run.notices()
    assert (again.level, again.topic) == ("info", first.topic)
    assert "makes steps again" in again.text
    assert run.states(W1)[-2:] == ["stalled", "training"]
    assert run.picture.tasks[W0].state == "training", "it has made no step yet: no stall"


def test_that_slow_steps_and_regular_pauses_are_no_stall(run: Watched) -> None:
    assert limit_s(0.01) == FLOOR_S
    run.steps(W1, step_s=20.0)
    run.pass_s(150.0)
    assert run.picture.tasks[W1].state == "training"
    run.pass_s(60.0)
    assert run.picture.tasks[W1].state == "stalled"


def test_that_evaluating_and_waiting_for_a_peer_are_said_as_what_they_are(run: Watched) -> None:
    run.steps(W0)
    run.steps(W1)
    run.event(W0, PhaseChanged(phase="evaluating"))
    run.event(W1, PhaseChanged(phase="waiting", detail="waiting for ps:0 at gpu001:2220"))
    run.pass_s(300.0)
    tasks = run.picture.tasks
    assert (tasks[W0].state, tasks[W0].detail) == ("training", "evaluating")
    assert (tasks[W1].state, tasks[W1].detail) == ("waiting", "waiting for ps:0 at gpu001:2220")
    run.event(W0, PhaseChanged(phase="training"))
    run.pass_s(FLOOR_S - 5)
    assert tasks[W0].state == "training", "the pause before does not count"
    assert run.notices() == []


def test_that_who_waits_for_a_task_that_is_started_again_is_not_stalled(run: Watched) -> None:
    run.steps(W0)
    run.record(W1, record("restarting"))
    run.pass_s(60.0)
    task = run.picture.tasks[W0]
    assert (task.state, task.detail) == (
        "training",
        "no step while worker:1 on gpu003 is restarting",
    )
    assert run.notices() == []


def test_that_the_first_step_is_not_late_but_being_compiled(run: Watched) -> None:
    run.pass_s(120.0)
    assert run.picture.tasks[W0].detail == FIRST_STEP
    assert run.picture.tasks[PS].state == "training", "a ps makes no steps"
    run.steps(W0)
    run.pass_s(1.0)
    assert run.picture.tasks[W0].detail == ""
    run.record(W0, record(attempts=2))
    run.event(W0, PhaseChanged(phase="training"), attempt=2)
    run.pass_s(200.0)
    assert run.picture.tasks[W0].detail == FIRST_STEP, "steps of another attempt do not count"


def test_that_silence_is_unknown_and_no_stall(run: Watched) -> None:
    run.steps(W1)
    run.told += run.picture.lost("gpu003", since=1234.0)
    run.pass_s(200.0)
    task = run.picture.tasks[W1]
    assert (task.state, task.unknown_since) == ("training", 1234.0)
    run.told += run.picture.heard("gpu003", now=1500.0)
    run.pass_s(FLOOR_S - 5)
    assert run.states(W1)[-1] == "training", "what it did meanwhile has still to come"
    run.pass_s(60.0)
    assert run.states(W1)[-1] == "stalled"


def test_that_a_desktop_that_slept_blames_nobody(run: Watched) -> None:
    run.steps(W1)
    run.pass_s(2.0)
    run.now += 3600.0
    run.told += run.picture.tick(run.now)
    assert run.picture.tasks[W1].state == "training"


def test_that_status_sees_a_stall_in_what_the_nodes_say() -> None:
    now = time.time()

    def found(task: TaskId, last: float, *, alive: bool = True) -> TaskOnNode:
        body = Steps(steps=(7,), losses=(1.0,), times=(last,), examples=1, window_s=0.5)
        phase = PhaseChanged(phase="training")
        bodies: tuple[Body, ...] = (phase, body)
        events = [Event(t=last, seq=i, attempt=1, body=b) for i, b in enumerate(bodies)]
        return TaskOnNode(
            run_id="20261130-1502-aaaa",
            task=task,
            state=record(),
            alive=alive,
            task_alive=alive,
            supervisor_alive=alive,
            latest=tuple(encode(event) for event in events),
        )

    both = [found(W0, now - 2), found(W1, now - 600)]
    (run,) = collect({"gpu002": both}, {"gpu002": "/r"})
    assert [task.state for task in run.tasks] == ["training", "stalled"]
    assert run.state == "training"
    assert "usually one every 0.5 s" in run.tasks[1].detail
    (run,) = collect({"gpu002": [found(W1, now - 600, alive=False)]}, {"gpu002": "/r"})
    assert run.tasks[0].state == "training", "it may be dead: that is for its record to say"
    full = dataclasses.replace(both[1], state=record() | {"disk": "no space left in /r/runs"})
    (run,) = collect({"gpu002": [both[0], full]}, {"gpu002": "/r"})
    assert [task.state for task in run.tasks] == ["training", "training"]
    assert run.tasks[1].detail == "may do more than is recorded: no space left in /r/runs"


def test_that_a_task_whose_disk_takes_no_data_is_not_called_stalled() -> None:
    w = Watched()
    for task in (W0, W1):
        w.steps(task)
    w.pass_s(5)
    w.record(W1, record() | {"disk": "no space left in /r/runs"})
    for _ in range(10):
        w.steps(W0)
        w.pass_s(FLOOR_S / 5)
    assert w.states(W1)[-1] == "training"
    assert w.notices() == []
    w.record(W1, record())
    for _ in range(10):
        w.steps(W0)
        w.pass_s(FLOOR_S / 5)
    assert w.states(W1)[-1] == "stalled", "there is room again, and nothing comes"
