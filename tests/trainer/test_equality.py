"""A distributed training gives what one process gives; ``equality`` runs all combinations."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trainer.equality import (
    BATCH,
    MANY,
    TOLERANCE,
    WORKERS,
    Case,
    Values,
    async_alone,
    async_in_halves,
    difference,
    per_node,
    single,
    sync,
)

pytestmark = [pytest.mark.tf, pytest.mark.timeout(1500)]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Values:
    """What one process makes of all workers' examples."""
    return single(tmp_path_factory.mktemp("alone"), "momentum", WORKERS * BATCH)


@pytest.mark.parametrize(
    "case",
    [
        Case("momentum", "between-graph", 2, True, bucket=MANY),
        Case("momentum", "in-graph", 1, True),
    ],
    ids=str,
)
def test_that_sync_workers_equal_one_process(weird_path: Path, alone: Values, case: Case) -> None:
    assert 0 < difference(sync(weird_path, case), alone) <= TOLERANCE


def test_that_the_devices_of_a_node_equal_one_device(weird_path: Path, alone: Values) -> None:
    assert difference(per_node(weird_path, "momentum"), alone) <= TOLERANCE


def test_that_bfloat16_is_what_travels(weird_path: Path, alone: Values) -> None:
    rounded = sync(weird_path, Case("momentum", "between-graph", 1, False, "bfloat16"))
    assert TOLERANCE < difference(rounded, alone) < 0.1


def test_that_async_with_one_worker_is_exactly_one_process(weird_path: Path) -> None:
    one_process = single(weird_path / "single", "momentum", BATCH)
    found = async_alone(weird_path / "async", "momentum", BATCH)
    assert difference(found, one_process) == 0
    found = async_in_halves(weird_path / "halves", "momentum", BATCH)
    assert difference(found, one_process) == 0  # whatever buckets a checkpoint came from
