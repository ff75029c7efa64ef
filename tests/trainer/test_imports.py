"""A task imports what its role needs, and nothing is kept from the user's own code."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.trainer.cluster import REPOSITORY

pytestmark = pytest.mark.tf


def imported(*arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.trainer.programs.imported", *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_that_a_ps_loads_neither_keras_nor_anything_else_that_it_does_not_use() -> None:
    assert imported("ps") == {"loaded": [], "later": "scipy.sparse"}


def test_that_a_worker_loads_keras_and_leaves_the_rest_to_whoever_imports_it() -> None:
    found = imported("keras")
    assert "keras" in found["loaded"]
    assert not {"scipy", "sklearn"} & set(found["loaded"])
    assert found["later"] == "scipy.sparse"


def test_that_keras_has_all_its_functions_for_code_of_the_users() -> None:
    assert "scipy" in imported("keras", "own")["loaded"]
