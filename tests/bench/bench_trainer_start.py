"""From a process' start to its first step, part by part, and the memory of each role.

1 ps and 2 workers on the small MNIST network start together on this machine. What they import is
compared with a bare ``import tensorflow`` and ``import keras``, in processor time.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.report import Report, Row
from tests.bench.timed_task import PARTS
from tests.trainer.cluster import CHIEF, PS_0, REPOSITORY, WORKER_1, Cluster
from trainer.spec import TaskId, TrainingSpec

LIMIT_S = 240.0
STARTS = 2
STEPS = 10**9
TASKS = {"ps": PS_0, "chief": CHIEF, "worker": WORKER_1}
BARE = {"ps": "import tensorflow", "worker": "import tensorflow, keras"}
NOT_FOR_PS = {"keras", "h5py", "scipy", "sklearn"}
TRAIN_S = 3.0
"""Memory is read after so long in training."""


def one_start(folder: Path) -> tuple[dict[str, dict[str, Any]], dict[str, float]]:
    """What ``timed_task`` wrote, and MiB of resident memory; by role."""
    training = TrainingSpec(steps=STEPS, checkpoint_every_s=86400.0)
    with Cluster(folder, training) as cluster:
        cluster.program = "tests.bench.timed_task"
        cluster.start()
        files = {role: cluster.task_dir(task) / "start.json" for role, task in TASKS.items()}
        cluster.wait_until(lambda: all(file.exists() for file in files.values()), LIMIT_S)
        time.sleep(TRAIN_S)
        memory = {role: resident_mib(cluster, task) for role, task in TASKS.items()}
        return {role: json.loads(file.read_text()) for role, file in files.items()}, memory


def resident_mib(cluster: Cluster, task: TaskId) -> float:
    """``VmRSS`` of the task's process."""
    text = Path(f"/proc/{cluster.processes[task].pid}/status").read_text()
    line = next(line for line in text.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


def bare_s(code: str) -> float:
    """Processor seconds of a process that runs ``code``."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": "-1"}
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        env=environment,
        cwd=REPOSITORY,
        stderr=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def print_table(starts: list[dict[str, dict[str, Any]]], memory: list[dict[str, float]]) -> None:
    """Medians: seconds of the clock, and of the processor in brackets."""
    print(f"  {'seconds (of the processor)':<28}" + "".join(f"{role:>18}" for role in TASKS))
    for part in (*PARTS, "all"):
        cells = []
        for role in TASKS:
            wall, processor = (
                statistics.median(start[role][kind].get(part, 0.0) for start in starts)
                for kind in ("wall", "processor")
            )
            cells.append(f"{wall:.2f} ({processor:.2f})")
        print(f"  {part:<28}" + "".join(f"{cell:>18}" for cell in cells))
    cells = [f"{statistics.median(m[role] for m in memory):.0f} MiB" for role in TASKS]
    print(f"  {'memory while it trains':<28}" + "".join(f"{cell:>18}" for cell in cells))


def main() -> int:
    report = Report("trainer: start and memory")
    starts, memory, bare = [], [], {}
    with tempfile.TemporaryDirectory(prefix="clew bench ") as name:
        for number in range(STARTS):
            start, resident = one_start(Path(name) / str(number))
            starts.append(start)
            memory.append(resident)
        bare = {role: [bare_s(code) for _ in range(STARTS)] for role, code in BARE.items()}
    report.begin()
    print_table(starts, memory)
    for role, others in bare.items():
        ratios = [
            (start[role]["processor"]["interpreter"] + start[role]["processor"]["TensorFlow"])
            / other
            for start, other in zip(starts, others, strict=True)
        ]
        what = f"{role}: processor time of imports, against a bare {BARE[role]!r}"
        report.add(Row(what=what, samples=ratios, bound=1.0))
    needless = [float(len(NOT_FOR_PS & set(start["ps"]["packages"]))) for start in starts]
    what = f"ps: packages of {', '.join(sorted(NOT_FOR_PS))}"
    report.add(Row(what=what, samples=needless, bound=0, unit=""))
    ratios = [m["ps"] / m["worker"] for m in memory]
    report.add(Row(what="memory of a ps against a worker's", samples=ratios, bound=1.0))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
