"""Which run of a study comes next, when it is over, and what is on record for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from remote.errors import PlanError
from remote.history import History, RunRecord
from remote.profile import Profile, loads
from remote.session import ClusterSession, RunHandle
from remote.session.studying import (
    MOST_FAILURES,
    Studying,
    new_study,
    outcomes_of,
    plan_of,
    rates_on_record,
    store_of,
)
from remote.study import Point, Study
from remote.updates import ResultUpdate, RunState
from trainer.spec import TrainingSpec, to_json

PROFILE = "clew: 1\nname: läb 'x'\nnodes: [a, b]\ntraining:\n  steps: 10\n"


class Nodes:
    """Stands where the session does: which nodes there are, and what fits on them."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.nodes: dict[str, object] = {}
        self.most = 64

    def plan(self, training: TrainingSpec, placement: object) -> None:
        if (training.workers or 1) > self.most:
            raise PlanError("they do not fit", remedy="Add nodes.")


class Made:
    """Stands where the handle of a run does."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    found = History(tmp_path / "data é" / "history.db")
    yield found
    found.close()


@pytest.fixture
def profile() -> Profile:
    return loads(PROFILE, "lab").profile


@pytest.fixture
def study(profile: Profile) -> Study:
    return new_study(profile, plan_of(profile, repeats=1), path="/é/lab.yaml")


def result(run_id: str, state: RunState = "finished") -> ResultUpdate:
    return ResultUpdate(
        run_id=run_id,
        state=state,
        global_step=10,
        final_loss=0.1,
        accuracy=0.9,
        examples=640,
        examples_per_second=100.0,
        time_to_first_step_s=2.0,
        reason="" if state == "finished" else "it broke",
    )


class Desk:
    """Makes a study's runs: each is recorded, and ends when it is told to."""

    def __init__(self, history: History, study: Study) -> None:
        self.session = cast(ClusterSession, Nodes(history))
        self.history = history
        self.studying = Studying(history, study)
        self.launched: list[str] = []
        self.attached: list[str] = []

    def look(self) -> None:
        self.studying.look(self.session)

    def launch(self, training: TrainingSpec, name: str) -> RunHandle:
        run_id = f"20261130-15{self.history.count():02d}-aaaa"
        record(self.history, run_id, training, name)
        self.launched.append(name)
        return cast(RunHandle, Made(run_id))

    def attach(self, run_id: str) -> RunHandle:
        self.attached.append(run_id)
        return cast(RunHandle, Made(run_id))

    def begin(self) -> str:
        run_id = self.studying.begin_next(self.launch, self.attach).run_id
        self.studying.save()
        return run_id

    def end(self, run_id: str, state: RunState = "finished") -> None:
        ended = result(run_id, state)
        self.history.finish(ended, 1000.0)
        self.studying.ended(ended)


def record(history: History, run_id: str, training: TrainingSpec, name: str = "") -> None:
    run = RunRecord(
        run_id=run_id, name=name, started_at=900.0, training=json.dumps(to_json(training))
    )
    history.add_run(run, [])


def test_that_the_runs_come_in_order_and_are_kept_at_once(history: History, study: Study) -> None:
    desk = Desk(history, study)
    desk.look()
    assert (desk.studying.number, desk.studying.total) == (1, 3)
    while desk.studying.left:
        desk.end(desk.begin())
    assert desk.launched == [
        "läb 'x': one process #1",
        "läb 'x': 1 worker, 1 ps #1",
        "läb 'x': 2 workers, 1 ps #1",
    ]
    kept = store_of(history).load("last")
    assert len(kept.runs) == 3
    assert [o.rate for o in outcomes_of(history, kept)] == [100.0] * 3
    assert not desk.studying.problem


def test_that_a_failed_run_is_told_and_two_in_a_row_end_it(history: History, study: Study) -> None:
    desk = Desk(history, study)
    desk.look()
    desk.end(desk.begin(), "failed")
    assert not desk.studying.problem
    desk.end(desk.begin())
    desk.end(desk.begin(), "failed")
    assert not desk.studying.problem, "they were not one after another"
    desk.look()
    assert [turn.point.workers for turn in desk.studying.left] == [0, 2]
    desk.end(desk.begin(), "failed")
    assert f"{MOST_FAILURES} runs failed" in desk.studying.problem
    assert "it broke" in desk.studying.problem


def test_that_a_run_that_was_stopped_is_still_to_be_made(history: History, study: Study) -> None:
    desk = Desk(history, study)
    desk.look()
    desk.end(desk.begin(), "stopped")
    assert len(desk.studying.left) == 3
    again = Desk(history, store_of(history).load("last"))
    again.look()
    assert len(again.studying.left) == 3
    assert again.studying.begin_next(again.launch, again.attach).run_id
    assert not again.attached


def test_that_a_run_that_was_left_going_on_is_followed(history: History, study: Study) -> None:
    desk = Desk(history, study)
    desk.look()
    desk.end(desk.begin())
    left = desk.begin()
    again = Desk(history, store_of(history).load("last"))
    again.look()
    assert again.begin() == left
    assert (again.attached, again.launched) == ([left], [])
    again.end(left)
    assert [turn.point for turn in again.studying.left] == [Point(2, 1)]


def test_that_what_was_left_and_did_not_finish_is_made_anew(history: History, study: Study) -> None:
    desk = Desk(history, study)
    desk.look()
    left = desk.begin()
    desk.look()
    assert desk.begin() == left
    desk.end(left, "failed")
    assert not desk.studying.problem
    assert desk.begin() != left


def test_that_a_size_that_does_not_fit_is_named(history: History, study: Study) -> None:
    desk = Desk(history, study)
    desk.look()
    cast(Any, desk.session).most = 1
    with pytest.raises(PlanError, match="2 workers, 1 ps: they do not fit"):
        desk.studying.check(desk.session)


def test_that_a_command_of_the_users_own_is_not_compared() -> None:
    own = loads(f"{PROFILE}  command: [python, train.py]\n", "lab").profile
    with pytest.raises(PlanError, match="command of its own"):
        plan_of(own)


def test_that_rates_of_the_like_are_found_by_size(history: History, profile: Profile) -> None:
    training = profile.training
    other = loads(f"{PROFILE}  batch_size: 3\n", "lab").profile.training
    for number, spec in enumerate((training, other)):
        run_id = f"20261130-160{number}-aaaa"
        record(history, run_id, spec)
        history.finish(result(run_id), 1000.0)
    assert rates_on_record(history, training) == ({Point(0, 0): 100.0}, 2.0)
