"""How right a run on all of MNIST gets: two workers, each update, the recipe of the README.

MNIST is read from the folder that CLEW_SHARED names or that lies beside the checkout; without it
there is nothing to measure, and the bench says so.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.bench_accuracy import mnist
from tests.bench.report import Report, Row
from tests.trainer.cluster import CHIEF, Cluster
from trainer.events import Evaluated
from trainer.spec import DatasetSpec, OptimizerSpec, TrainingSpec

AT_LEAST = 99.0
LIMIT_S = 1500.0
EPOCHS = 6.0
RECIPE = OptimizerSpec(name="adam", learning_rate=0.002, schedule="cosine")


def accuracy(images: Path, update: Any, folder: Path) -> float:
    """Percent of the test split that is right after all steps of a run with two workers."""
    training = TrainingSpec(
        dataset=DatasetSpec(name="mnist", path=str(images)),
        update=update,
        epochs=EPOCHS,
        optimizer=RECIPE,
    )
    with Cluster(folder, training) as cluster:
        cluster.start()
        statuses = cluster.wait(LIMIT_S)
        result = cluster.bodies(CHIEF, Evaluated)[-1]
    if set(statuses.values()) != {0} or not isinstance(result, Evaluated):
        raise SystemExit(f"mnist: the run did not finish: {statuses}")
    return 100 * result.accuracy


def main() -> int:
    report = Report("accuracy on MNIST")
    images = mnist()
    if images is None:
        print("MNIST is left out: its files are not here")
        return 0
    report.begin()
    for update in ("sync", "async"):
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
            found = accuracy(images, update, Path(name))
        what = f"{update}, 2 workers, {EPOCHS:g} epochs, {time.monotonic() - began:.0f} s"
        report.add(Row(what=what, samples=[found], bound=AT_LEAST, at_most=False, unit="%"))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
