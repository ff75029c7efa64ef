"""``python -m trainer`` without its event stream and without the times of its steps.

Only to see what both cost: it is no choice of the product. Steps are noted in ``steps.progress`` in
the task's folder instead.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.bench.progress import Progress
from trainer import runtime, task
from trainer.roles.steps import StepWindows, Taken
from trainer.sink import EventSink


class Untold(StepWindows):
    """Notes that a step was taken and collects nothing."""

    def __init__(self, sink: EventSink, batch_size: int, together: int = 1) -> None:
        self._progress = Progress(Path(sys.argv[1]) / "steps.progress")
        super().__init__(sink, batch_size, together)

    def add(self, taken: Taken, input_s: float, calls: int = 1) -> None:
        self._progress.step()


def _without_times() -> None:
    """The graph's marks of time become constants, and workers get ``Untold``."""
    import tensorflow.compat.v1 as tf

    tf.timestamp = lambda: tf.constant(0.0, tf.float64)
    from trainer.roles import worker

    worker.StepWindows = Untold  # type: ignore[attr-defined]


def main() -> int:
    import_tensorflow = runtime.import_tensorflow

    def importing(**choices: Any) -> None:
        import_tensorflow(**choices)
        if choices["keras"]:
            _without_times()

    runtime.import_tensorflow = importing
    return task.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
