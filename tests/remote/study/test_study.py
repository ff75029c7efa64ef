"""Scaling studies: which runs they are made of, what they say, and that they survive."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.errors import ClewError, PlanError, UnknownRun
from remote.study import (
    Outcome,
    Point,
    Study,
    StudyPlan,
    StudyStore,
    Turn,
    outcome_of,
    points_of,
    recommend,
    summarize,
    training_at,
)
from remote.study.plan import SINGLE
from remote.updates import EvalUpdate, ResultUpdate
from trainer.spec import TrainingSpec


def outcomes(rates: dict[Point, list[float]]) -> list[Outcome]:
    return [
        Outcome(
            turn=Turn(point, number),
            run_id=f"{point}-{number}",
            state="finished",
            rate=rate,
            accuracy=None,
            to_target_s=None,
        )
        for point, found in rates.items()
        for number, rate in enumerate(found, 1)
    ]


def test_that_every_size_comes_once_before_any_comes_again() -> None:
    points = tuple(points_of([2, 1, 2], [1]))
    assert points == (SINGLE, Point(1, 1), Point(2, 1))
    plan = StudyPlan(training=TrainingSpec(), points=points, repeats=2)
    assert [turn.point for turn in plan.turns()] == [*points, *points]


@pytest.mark.parametrize(
    ("workers", "ps", "single"), [([], [1], True), ([1], [1], False), ([0], [1], True)]
)
def test_that_nothing_to_compare_is_said(workers: list[int], ps: list[int], single: bool) -> None:
    with pytest.raises(PlanError):
        points_of(workers, ps, single=single)


@given(st.integers(1, 64), st.integers(1, 10_000), st.sampled_from(["async", "sync"]))
def test_that_every_run_trains_on_as_many_examples(workers: int, steps: int, update: str) -> None:
    training = TrainingSpec(steps=steps, update=update, batch_size=8)  # type: ignore[arg-type]
    plan = StudyPlan(training=training, points=())
    sized = training_at(plan, Point(workers, 1))
    assert sized.steps is not None
    batches = sized.steps * (workers if sized.is_sync else 1)
    assert steps <= batches < steps + workers
    single = training_at(plan, SINGLE)
    assert (single.steps, single.is_single) == (steps, True)
    assert not sized.problems()


def test_that_a_target_needs_evaluations_and_gets_them() -> None:
    plan = StudyPlan(training=TrainingSpec(steps=200), points=(), target=0.9)
    assert training_at(plan, SINGLE).evaluate_every == 10


def test_that_speedup_is_of_medians_and_spread_is_shown() -> None:
    points = (SINGLE, Point(2, 1), Point(4, 1))
    rows = summarize(
        points,
        outcomes({SINGLE: [90, 100, 110], Point(2, 1): [180, 150, 190], Point(4, 1): [200]}),
    )
    assert [row.speedup for row in rows] == [1.0, 1.8, 2.0]
    assert [row.efficiency for row in rows] == [1.0, 0.9, 0.5]
    assert (rows[1].low, rows[1].high) == (150, 190)
    assert recommend(rows).startswith("4 workers, 1 ps: 2.00 times one process, 50% of ideal.")


def test_that_the_smaller_of_two_like_ones_is_recommended() -> None:
    points = (SINGLE, Point(2, 1), Point(4, 1), Point(4, 2))
    rates = {SINGLE: [100.0], Point(2, 1): [190.0], Point(4, 1): [195.0], Point(4, 2): [196.0]}
    said = recommend(summarize(points, outcomes(rates)))
    assert said.startswith("2 workers, 1 ps")
    assert "+3% only" in said


def test_that_a_cluster_that_does_not_pay_is_told_so() -> None:
    rows = summarize((SINGLE, Point(2, 1)), outcomes({SINGLE: [100.0], Point(2, 1): [101.0]}))
    assert recommend(rows).startswith("One process is as fast as a cluster here")


def test_that_without_a_baseline_a_worker_of_the_smallest_cluster_is_the_measure() -> None:
    points = (Point(2, 1), Point(8, 1))
    rows = summarize(points, outcomes({Point(2, 1): [100.0], Point(8, 1): [300.0]}))
    assert [row.speedup for row in rows] == [2.0, 6.0]


def test_that_a_failed_run_counts_as_one_and_gives_no_number() -> None:
    failed = Outcome(
        turn=Turn(SINGLE, 1),
        run_id="r",
        state="failed",
        rate=None,
        accuracy=None,
        to_target_s=None,
    )
    (row,) = summarize((SINGLE,), [failed])
    assert (row.runs, row.failed, row.rate, row.speedup) == (1, 1, None, None)
    assert recommend([row]) == ""


def test_that_a_run_that_was_stopped_counts_as_none() -> None:
    (stopped,) = outcomes({SINGLE: [100.0]})
    stopped = dataclasses.replace(stopped, state="stopped", rate=None)
    (row,) = summarize((SINGLE,), [stopped])
    assert (row.runs, row.failed, row.rate) == (0, 0, None)


def test_that_time_to_a_target_begins_with_the_first_step() -> None:
    result = ResultUpdate(
        run_id="r",
        state="finished",
        global_step=10,
        final_loss=0.1,
        accuracy=0.95,
        examples=640,
        examples_per_second=100.0,
        time_to_first_step_s=5.0,
    )
    evals = [
        EvalUpdate(run_id="r", t=1000.0 + t, step=t, loss=1.0, accuracy=a)
        for t, a in ((8, 0.5), (12, 0.92), (20, 0.95))
    ]
    found = outcome_of(Turn(SINGLE, 1), result, started_at=1000.0, evals=evals, target=0.9)
    assert found.to_target_s == 7.0
    assert outcome_of(Turn(SINGLE, 1), result, started_at=1000.0, evals=evals, target=0.99) == (
        outcome_of(Turn(SINGLE, 1), result, started_at=1000.0)
    )


@pytest.fixture
def study() -> Study:
    points = tuple(points_of([1, 2], [1, 2]))
    plan = StudyPlan(training=TrainingSpec(steps=7), points=points, repeats=2, target=0.5)
    return Study(
        study_id="20261130-1502-abcd",
        name="läb '1'",
        plan=plan,
        profile="clew: 1\n",
        profile_path="/é/p.yaml",
        runs={Turn(SINGLE, 1): "20261130-1503-aaaa"},
    )


def test_that_a_study_comes_back_as_it_was_and_knows_what_is_left(
    tmp_path: Path, study: Study
) -> None:
    store = StudyStore(tmp_path / "é studies")
    with pytest.raises(UnknownRun):
        store.load("last")
    store.save(study)
    for text in ("last", "abcd", study.study_id):
        assert store.load(text) == study
    left = list(study.left({"20261130-1503-aaaa"}))
    assert len(left) == len(list(study.plan.turns())) - 1
    assert Turn(SINGLE, 1) not in left
    assert Turn(SINGLE, 1) in list(study.left(set()))
    assert [path.name for path in store.folder.iterdir()] == [f"{study.study_id}.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 9}', '{"version": 1}'])
def test_that_a_damaged_study_is_one_sentence(tmp_path: Path, study: Study, text: str) -> None:
    store = StudyStore(tmp_path)
    (tmp_path / f"{study.study_id}.json").write_text(text)
    with pytest.raises(ClewError, match="cannot be read as a study"):
        store.load("last")


def test_that_a_disk_that_takes_nothing_is_told_and_nothing_half_written_stays(
    tmp_path: Path, study: Study
) -> None:
    store = StudyStore(tmp_path / "file")
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ClewError, match="cannot be kept"):
        store.save(study)
    assert json.dumps([p.name for p in tmp_path.iterdir()]) == '["file"]'
