"""Training on image files with real processes: odd files do not stop it, too many do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trainer.cluster import CHIEF, Cluster
from tests.trainer.image_files import case, write_tree
from trainer.events import Evaluated, Failed, Finished, Notice
from trainer.spec import EXIT_BAD_DATA, DatasetSpec, OptimizerSpec, TrainingSpec

pytestmark = [pytest.mark.tf, pytest.mark.timeout(1500)]


def odd_tree(folder: Path) -> Path:
    write_tree(folder, classes=3, each=16, validation=4)
    for name in ("cmyk", "gray", "bmp-inside", "gif-inside", "truncated"):
        (folder / "train" / "n00000001" / f"{name}.JPEG").write_bytes(case(name))
    return folder


def training(folder: Path, max_bad_files: int = 5) -> TrainingSpec:
    return TrainingSpec(
        dataset=DatasetSpec(
            name="imagenet", path=str(folder), image_size=16, max_bad_files=max_bad_files
        ),
        batch_size=8,
        steps=500,
        optimizer=OptimizerSpec(name="momentum", learning_rate=0.01),
    )


def test_that_a_run_learns_from_odd_files_and_names_the_bad_one(odd_path: Path) -> None:
    folder = odd_tree(odd_path / "images")
    with Cluster(odd_path / "run", training(folder)) as cluster:
        cluster.start()
        assert set(cluster.wait().values()) == {0}
        (evaluated,) = cluster.bodies(CHIEF, Evaluated)
        assert isinstance(evaluated, Evaluated)
        assert evaluated.accuracy > 0.9
        assert evaluated.examples == 12
        notices = [
            body.text
            for task in cluster.spec.tasks()
            for body in cluster.bodies(task, Notice)
            if isinstance(body, Notice) and "truncated.JPEG" in body.text
        ]
        assert notices
        assert "skipped a file that cannot be used" in notices[0]
        assert isinstance(cluster.bodies(CHIEF)[-1], Finished)


def test_that_more_bad_files_than_allowed_end_the_run(odd_path: Path) -> None:
    folder = odd_tree(odd_path / "images")
    wanted = training(folder, max_bad_files=0)
    with Cluster(odd_path / "run", wanted, workers=1) as cluster:
        cluster.start()
        statuses = cluster.wait()
        assert statuses[CHIEF] == EXIT_BAD_DATA
        failed = cluster.bodies(CHIEF)[-1]
        assert isinstance(failed, Failed)
        assert "truncated.JPEG cannot be used (truncated JPEG" in failed.reason
        assert "Traceback" not in cluster.log(CHIEF)
