"""Trials of ``python -m tests.trainer.kills`` whose seeds between them kill every role."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trainer.kills import make_trial, run_trial
from trainer.spec import CHIEF, TaskId

pytestmark = [pytest.mark.tf, pytest.mark.timeout(600)]


SEEDS = (7, 21, 27)
"""A ps and a worker at the very end; a ps while the chief evaluates, in-graph; a ps while a
checkpoint is written, with a backup worker and two devices in each process."""


@pytest.mark.parametrize("seed", SEEDS)
def test_that_a_run_whose_tasks_are_killed_comes_to_its_end(tmp_path: Path, seed: int) -> None:
    run_trial(make_trial(seed), tmp_path)


def test_that_seeds_reach_every_way_to_train_and_every_moment() -> None:
    trials = [make_trial(seed) for seed in range(300)]
    modes = {(t.update, t.replication, t.worker_per, t.ps, t.backups) for t in trials}
    assert len(modes) == 24
    victims = {task for t in trials for task in t.victims}
    assert victims >= {CHIEF, TaskId("ps", 0), TaskId("ps", 1), TaskId("worker", 1)}
    assert len({(t.moment, t.victims[0].role) for t in trials}) == 12
    assert {len(t.victims) for t in trials} == {1, 2}
    assert [str(make_trial(3))] == [str(make_trial(3))]
