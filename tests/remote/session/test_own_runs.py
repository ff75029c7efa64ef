"""A user's own code over SSH: their model, and their command in place of a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from remote.bundle import code_tree
from remote.errors import DataError
from remote.practice import PracticeCluster
from remote.session.code import check_code
from remote.updates import EvalUpdate, LogUpdate, StepsUpdate
from tests.support.sessions import practice_profile, watched
from trainer.spec import TrainingSpec

pytestmark = pytest.mark.timeout(1500)
LIMIT_S = 400.0

NETS = """
import keras
from nets.parts import dense

def build(classes):
    return keras.Sequential([keras.layers.Flatten(), dense(classes)])
"""
PARTS = "import keras\ndef dense(classes): return keras.layers.Dense(classes)\n"
DATA = """
import gzip, os
import numpy as np

def load(path):
    table = np.loadtxt(os.path.join(path, "digits.csv.gz"), delimiter=",")
    x, y = table[:, :-1] / 16, table[:, -1].astype(int)
    return (x[:1500], y[:1500]), (x[1500:], y[1500:])
"""
SCRIPT = """
import json, os, sys, time
import trainer
task = json.loads(os.environ["TF_CONFIG"])["task"]
if task["type"] == "worker" and os.environ["CLEW_ATTEMPT"] == "1" and task["index"] == 1:
    sys.exit("the first attempt of worker 1 fails")
seen = sorted(n for n in os.listdir(os.environ["CLEW_CODE"]) if n[0] != ".")
print("hello from", task["type"], task["index"], "with", seen)
for step in range(1, 51):
    trainer.report(step=step, loss=1 / step, examples=4)
    time.sleep(0.01)
"""


@pytest.fixture
def code(weird_path: Path) -> Path:
    """A folder of code whose path has a blank and quotes."""
    folder = weird_path / 'Ana\'s "nets"'
    (folder / "nets").mkdir(parents=True)
    (folder / "nets" / "__init__.py").touch()
    (folder / "nets" / "model.py").write_text(NETS)
    (folder / "nets" / "parts.py").write_text(PARTS)
    (folder / "my_data.py").write_text(DATA)
    (folder / "train it.py").write_text(SCRIPT)
    (folder / ".git").mkdir()
    (folder / ".git" / "config").touch()
    (folder / "nets" / "__pycache__").mkdir()
    (folder / "nets" / "__pycache__" / "old.pyc").touch()
    return folder


def test_that_a_tree_of_code_has_neither_hidden_files_nor_caches(code: Path) -> None:
    assert [file.path for file in code_tree(code).files] == [
        "my_data.py",
        "nets/__init__.py",
        "nets/model.py",
        "nets/parts.py",
        "train it.py",
    ]
    with pytest.raises(DataError, match=r"no folder.*absent") as caught:
        code_tree(code / "absent")
    assert "training.code" in caught.value.remedy


def test_that_a_module_that_is_not_in_its_package_is_told_before_the_launch(code: Path) -> None:
    tree = code_tree(code)
    for good in ("nets.model:build", "installed_elsewhere.nets:build", "mlp"):
        check_code(TrainingSpec(model=good, code=str(code)), tree)
    with pytest.raises(DataError, match=r"no module nets\.modle.*neither nets/modle\.py"):
        check_code(TrainingSpec(model="nets.modle:build", code=str(code)), tree)


@pytest.mark.tf
def test_that_ones_own_model_and_data_are_trained_on_the_nodes(
    practice: PracticeCluster, code: Path, tmp_path: Path
) -> None:
    profile = practice_profile(
        practice.profile,
        steps=600,
        model="nets.model:build",
        code=str(code),
        **{"dataset.name": "my_data:load", "optimizer.learning_rate": 0.01},
    )
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts]) as w:
        result = w.session.launch().wait(LIMIT_S)
        assert result is not None
        assert (result.state, result.reason) == ("finished", "")
        (found,) = w.of(EvalUpdate)
        assert found.step == 600
        assert found.accuracy > 0.7  # by chance it would be 0.1


def test_that_a_command_runs_on_every_node_and_is_followed(
    practice: PracticeCluster, code: Path, tmp_path: Path
) -> None:
    profile = practice_profile(practice.profile, code=str(code), command='[python, "train it.py"]')
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts]) as w:
        run = w.session.launch()
        result = run.wait(LIMIT_S)
        assert result is not None
        assert (result.state, result.reason, result.left_behind) == ("finished", "", ())
        w.wait_for(lambda w: len(w.states("worker:1")) > 0)
        steps: dict[str, list[int]] = {}
        for update in w.of(StepsUpdate):
            steps.setdefault(str(update.task), []).extend(update.steps)
        assert steps["worker:0"] == steps["ps:0"] == list(range(1, 51))
        assert "restarting" in w.states("worker:1")
        log = "".join(u.text for u in w.of(LogUpdate) if str(u.task) == "worker:0")
        assert "hello from worker 0 with ['my_data.py', 'nets', 'train it.py']" in log


def test_that_a_command_that_never_ends_is_stopped_everywhere(
    practice: PracticeCluster, code: Path, tmp_path: Path
) -> None:
    (code / "forever.py").write_text(
        "import trainer, time, itertools\n"
        "for step in itertools.count(1):\n"
        "    trainer.report(step=step, loss=0.0, examples=1)\n"
        "    time.sleep(0.02)\n"
    )
    profile = practice_profile(practice.profile, code=str(code), command="python forever.py")
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts]) as w:
        run = w.session.launch()
        w.wait_for(lambda w: len(w.of(StepsUpdate)) > 5, LIMIT_S)
        run.stop()
        result = run.wait(LIMIT_S)
        assert result is not None
        assert (result.state, result.left_behind) == ("stopped", ())
        words = ("trainer.script", "forever.py", "remote.node.supervisor")
        left = [p for p in practice.left_running() if any(word in p.command for word in words)]
        assert left == []
