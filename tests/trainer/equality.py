"""Every way to distribute a training gives what one process gives.

``python -m tests.trainer.equality`` runs all combinations with real processes and prints
the largest difference of any variable after 50 steps; it takes some minutes. The tests run a part.

Sync with N workers of batch b is compared with one process with batch N * b, and async with one
worker with one process, all from the same seed, in float32.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.trainer.cluster import CHIEF, LIMIT_S, WORKER_1, Cluster
from trainer.engine.layout import BUCKET_BYTES
from trainer.spec import OptimizerSpec, TrainingSpec

STEPS = 50
BATCH = 12
WORKERS = 2
TOLERANCE = 1e-5
LEARNING_RATES = {"sgd": 0.02, "momentum": 0.002}
"""Equal in effect: a momentum of 0.9 makes each gradient count ten times. Larger ones make the
network pass its kinks fast, which magnifies the rounding of sums in another order."""
KILL_AT = 10
MANY = 20_000
"""Bytes of a bucket that give the small network a dozen of them, and cut its largest variable."""

Values = dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]


class Case(NamedTuple):
    """One way to distribute. ``restart``: ``worker:1`` is killed on the way and started again."""

    optimizer: str
    replication: str
    ps: int
    restart: bool
    wire: str = "float32"
    bucket: int = BUCKET_BYTES

    def training(self) -> TrainingSpec:
        return TrainingSpec(
            update="sync",
            wire="bfloat16" if self.wire == "bfloat16" else "float32",
            replication="in-graph" if self.replication == "in-graph" else "between-graph",
            **_common(self.optimizer, BATCH),
        )

    def __str__(self) -> str:
        restart = ", a worker restarted" if self.restart else ""
        buckets = ", many buckets" if self.bucket == MANY else ""
        kind = f"{self.ps} ps, {self.wire}{buckets}{restart}"
        return f"sync {self.replication}, {self.optimizer}, {kind}"


ALL = [
    Case(*each)
    for each in itertools.product(
        ("sgd", "momentum"), ("between-graph", "in-graph"), (1, 2), (False, True)
    )
]
ALL += [case._replace(bucket=MANY) for case in ALL if case.optimizer == "momentum"]


def _common(optimizer: str, batch_size: int, steps: int = STEPS) -> dict[str, Any]:
    return {
        "optimizer": OptimizerSpec(name=optimizer, learning_rate=LEARNING_RATES[optimizer]),
        "steps": steps,
        "batch_size": batch_size,
        "checkpoint_every_s": 3600.0,
    }


def single(folder: Path, optimizer: str, batch_size: int, limit_s: float = LIMIT_S) -> Values:
    """The variables, and the optimizer's slots, of one process after all steps."""
    training = TrainingSpec(baseline="single", **_common(optimizer, batch_size))
    with Cluster(folder, training, ps=0, workers=1) as cluster:
        return _finish(cluster, limit_s)


def sync(folder: Path, case: Case, limit_s: float = LIMIT_S) -> Values:
    """The variables and slots after the same steps by several workers."""
    bucket = str(case.bucket)
    with Cluster(folder, case.training(), ps=case.ps, workers=WORKERS) as cluster:
        cluster.start(CLEW_BUCKET_BYTES=bucket)
        if case.restart:
            cluster.wait_for_step(KILL_AT, limit_s)
            cluster.kill(WORKER_1)
            cluster.start(WORKER_1, CLEW_BUCKET_BYTES=bucket)
        return _end(cluster, limit_s)


def per_node(folder: Path, optimizer: str, limit_s: float = LIMIT_S) -> Values:
    """The same by one worker that shares all their examples among three devices."""
    training = TrainingSpec(worker_per="node", **_common(optimizer, WORKERS * BATCH))
    with Cluster(folder, training, ps=1, workers=1) as cluster:
        cluster.start(CLEW_VIRTUAL_DEVICES="3")
        return _end(cluster, limit_s)


def async_alone(folder: Path, optimizer: str, batch_size: int, limit_s: float = LIMIT_S) -> Values:
    """The same of an async run that has one worker."""
    training = TrainingSpec(**_common(optimizer, batch_size))
    with Cluster(folder, training, ps=1, workers=1) as cluster:
        return _finish(cluster, limit_s)


def async_in_halves(
    folder: Path, optimizer: str, batch_size: int, limit_s: float = LIMIT_S
) -> Values:
    """The same by two runs: many buckets on one ps, then one on each of two ps."""
    half = folder / "half"
    training = TrainingSpec(**_common(optimizer, batch_size, STEPS // 2))
    with Cluster(half, training, ps=1, workers=1) as cluster:
        cluster.start(CLEW_BUCKET_BYTES=str(MANY))
        saved = cluster.checkpoints
        cluster.wait(limit_s)
    training = TrainingSpec(**_common(optimizer, batch_size), resume_from=str(saved))
    with Cluster(folder / "rest", training, ps=2, workers=1) as cluster:
        return _finish(cluster, limit_s)


def difference(a: Values, b: Values) -> float:
    """The largest difference of any value."""
    assert a.keys() == b.keys()
    return max(float(np.max(np.abs(a[name] - b[name]))) for name in a)


def _finish(cluster: Cluster, limit_s: float) -> Values:
    cluster.start()
    return _end(cluster, limit_s)


def _end(cluster: Cluster, limit_s: float) -> Values:
    statuses = cluster.wait(limit_s)
    assert set(statuses.values()) == {0}, (statuses, cluster.log(CHIEF)[-2000:])
    with np.load(cluster.checkpoints / f"step-{STEPS:012d}.npz") as file:
        return {name: file[name] for name in file.files}


def main() -> int:
    worst = 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alone = {
            (optimizer, size): single(folder / f"single {optimizer} {size}", optimizer, size)
            for optimizer in ("sgd", "momentum")
            for size in (BATCH, WORKERS * BATCH)
        }
        for number, case in enumerate(ALL):
            found = sync(folder / str(number), case)
            apart = difference(found, alone[case.optimizer, WORKERS * BATCH])
            worst = max(worst, apart)
            print(f"{apart:.2e}  {case}", flush=True)
        for optimizer in ("sgd", "momentum"):
            found = per_node(folder / f"node {optimizer}", optimizer)
            apart = difference(found, alone[optimizer, WORKERS * BATCH])
            worst = max(worst, apart)
            print(f"{apart:.2e}  one worker with three devices, {optimizer}", flush=True)
            found = async_alone(folder / f"async {optimizer}", optimizer, BATCH)
            apart = difference(found, alone[optimizer, BATCH])
            worst = max(worst, apart if apart == 0 else 1.0)
            print(f"{apart:.2e}  async, one worker, {optimizer} (must be 0)", flush=True)
            found = async_in_halves(folder / f"halves {optimizer}", optimizer, BATCH)
            apart = difference(found, alone[optimizer, BATCH])
            worst = max(worst, apart if apart == 0 else 1.0)
            print(f"{apart:.2e}  the same, resumed with other buckets (must be 0)", flush=True)
    print("equality: passed" if worst <= TOLERANCE else "equality: failed")
    return 0 if worst <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
