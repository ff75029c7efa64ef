"""A study's numbers as texts and CSV, what a user types, and how long it takes."""

from __future__ import annotations

import csv
import io

import pytest

from remote.errors import PlanError
from remote.study import (
    Outcome,
    Point,
    StudyPlan,
    Turn,
    estimate_s,
    numbers_in,
    points_of,
    sizes_up_to,
    summarize,
)
from remote.study.tables import as_csv, cells, heads, runs_as_csv
from trainer.spec import TrainingSpec

PLAN = StudyPlan(
    training=TrainingSpec(steps=100, batch_size=10),
    points=tuple(points_of([1, 2], [1])),
    repeats=2,
    target=0.9,
)


def outcome(point: Point, repeat: int, rate: float | None) -> Outcome:
    return Outcome(
        turn=Turn(point, repeat),
        run_id=f"20261130-150{repeat}-aaa{point.workers}",
        state="failed" if rate is None else "finished",
        rate=rate,
        accuracy=0.5,
        to_target_s=None,
    )


@pytest.mark.parametrize(
    ("text", "numbers"), [("1, 2, 4", [1, 2, 4]), ("4 1,1", [1, 4]), (" 16 ", [16])]
)
def test_that_a_list_of_numbers_is_read_as_people_write_it(text: str, numbers: list[int]) -> None:
    assert numbers_in(text, "workers") == numbers


@pytest.mark.parametrize("text", ["", " , ", "0", "-1", "1;2", "a", "²", "1.5", "9999999"])
def test_that_anything_else_is_told_in_a_sentence(text: str) -> None:
    with pytest.raises(PlanError, match="workers"):
        numbers_in(text, "workers")


def test_that_sizes_double_up_to_the_nodes() -> None:
    assert [sizes_up_to(n) for n in (0, 1, 2, 3, 6)] == [[1], [1], [1, 2], [1, 2, 3], [1, 2, 4, 6]]


def test_that_the_table_has_a_text_for_each_head() -> None:
    rows = summarize(
        PLAN.points,
        [outcome(Point(0, 0), 1, 1000.0), *map(outcome, [Point(2, 1)] * 2, (1, 2), (1500.0, None))],
    )
    texts = [cells(row, PLAN) for row in rows]
    assert {len(row) for row in texts} == {len(heads(PLAN))}
    assert texts[2][:6] == ["2 workers, 1 ps", "2 (1 failed)", "1,500", "1,500", "1,500", "1.50x"]
    assert texts[2][6:] == ["75%", "–"]
    assert texts[1][2:] == ["–"] * 6


def test_that_csv_has_the_numbers_themselves_and_nothing_where_there_is_none() -> None:
    made = [outcome(Point(0, 0), 1, 1000.5), outcome(Point(2, 1), 1, None)]
    lines = list(csv.reader(io.StringIO(as_csv(summarize(PLAN.points, made)))))
    assert lines[1] == ["0", "0", "1", "0", "1000.5", "1000.5", "1000.5", "1.0", "1.0", ""]
    assert lines[3] == ["2", "1", "1", "1", "", "", "", "", "", ""]
    runs = list(csv.DictReader(io.StringIO(runs_as_csv(made))))
    assert [run["state"] for run in runs] == ["finished", "failed"]


def test_that_time_is_told_from_rates_that_are_known() -> None:
    turns = list(PLAN.turns())
    assert estimate_s(PLAN, turns, {}) is None
    # 1000 examples each: 10 s, 10 s and 5 s, twice, with 2 s before each first step
    assert estimate_s(PLAN, turns, {Point(0, 0): 100.0}, 2.0) == pytest.approx(62.0)
    known = {Point(2, 1): 100.0}
    assert estimate_s(PLAN, turns[2:3], known) == pytest.approx(10.0)
    assert estimate_s(PLAN, turns[:1], known) == pytest.approx(20.0)
