"""How fast photographs become training batches, against a plain ``tf.data`` pipeline.

The real photographs are read from the folder that CLEW_SHARED names or that lies beside the
checkout; without it there is nothing to measure, and the bench says so. Both programs take turns,
so that whatever else this machine does meets both.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.bench_accuracy import ROOT, mnist
from tests.bench.report import Report, Row

ROUNDS = 5
AT_LEAST = 0.9
AT_LEAST_FOR_THE_PROCESSOR = 0.6
"""It takes more processor time than ``tf.data``, in exchange for naming each bad file."""


class Feeder:
    """One of the programs, ready to make batches."""

    def __init__(self, program: str, kind: str, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.input_programs", program, kind, str(folder)],
            cwd=ROOT,
            env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def run(self) -> tuple[float, float]:
        """Images a second of wall time, and of processor time."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        images, used, passed = map(float, self._process.stdout.readline().split())
        return images / passed, images / used

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


def compare(report: Report, kind: str, folder: Path) -> None:
    """Both programs in turns; the other one sleeps, for its queues are full."""
    ours, theirs = Feeder("clew", kind, folder), Feeder("tfdata", kind, folder)
    try:
        for feeder in (ours, theirs):
            feeder.run()
        pairs = [(ours.run(), theirs.run()) for _ in range(ROUNDS)]
    finally:
        for feeder in (ours, theirs):
            feeder.end()
    fastest = max(a[0] for a, _ in pairs)
    for which, (what, bound) in enumerate(
        (
            (f"{kind}: images/s ({fastest:.0f} at best)", AT_LEAST),
            (f"{kind}: images per processor second", AT_LEAST_FOR_THE_PROCESSOR),
        )
    ):
        ratios = [a[which] / b[which] for a, b in pairs]
        report.add(Row(what=f"{what} over tf.data", samples=ratios, bound=bound, at_most=False))


def main() -> int:
    report = Report("input")
    images = mnist()
    photographs = images and images.parent / "imagenet-sample"
    if photographs is None or not photographs.is_dir():
        print("the input bench is left out: the photographs are not here")
        return 0
    report.begin()
    compare(report, "folder", photographs)
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as name:
        shards = Path(name, "shards")
        subprocess.run(
            [sys.executable, "-m", "trainer.build_shards", str(photographs), str(shards)],
            cwd=ROOT,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        compare(report, "shards", shards)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
