"""An earlier run named in ``resume_from`` becomes the folder of its checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.errors import ClewError, PlanError
from remote.history import History, RunRecord, TaskRecord
from remote.plan import PlannedTask
from remote.session.resuming import resumed
from trainer.spec import TaskId, TrainingSpec

EARLIER, NEWER, OWN = "20260101-1200-aaaa", "20260102-1200-bbbb", "20260103-1200-cccc"
CHIEF = TaskId("worker", 0)


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    found = History(tmp_path / "history 'ü'.db")
    for at, run_id in enumerate((EARLIER, NEWER, OWN)):
        node = "gpu002" if run_id == NEWER else "gpu001"
        record = TaskRecord(task=CHIEF, node=node, root="/home/ana/.clew")
        found.add_run(RunRecord(run_id=run_id, name="", started_at=float(at)), [record])
    yield found
    found.close()


def folder_of(text: str, history: History, node: str = "gpu001") -> str | None:
    chief = PlannedTask(
        task=CHIEF,
        node=node,
        address=node,
        port=2220,
        gpus=(),
        environment={},
        moved_from_port=None,
    )
    return resumed(TrainingSpec(resume_from=text), chief, history, OWN).resume_from


@pytest.mark.parametrize("text", [EARLIER, "aaaa", "20260101"])
def test_that_a_run_is_named_as_everywhere(history: History, text: str) -> None:
    assert folder_of(text, history) == f"/home/ana/.clew/runs/{EARLIER}/checkpoints"


def test_that_last_is_the_run_before_the_one_that_is_launched(history: History) -> None:
    assert folder_of("last", history, "gpu002") == f"/home/ana/.clew/runs/{NEWER}/checkpoints"


@pytest.mark.parametrize("text", ["/data/last", "~/last", "~"])
def test_that_a_folder_stays_as_it_is(history: History, text: str) -> None:
    assert folder_of(text, history) == text


def test_that_a_run_on_another_node_is_refused_with_both_nodes(history: History) -> None:
    with pytest.raises(PlanError, match=r"on gpu002, and worker:0 .* on gpu001") as refused:
        folder_of(NEWER, history)
    assert f"/runs/{NEWER}/checkpoints" in refused.value.remedy


@pytest.mark.parametrize("text", ["nosuch", OWN])
def test_that_an_unknown_run_is_refused(history: History, text: str) -> None:
    with pytest.raises(ClewError, match=f"no run '{text}'"):
        folder_of(text, history)
