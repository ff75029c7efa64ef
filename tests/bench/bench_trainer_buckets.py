"""Examples per second by the size of a bucket, where ps and workers are 1 or 10 Gbit/s apart.

1 ps and its workers, async, each in a network namespace of its own whose link is shaped to
that rate; in turns, against one bucket for all variables. The model has 25 M parameters in 48
equal layers, 100 MB that travel each way in a step.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from tests.bench.links import ShapedLinks, why_no_links
from tests.bench.report import Report, Row
from tests.trainer.cluster import Cluster
from trainer.engine.layout import BUCKET_BYTES
from trainer.events import Steps
from trainer.spec import OptimizerSpec, TaskId, TrainingSpec

ROUNDS = int(os.environ.get("CLEW_BENCH_ROUNDS", "3"))
ONE = 1 << 40
"""Bytes: everything is in one bucket."""
OTHERS = (1 << 20, 16 << 20)
BATCHES = {1.0: 256, 10.0: 64}
"""Examples in a step by Gbit/s, so that computing takes about as long as the push."""
WORKERS = int(os.environ.get("CLEW_BENCH_WORKERS", "1"))
"""With more, one computes while another travels, and buckets matter less."""
STEPS = 16
WARM_UP = 4
LIMIT_S = 200.0
LEAST = 0.97
MODEL = """
import keras


def build(input_shape, classes):
    hidden = [keras.layers.Dense(720, activation="relu") for _ in range(48)]
    ends = [keras.layers.Flatten(), *hidden, keras.layers.Dense(classes)]
    return keras.Sequential([keras.layers.Input(input_shape), *ends])
"""


class FarCluster(Cluster):
    """A cluster whose tasks are each on a machine of ``links``: the ps first."""

    def __init__(self, folder: Path, training: TrainingSpec, links: ShapedLinks, workers: int):
        code = folder / "code"
        (code / "nets").mkdir(parents=True)
        (code / "nets" / "__init__.py").touch()
        (code / "nets" / "deep.py").write_text(MODEL)
        addresses = [f"{links.address(i)}:2220" for i in range(1 + workers)]
        super().__init__(folder, training, ps=1, workers=workers, code=code, addresses=addresses)
        self._links = links

    def prefix(self, task: TaskId) -> list[str]:
        return self._links.enter(0 if task.role == "ps" else 1 + task.index)


def rate(gbit: float, workers: int, bucket: int) -> float:
    """Examples per second of a whole run, after a warm-up."""
    training = TrainingSpec(
        model="nets.deep:build",
        batch_size=BATCHES[gbit],
        steps=STEPS,
        optimizer=OptimizerSpec(name="momentum", learning_rate=0.001),
        checkpoint_every_s=3600.0,
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        ShapedLinks(1 + workers, gbit=gbit) as links,
        FarCluster(Path(folder), training, links, workers) as cluster,
    ):
        cluster.start(CLEW_BUCKET_BYTES=str(bucket))
        cluster.wait_until(lambda: max(cluster.steps(), default=0) >= STEPS, LIMIT_S)
        ends: dict[int, float] = {}
        for task in cluster.spec.tasks():
            for body in cluster.bodies(task, Steps):
                if isinstance(body, Steps):
                    ends.update(zip(body.steps, body.times, strict=True))
    return BATCHES[gbit] * (STEPS - WARM_UP) / (ends[STEPS] - ends[WARM_UP])


def main() -> int:
    reason = why_no_links()
    if reason is not None:
        print(f"trainer, buckets: cannot be measured here: {reason}")
        return 2
    report = Report("trainer: buckets")
    sizes = sorted({*OTHERS, BUCKET_BYTES, ONE})
    for gbit in BATCHES:
        rates: dict[int, list[float]] = {size: [] for size in sizes}
        for _ in range(ROUNDS):
            for size in sizes:
                rates[size].append(rate(gbit, WORKERS, size))
                print(f"  {size >> 20} MiB: {rates[size][-1]:.0f} examples/s", flush=True)
        report.begin()
        for size in sizes[:-1]:
            ratios = [a / b for a, b in zip(rates[size], rates[ONE], strict=True)]
            what = f"{size >> 20} MiB / one bucket, {gbit:g} Gbit/s, {WORKERS} worker(s)"
            bound = LEAST if size == BUCKET_BYTES else 0.0
            report.add(Row(what=what, samples=ratios, bound=bound, at_most=False))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
