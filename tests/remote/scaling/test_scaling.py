"""The model of saturated parameter servers, its limits, and the published figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import pytest

from remote.scaling import (
    Links,
    StepCost,
    alone_s,
    gigabits,
    saturated_steps_per_s,
    saturating_workers,
    simulate,
)
from tests.bench.published_scaling import Published, on_ec2, on_minotauro

LINK = gigabits(10)
COST = StepCost(pull_bytes=1e8, push_bytes=1e8, compute_s=0.4)
FREE = StepCost(pull_bytes=0.0, push_bytes=0.0, compute_s=0.4)


def rate(cost: StepCost, links: Links, workers: int, sync: bool = False) -> float:
    return simulate(cost, links, workers, sync=sync, steps=12).steps_per_s


@pytest.mark.parametrize(
    "point", [p for p in on_ec2() if " 64 K80" in p.what], ids=lambda p: p.what
)
def test_that_the_published_efficiency_on_64_gpus_comes_out(point: Published) -> None:
    assert abs(point.simulated - point.measured) < 3.0


def test_that_the_published_figures_are_94_and_82_percent_and_10_3() -> None:
    largest = [p.measured for p in on_ec2() if " 64 K80" in p.what]
    assert [round(value) for value in largest] == [94, 82]
    assert on_minotauro().simulated == pytest.approx(10.3, rel=0.1)


@pytest.mark.parametrize("sync", [False, True])
def test_that_an_infinite_link_costs_nothing(sync: bool) -> None:
    outcome = simulate(COST, Links(bytes_per_s=math.inf), 16, sync=sync, steps=12)
    assert outcome.efficiency == pytest.approx(1.0)
    assert outcome.ps_busy == 0


@pytest.mark.parametrize("sync", [False, True])
def test_that_nothing_to_move_costs_nothing(sync: bool) -> None:
    outcome = simulate(FREE, Links(bytes_per_s=LINK), 16, sync=sync, steps=12)
    assert outcome.efficiency == pytest.approx(1.0)


@pytest.mark.parametrize("sync", [False, True])
@pytest.mark.parametrize("ps", [1, 4])
def test_that_one_worker_takes_its_own_time(sync: bool, ps: int) -> None:
    links = Links(ps=ps, bytes_per_s=LINK)
    assert 1 / rate(COST, links, 1, sync) == pytest.approx(alone_s(COST, links), rel=0.05)


def test_that_one_worker_beside_its_only_ps_moves_nothing_over_the_network() -> None:
    links = Links(bytes_per_s=LINK, alongside=True)
    assert simulate(COST, links, 1, sync=False).efficiency == pytest.approx(1.0)


@pytest.mark.parametrize("ps", [1, 2])
@pytest.mark.parametrize("overlap", [0.0, 0.5])
def test_that_the_formula_says_where_the_simulation_saturates(ps: int, overlap: float) -> None:
    cost = StepCost(pull_bytes=1e8, push_bytes=1e8, compute_s=0.4, overlap=overlap)
    links = Links(ps=ps, bytes_per_s=LINK)
    saturated = saturating_workers(cost, links)
    speedup = rate(cost, links, round(3 * saturated)) / rate(cost, links, 1)
    assert speedup == pytest.approx(saturated, rel=0.1)


def test_that_no_number_of_workers_exceeds_what_the_links_carry() -> None:
    links = Links(bytes_per_s=LINK)
    most = saturated_steps_per_s(COST, links)
    for workers in (4, 16, 32):
        assert rate(COST, links, workers) <= 1.02 * most


@pytest.mark.parametrize("sync", [False, True])
def test_that_more_workers_are_never_slower_and_never_more_efficient(sync: bool) -> None:
    links = Links(bytes_per_s=LINK)
    outcomes = [simulate(COST, links, n, sync=sync, steps=12) for n in (1, 2, 4, 8, 16)]
    rates = [o.steps_per_s for o in outcomes]
    efficiencies = [o.efficiency for o in outcomes]
    assert all(b > 0.98 * a for a, b in pairwise(rates))
    assert all(b < 1.02 * a for a, b in pairwise(efficiencies))


def test_that_faster_links_more_ps_and_overlap_help() -> None:
    slow = simulate(COST, Links(bytes_per_s=LINK), 8, sync=True, steps=12).efficiency
    fast = simulate(COST, Links(bytes_per_s=4 * LINK), 8, sync=True, steps=12).efficiency
    more = simulate(COST, Links(ps=4, bytes_per_s=LINK), 8, sync=True, steps=12).efficiency
    hidden = StepCost(pull_bytes=1e8, push_bytes=1e8, compute_s=0.4, overlap=2 / 3)
    overlapped = simulate(hidden, Links(bytes_per_s=LINK), 8, sync=True, steps=12).efficiency
    assert min(fast, more, overlapped) > slow


def test_that_sync_workers_wait_for_the_slowest_and_async_ones_do_not() -> None:
    cost = StepCost(pull_bytes=0.0, push_bytes=0.0, compute_s=0.4, jitter=0.2)
    links = Links(bytes_per_s=LINK)
    together = simulate(cost, links, 8, sync=True).efficiency
    alone = simulate(cost, links, 8, sync=False).efficiency
    assert together < 0.9 < 0.95 < alone


def test_that_a_simulation_can_be_repeated() -> None:
    cost = StepCost(pull_bytes=1e8, push_bytes=1e8, compute_s=0.4, jitter=0.1)
    links = Links(bytes_per_s=LINK)
    first, second = (simulate(cost, links, 4, sync=False, seed=7) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: StepCost(pull_bytes=-1, push_bytes=1, compute_s=1),
        lambda: StepCost(pull_bytes=1, push_bytes=1, compute_s=0),
        lambda: StepCost(pull_bytes=1, push_bytes=1, compute_s=1, overlap=1.5),
        lambda: Links(ps=0, bytes_per_s=1),
        lambda: Links(bytes_per_s=0),
        lambda: simulate(COST, Links(bytes_per_s=1), 0, sync=True),
    ],
)
def test_that_impossible_numbers_are_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - each has words of its own
        wrong()
