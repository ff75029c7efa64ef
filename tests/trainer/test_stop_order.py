"""A stop order may give a task more time, for as long as it has something to save."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.support.waiting import PATIENCE_S
from trainer.spec import EXIT_FINISHED

ROOT = Path(__file__).parents[2]
TASK = """\
import sys, time
from pathlib import Path
from trainer.stopping import StopSignal
stop = StopSignal(lambda: print("gave up", flush=True), Path(sys.argv[1]))
stop.grace_s, stop.saves = 0.2, sys.argv[2] == "saves"
print("up", flush=True)
while not stop.requested:
    time.sleep(0.01)
end = time.monotonic() + 2.0
while time.monotonic() < end:
    time.sleep(0.01)
print("saved", flush=True)
"""


CASES: list[tuple[str, dict[str, object] | None, str, bool]] = [
    ("task", {"depth": "checkpoint", "grace_s": 600.0}, "saves", True),
    ("task", {"depth": "checkpoint"}, "saves", True),
    ("run", {"depth": "checkpoint", "grace_s": 600.0}, "saves", True),
    ("task", {"depth": "now", "grace_s": 1.0}, "saves", False),
    ("task", {"depth": "checkpoint", "grace_s": 600.0}, "has nothing", False),
    ("task", {"depth": "checkpoint", "grace_s": "soon"}, "saves", False),
    ("task", None, "saves", False),
]
"""Whose order, what it says, the role, and whether saving comes to its end."""


def test_that_saving_takes_as_long_as_the_order_lets_it(weird_path: Path) -> None:
    started = [start(weird_path / str(number), *case[:3]) for number, case in enumerate(CASES)]
    try:
        for process in started:
            assert process.stdout is not None
            assert process.stdout.readline() == "up\n"
            process.send_signal(signal.SIGTERM)
        for process, (place, order, role, saved) in zip(started, CASES, strict=True):
            out, _ = process.communicate(timeout=PATIENCE_S)
            assert out == ("saved\n" if saved else "gave up\n"), (place, order, role)
            assert process.returncode == (EXIT_FINISHED if saved else -signal.SIGTERM)
    finally:
        for process in started:
            process.kill()
            process.communicate()


def start(
    folder: Path, place: str, order: dict[str, object] | None, role: str
) -> subprocess.Popen[str]:
    """A task in a run's folder, with an order in one of them."""
    task = folder / "gpu001" / "worker-0"
    task.mkdir(parents=True)
    if order is not None:
        (task if place == "task" else folder).joinpath("stop.json").write_text(json.dumps(order))
    return subprocess.Popen(
        [sys.executable, "-c", TASK, str(task), role],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
