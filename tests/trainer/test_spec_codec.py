"""A spec as JSON: read back equal, and refused with ``SpecError`` only."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainer.spec import (
    DATASETS,
    OPTIMIZERS,
    ClusterSpec,
    DatasetSpec,
    OptimizerSpec,
    SpecError,
    TaskId,
    TaskSpec,
    TrainingSpec,
    from_json,
    to_json,
)

tasks = st.builds(TaskId, st.sampled_from(["ps", "worker"]), st.integers(0, 999_999))
trainings = st.builds(
    TrainingSpec,
    dataset=st.builds(
        DatasetSpec, name=st.sampled_from(DATASETS), path=st.none() | st.text(max_size=20)
    ),
    optimizer=st.builds(
        OptimizerSpec,
        name=st.sampled_from(OPTIMIZERS),
        learning_rate=st.floats(1e-9, 1e3),
    ),
    workers=st.none() | st.integers(1, 4096),
    steps=st.none() | st.integers(1, 10**12),
    epochs=st.none() | st.floats(1e-6, 1e9),
    batch_size=st.integers(1, 1_000_000),
)
specs = st.builds(
    TaskSpec,
    run_id=st.text(max_size=20),
    task=tasks,
    cluster=st.builds(
        ClusterSpec,
        ps=st.lists(st.text(max_size=12), max_size=3).map(tuple),
        worker=st.lists(st.text(max_size=12), max_size=3).map(tuple),
    ),
    training=trainings,
    data_dir=st.none() | st.text(max_size=20),
    checkpoint_dir=st.text(max_size=20),
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(data: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """Every key of every mapping inside, with its mapping."""
    found = []
    for key, value in data.items():
        found.append((data, key))
        if isinstance(value, dict):
            found += places(value)
    return found


@given(specs)
def test_that_a_spec_survives_json(spec: TaskSpec) -> None:
    assert from_json(TaskSpec, json.loads(json.dumps(to_json(spec)))) == spec


@given(trainings)
def test_that_a_spec_within_its_limits_has_only_problems_between_fields(
    training: TrainingSpec,
) -> None:
    assert {problem.path for problem in training.problems()} <= {"epochs", "dataset.path"}


@given(specs, st.data())
def test_that_a_changed_spec_is_read_or_refused_and_its_problems_can_be_told(
    spec: TaskSpec, data: st.DataObject
) -> None:
    changed = to_json(spec)
    mapping, key = data.draw(st.sampled_from(places(changed)))
    mapping[key] = data.draw(anything)
    with contextlib.suppress(SpecError):
        read = from_json(TaskSpec, json.loads(json.dumps(changed)))
        assert all(str(problem.message) for problem in read.training.problems())


@pytest.mark.parametrize("text", ["", "ps", "ps:", "ps:01", "chief:0", "worker:-1", "ps:0 "])
def test_that_only_a_task_is_a_task(text: str) -> None:
    with pytest.raises(SpecError):
        TaskId.parse(text)


def test_that_a_number_beyond_all_limits_is_a_problem_in_words() -> None:
    problems = from_json(TrainingSpec, {"steps": 10**400}).problems()
    assert [problem.path for problem in problems] == ["steps"]
    with pytest.raises(SpecError):
        from_json(TrainingSpec, {"optimizer": {"learning_rate": 10**400}})
