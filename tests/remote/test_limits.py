"""What limits a run is told from where its workers' time goes."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.limits import PARTS, Pace, find_limit, shares, stragglers
from remote.updates import Spent
from trainer.spec import TaskId

WORKERS = [TaskId("worker", i) for i in range(4)]


def pace(
    steps: int = 100,
    *,
    compute: float = 0.0,
    exchange: float = 0.0,
    wait: float = 0.0,
    inputs: float = 0.0,
) -> Pace:
    """Ten seconds of a worker; the arguments are parts of its time."""
    spent = Spent(
        window_s=10.0,
        input_s=10 * inputs,
        compute_s=10 * compute,
        exchange_s=10 * exchange,
        wait_s=10 * wait,
    )
    return Pace(spent=spent, steps=steps)


def test_that_nothing_is_said_before_anything_is_known() -> None:
    assert find_limit({}, sync=False) is None
    assert find_limit({WORKERS[0]: Pace(spent=Spent(), steps=0)}, sync=True) is None


@pytest.mark.parametrize(
    ("paces", "part", "word"),
    [
        ([pace(compute=0.9)], "compute", "devices limit"),
        ([pace(compute=0.4, exchange=0.55)], "exchange", "the ps or the network"),
        ([pace(compute=0.3, inputs=0.6)], "input", "wait 60% of the time for the next batch"),
        ([pace(compute=0.2)], "other", "evaluation"),
        ([pace(compute=0.5, wait=0.4)] * 2, "wait", "wait 40% of the time"),
    ],
)
def test_that_the_greatest_burden_is_named(paces: list[Pace], part: str, word: str) -> None:
    found = find_limit(dict(zip(WORKERS, paces, strict=False)), sync=True)
    assert found is not None
    assert found.part == part
    assert word in found.text
    assert found.worker is None


def test_that_the_worker_for_which_all_wait_is_named_with_what_keeps_it() -> None:
    paces = {w: pace(compute=0.3, wait=0.6) for w in WORKERS}
    paces[WORKERS[2]] = pace(compute=0.2, inputs=0.75, wait=0.02)
    assert stragglers(paces, sync=True) == [WORKERS[2]]
    found = find_limit(paces, sync=True)
    assert found is not None
    assert found.worker == WORKERS[2]
    assert "worker:2 holds the others up" in found.text
    assert "input" in found.text


def test_that_of_async_workers_the_slow_one_is_named() -> None:
    paces = {w: pace(100, compute=0.9) for w in WORKERS}
    paces[WORKERS[1]] = pace(50, compute=0.95)
    assert stragglers(paces, sync=False) == [WORKERS[1]]
    found = find_limit(paces, sync=False)
    assert found is not None
    assert "worker:1 makes 50% of the others' steps" in found.text


def test_that_equal_workers_have_no_straggler_however_slow_all_are() -> None:
    paces = {w: pace(3, compute=0.5, wait=0.4) for w in WORKERS}
    assert stragglers(paces, sync=True) == []
    assert stragglers(paces, sync=False) == []


def test_that_one_worker_short_of_input_is_named_alone() -> None:
    paces = {w: pace(compute=0.85, inputs=0.1) for w in WORKERS[:2]}
    paces[WORKERS[2]] = pace(compute=0.1, inputs=0.85)
    found = find_limit(paces, sync=False)
    assert found is not None
    assert (found.part, found.worker) == ("input", WORKERS[2])


def test_that_idle_gpus_are_told_where_computing_takes_the_time() -> None:
    found = find_limit({WORKERS[0]: pace(compute=0.9)}, sync=False, gpu_percent=20.0)
    assert found is not None
    assert "used 20% only" in found.text
    assert "batch_size" in found.remedy


seconds = st.floats(0, 1e6, allow_nan=False)


@given(seconds, seconds, seconds, seconds, seconds)
def test_that_shares_are_a_whole(w: float, i: float, c: float, e: float, a: float) -> None:
    found = shares(Spent(window_s=w, input_s=i, compute_s=c, exchange_s=e, wait_s=a))
    assert set(found) == set(PARTS)
    assert all(0 <= value <= 1 for value in found.values())
    total = sum(found.values())
    assert math.isclose(total, 1.0) or total == 0.0
