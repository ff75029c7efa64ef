"""Any name becomes one safe path component, and different names different ones."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remote.node.layout import Layout, component
from remote.node.refused import Refused

NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=300)


@given(NAMES, NAMES)
def test_that_components_are_safe_and_different(first: str, second: str) -> None:
    made = component(first)
    assert made.isascii()
    assert 0 < len(made) < 200
    assert "/" not in made
    assert not made.startswith(".")
    assert (component(second) == made) == (first == second)


@pytest.mark.parametrize("name", ["gpu001", "gpu-1.lab_2", "10.0.0.1"])
def test_that_ordinary_names_stay_readable(name: str) -> None:
    assert component(name) == name


@pytest.mark.parametrize("task", ["worker", "worker:x", "../x:0", "worker:0/..", "Worker:0", ""])
def test_that_only_tasks_have_task_folders(task: str) -> None:
    with pytest.raises(Refused):
        Layout("/r", "n").task("run", task)


def test_that_the_root_must_be_absolute_and_digests_hashes() -> None:
    with pytest.raises(Refused):
        Layout("relative", "n")
    with pytest.raises(Refused):
        Layout("/r", "n").tree("app", "app", "../../etc")


def test_that_tasks_are_listed_under_their_own_node_only(tmp_path: Path) -> None:
    paths = Layout(str(tmp_path), "gpu 01/ü")
    for task in ("worker:0", "ps:1"):
        Path(paths.task("r/1", task)).mkdir(parents=True)
    Path(Layout(str(tmp_path), "other").task("r/1", "ps:7")).mkdir(parents=True)
    Path(paths.tasks("r/1"), "notes.txt").touch()
    assert paths.task_names("r/1") == ["ps:1", "worker:0"]
    assert len(list(paths.all_tasks())) == 3
