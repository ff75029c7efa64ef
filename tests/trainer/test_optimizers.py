"""The packed update rules, with their schedules and limits, do what Keras 3's optimizers do."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.trainer.cluster import LIMIT_S, REPOSITORY
from trainer.choices import KERAS_ONLY
from trainer.engine.scaling import scaled_rate, scaling_notice
from trainer.spec import OPTIMIZERS, OptimizerSpec, TrainingSpec


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


@pytest.mark.parametrize("name", sorted(KERAS_ONLY))
def test_that_an_optimizer_of_keras_which_is_no_choice_is_refused_with_the_reason(
    name: str,
) -> None:
    (problem,) = TrainingSpec(optimizer=OptimizerSpec(name=name)).problems()
    assert problem.path == "optimizer.name"
    for words in (*OPTIMIZERS, repr(name), KERAS_ONLY[name]):
        assert words in problem.message


def test_that_every_optimizer_of_keras_is_a_choice_or_refused_with_a_reason() -> None:
    """Keras' modules are its optimizers' names; ours calls the momentum of SGD by its name."""
    keras = importlib.util.find_spec("keras")
    assert keras is not None
    assert keras.origin is not None
    names = {path.stem for path in (Path(keras.origin).parent / "src/optimizers").glob("*.py")}
    names -= {n for n in names if n.endswith("_test")}
    names -= {"__init__", "base_optimizer", "optimizer", "optimizer_sparse_test", "multi_optimizer"}
    assert len(names) > 10
    assert names - set(OPTIMIZERS) <= set(KERAS_ONLY)
