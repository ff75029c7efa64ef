"""Trials of ``make chaos`` whose seeds between them break every part."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.chaos.plan import make_plan
from tests.chaos.trial import Trial
from tests.support.sshd import why_no_nodes

pytestmark = [
    pytest.mark.tf,
    pytest.mark.nodes,
    pytest.mark.timeout(1500),
    pytest.mark.skipif(why_no_nodes() is not None, reason=str(why_no_nodes())),
]

SEEDS = (2, 3, 5, 8, 12, 21)


@pytest.mark.parametrize("seed", SEEDS)
def test_that_a_run_whose_parts_are_broken_ends_well_and_leaves_nothing(
    tmp_path: Path, seed: int
) -> None:
    Trial(make_plan(seed), tmp_path).run()
    shutil.rmtree(tmp_path / "nodes")
