"""The packed update rules, with their schedules and limits, do what Keras 3's optimizers do."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from tests.trainer.cluster import LIMIT_S, REPOSITORY
from trainer.engine.scaling import scaled_rate, scaling_notice
from trainer.spec import OPTIMIZERS, OptimizerSpec


def values(kind: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.trainer.programs.optimizers", kind],
        cwd=REPOSITORY,
        capture_output=True,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stderr.decode()
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.tf
def test_that_every_rule_schedule_and_limit_equals_keras() -> None:
    ours, theirs = values("packed"), values("keras")
    assert set(ours) == set(theirs) > set(OPTIMIZERS)
    for name in ours:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=3e-5, atol=3e-6, err_msg=name)
    ends = [tuple(np.round(end[-1], 7)) for end in ours.values()]
    assert len(set(ends)) == len(ours)  # no two of them are the same


def test_that_scaling_with_workers_is_chosen_and_said() -> None:
    assert scaling_notice(OptimizerSpec(learning_rate=0.1), 8) == ""
    assert scaled_rate(OptimizerSpec(learning_rate=0.1), 8) == 0.1
    linear = OptimizerSpec(learning_rate=0.1, scale_with_workers="linear")
    root = OptimizerSpec(learning_rate=0.1, scale_with_workers="sqrt")
    assert scaled_rate(linear, 4) == pytest.approx(0.4)
    assert scaled_rate(root, 4) == pytest.approx(0.2)
    assert "the learning rate is 0.4: 0.1 scaled for 4 workers (linear)" in scaling_notice(
        linear, 4
    )
