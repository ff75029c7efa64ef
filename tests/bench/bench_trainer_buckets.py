"""The time of a step by the size of a bucket, with a ps 1 or 10 Gbit/s away from its worker.

Both are in network namespaces of their own, whose links are shaped to that rate. The model has
25 M parameters in 48 equal layers: 100 MB that travel each way in a step. With several workers,
one computes while another's variables travel, and buckets matter less; this is the case of one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.links import ShapedLinks, why_no_links
from tests.bench.report import Report, Row
from trainer.engine.layout import BUCKET_BYTES

ONE = 1 << 40
"""Bytes: everything is in one bucket."""
SIZES = sorted({1 << 20, BUCKET_BYTES, 16 << 20})
CASES = ((1.0, 128, 10, 1.1), (10.0, 64, 20, 1.0))
"""Gbit/s, examples in a step, steps, and how much faster than with one bucket at least."""
LIMIT_S = 400.0
ROOT = Path(__file__).parents[2]


def seconds(gbit: float, batch: int, steps: int) -> list[list[float]]:
    """Of each step, for each of ``SIZES`` and then one bucket."""
    sizes = [*SIZES, ONE]
    with ShapedLinks(2, gbit=gbit) as links, tempfile.TemporaryDirectory() as folder:
        addresses = [f"{links.address(i)}:2220" for i in range(2)]

        def start(machine: int, *words: object) -> subprocess.Popen[str]:
            program = [sys.executable, "-m", "tests.bench.bucket_programs"]
            return subprocess.Popen(
                [*links.enter(machine), *program, *map(str, words)],
                cwd=folder,
                env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "PYTHONPATH": str(ROOT)},
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )

        ps = start(0, "ps", *addresses)
        worker = start(1, "worker", *addresses, batch, steps, *sizes)
        try:
            output, _ = worker.communicate(timeout=LIMIT_S)
        finally:
            for process in (ps, worker):
                process.kill()
                process.wait()
        if worker.returncode:
            raise SystemExit(f"trainer, buckets: the worker ended with {worker.returncode}")
    found: list[list[float]] = json.loads(output)
    return found


def main() -> int:
    reason = why_no_links()
    if reason is not None:
        print(f"trainer, buckets: cannot be measured here: {reason}")
        return 2
    report = Report("trainer: buckets")
    for gbit, batch, steps, least in CASES:
        *found, one = seconds(gbit, batch, steps)
        report.begin()
        for size, each in zip(SIZES, found, strict=True):
            speeds = [b / a for a, b in zip(each, one, strict=True)]
            what = f"speed with {size >> 20} MiB against one bucket, {gbit:g} Gbit/s"
            bound = least if size == BUCKET_BYTES else 0.0
            report.add(Row(what=what, samples=speeds, bound=bound, at_most=False))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
