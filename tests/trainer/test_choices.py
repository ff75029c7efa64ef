"""Choices of distribution that do not go together are told."""

from __future__ import annotations

import pytest

from trainer.spec import RestartSpec, TrainingSpec


@pytest.mark.parametrize(
    ("training", "words"),
    [
        (TrainingSpec(backup_workers=1), "only a sync update has backup workers"),
        (TrainingSpec(update="sync", backup_workers=2, workers=2), "2 of 2 would leave none"),
    ],
)
def test_that_backup_workers_need_a_sync_update_and_others_to_wait_for(
    training: TrainingSpec, words: str
) -> None:
    (problem,) = training.problems()
    assert problem.path == "backup_workers"
    assert words in problem.message


@pytest.mark.parametrize(
    "training",
    [
        TrainingSpec(update="sync", backup_workers=1, workers=2),
        TrainingSpec(update="sync", backup_workers=4),  # how many fit is known to the plan
        TrainingSpec(update="sync", replication="in-graph", worker_per="node", wire="bfloat16"),
        TrainingSpec(baseline="single", backup_workers=1),  # not used, so that one key is enough
    ],
)
def test_that_everything_else_goes_together(training: TrainingSpec) -> None:
    assert training.problems() == []


def test_that_a_single_process_is_neither_sync_nor_in_graph() -> None:
    training = TrainingSpec(baseline="single", update="sync", replication="in-graph")
    assert (training.is_single, training.is_sync, training.is_in_graph) == (True, False, False)
    training = TrainingSpec(update="sync", replication="in-graph")
    assert (training.is_single, training.is_sync, training.is_in_graph) == (False, True, True)


def test_that_a_restart_policy_of_others_is_refused_with_the_reason() -> None:
    training = TrainingSpec(restart=RestartSpec(policy="always", backoff_s=60.0))
    policy, cap = training.problems()
    assert policy.path == "restart.policy"
    assert "one of on-failure, exit-code, never" in policy.message
    assert "has done its work" in policy.message
    assert (cap.path, cap.message) == ("restart.backoff_cap_s", "must be at least backoff_s, 60")
