"""The packed update rules do what the Keras 3 optimizers of their names do."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from tests.trainer.cluster import REPOSITORY
from trainer.spec import OPTIMIZERS


def values(kind: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.trainer.programs.optimizers", kind, *OPTIMIZERS],
        cwd=REPOSITORY,
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr.decode()
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.tf
def test_that_every_rule_equals_the_keras_optimizer_of_its_name() -> None:
    ours, theirs = values("packed"), values("keras")
    assert set(ours) == set(theirs) == set(OPTIMIZERS)
    for name in OPTIMIZERS:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=2e-5, atol=2e-6, err_msg=name)
    ends = [tuple(ours[name][-1]) for name in OPTIMIZERS]
    assert len(set(ends)) == len(OPTIMIZERS)  # no two rules are the same
