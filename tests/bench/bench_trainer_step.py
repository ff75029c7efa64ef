"""Examples per second of the trainer (async, 1 ps, 2 workers) against two known programs.

All train the small MNIST network, 64 examples a step, on this machine, in turns: a plain TF2 loop
in one process, which uses all cores and talks to nobody, and the classic v1 program with one
variable each. Rates are wall-clock, of the whole job, after a warm-up.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.report import Report, Row
from tests.bench.step_programs import BATCH, WARM_UP
from tests.support.ports import free_ports
from tests.trainer.cluster import Cluster
from trainer.events import Steps
from trainer.spec import OptimizerSpec, TrainingSpec

ROUNDS = 3
STEPS = 600
LIMIT_S = 100.0
LEAST_OF_PLAIN = 0.8
LEAST_OF_STOCK = 1.0


def ours() -> float:
    """A whole run of ``python -m trainer``; the rate comes from its events."""
    training = TrainingSpec(
        batch_size=BATCH, steps=STEPS, optimizer=OptimizerSpec(name="momentum", learning_rate=0.01)
    )
    with tempfile.TemporaryDirectory() as folder, Cluster(Path(folder), training) as cluster:
        cluster.start()
        cluster.wait(LIMIT_S)
        ends: dict[int, float] = {}
        for events in cluster.events().values():
            for event in events:
                if isinstance(event.body, Steps):
                    ends.update(zip(event.body.steps, event.body.times, strict=True))
    first = int(STEPS * WARM_UP)
    return BATCH * (STEPS - first) / (max(ends.values()) - ends[first])


def plain() -> float:
    return _rate(_start("plain", str(STEPS)))


def stock() -> float:
    ps, *workers = (f"127.0.0.1:{port}" for port in free_ports(3))
    server = _start("stock", str(STEPS), "ps", "0", ps, *workers)
    try:
        chief, other = (
            _start("stock", str(STEPS), "worker", str(i), ps, *workers) for i in range(2)
        )
        try:
            return _rate(chief)
        finally:
            other.kill()
            other.communicate()
    finally:
        server.kill()
        server.communicate()


def _start(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.bench.step_programs", *arguments],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _rate(process: subprocess.Popen[bytes]) -> float:
    try:
        output, _ = process.communicate(timeout=LIMIT_S)
    finally:
        process.kill()
    return float(json.loads(output)["rate"])


def main() -> int:
    report = Report("trainer: one step")
    rates: dict[str, list[float]] = {"plain": [], "ours": [], "stock": []}
    for _ in range(ROUNDS):
        for name, measure in (("plain", plain), ("ours", ours), ("stock", stock)):
            rates[name].append(measure())
            print(f"  {name}: {rates[name][-1]:.0f} examples/s", flush=True)
    report.begin()
    for other, bound, words in (
        ("plain", LEAST_OF_PLAIN, "a plain TF2 loop in one process"),
        ("stock", LEAST_OF_STOCK, "stock v1 async, one variable each"),
    ):
        ratios = [a / b for a, b in zip(rates["ours"], rates[other], strict=True)]
        report.add(
            Row(what=f"throughput against {words}", samples=ratios, bound=bound, at_most=False)
        )
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
