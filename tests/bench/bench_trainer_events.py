"""What telling costs: the trainer with and without its events and the times of its steps."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.bench.contenders import Contender, Trainer, Untold
from tests.bench.report import Report, Row
from tests.bench.side_by_side import Pair, Turns, measured_or_told, print_rates, ratio_row
from trainer.roles.steps import StepWindows, Taken
from trainer.sink import EventSink

BATCH = 64
MODEL = "mnist_cnn"
PAIR = Pair(ours="with events", other="without", what="with events / without them", bound=0.99)
TURNS = Turns(rounds=6, seconds=4.0)
ADDED = 20_000
"""Steps that are told in the second row."""
MOST_PERCENT = 1.0


def contenders(folder: Path) -> Sequence[Contender]:
    return [
        Trainer("with events", folder, MODEL, BATCH),
        Untold("without", folder, MODEL, BATCH),
    ]


def telling_s(folder: Path) -> list[float]:
    """Seconds that one step's report takes its worker, events written and all; five samples."""
    samples = []
    for number in range(5):
        with EventSink(folder / f"{number}.jsonl", 1) as sink:
            windows = StepWindows(sink, BATCH)
            begun = time.perf_counter()
            for step in range(ADDED):
                took = time.perf_counter() - begun
                windows.add(Taken(step, 0.123456789, True, took, took, 0.0), took)
            samples.append((time.perf_counter() - begun) / ADDED)
    return samples


def main() -> int:
    report = Report("trainer: what events and step times cost")
    with tempfile.TemporaryDirectory(prefix="clew bench ") as name:
        folder = Path(name)
        measured = measured_or_told(contenders(folder), TURNS)
        told = telling_s(folder)
    if measured is None:
        return 1
    report.begin()
    print_rates(measured)
    report.add(ratio_row(PAIR, measured))
    # Two workers: each takes a step in twice the time between steps of the job.
    step_s = 2 * BATCH / statistics.median(turn.rate for turn in measured[PAIR.ours])
    percent = [100 * seconds / step_s for seconds in told]
    what = f"a step's report, of a step of {1000 * step_s:.1f} ms"
    report.add(Row(what=what, samples=percent, bound=MOST_PERCENT, unit="%"))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
