"""Seeds make plans: the same each time, and between them everything that there is."""

from __future__ import annotations

from typing import get_args

from tests.chaos.plan import DESKTOP, LONGEST_CUT_S, UNTIL_OVER, Kind, make_plan
from tests.chaos.test_chaos import SEEDS

PLANS = [make_plan(seed) for seed in range(400)]
ACTS = [act for plan in PLANS for act in plan.acts]


def test_that_a_seed_makes_the_same_plan_each_time() -> None:
    assert [make_plan(seed) for seed in range(400)] == PLANS
    assert len(set(PLANS)) == 400


def test_that_seeds_reach_every_fault_at_every_moment() -> None:
    assert {act.kind for act in ACTS} == set(get_args(Kind))
    assert {(act.kind, act.when.at) for act in ACTS} >= {
        (kind, at)
        for kind in get_args(Kind)
        for at in ("launched", "step")
        if (kind, at) != ("stop run", "launched")
    }
    assert {len(plan.acts) for plan in PLANS} == {1, 2, 3, 4}


def test_that_seeds_reach_every_part() -> None:
    targets = {act.target for act in ACTS}
    assert targets == {DESKTOP, "ps:0", "ps:1", "worker:0", "worker:1", "worker:2"}
    cut = [act for act in ACTS if act.kind == "cut link"]
    assert min(act.for_s for act in cut) < 3
    assert LONGEST_CUT_S >= max(act.for_s for act in cut) > 30
    assert {act.for_s == UNTIL_OVER for act in ACTS if act.kind == "kill desktop"} == {True, False}


def test_that_seeds_reach_every_way_to_train() -> None:
    ways = {(p.update, p.replication, p.ps, p.workers) for p in PLANS}
    assert len(ways) == 2 * 2 * 2 * 2
    assert {p.nodes for p in PLANS} == {3, 4, 5}
    assert {p.placement for p in PLANS} == {"alongside", "dedicated"}


def test_that_the_trials_of_every_day_are_short_and_differ() -> None:
    plans = [make_plan(seed) for seed in SEEDS]
    assert len(plans) == 6
    assert max(plan.faults_s for plan in plans) < 12
    assert len({act.kind for plan in plans for act in plan.acts}) >= 8


def test_that_tasks_wait_longer_than_anything_is_broken_and_not_much_longer() -> None:
    for seed in range(300):
        plan = make_plan(seed)
        longest = max((act.for_s for act in plan.acts), default=0.0)
        assert max(60.0, longest + 30.0) <= plan.patience_s <= 120.0
