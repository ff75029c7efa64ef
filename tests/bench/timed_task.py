"""``python -m trainer`` that also writes where the time until its first step went.

``python -m tests.bench.timed_task TASK_DIR`` writes ``start.json`` into the folder: seconds of the
wall clock and of the processor in each part, until the first step (a ps: until it waits for the
chief), and which packages are loaded then. It measures for a bench and is no choice of the product.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trainer import runtime, task
from trainer.process import seconds_since_start

PARTS = ("interpreter", "TensorFlow", "server", "graph", "session", "first run", "waiting and rest")
PACKAGES = ("numpy", "tensorflow", "keras", "h5py", "scipy", "sklearn", "PIL")


class StartClock:
    """Adds up the first pass through each part."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._wall = {"interpreter": seconds_since_start()}
        self._processor = {"interpreter": time.process_time()}

    def timed(self, part: str, function: Callable[..., Any], *, last: bool = False) -> Any:
        """``function``, whose first call is ``part``; ``last``: the start is over after it."""

        def call(*args: Any, **choices: Any) -> Any:
            if part in self._wall:
                return function(*args, **choices)
            wall, processor = time.perf_counter(), time.process_time()
            try:
                return function(*args, **choices)
            finally:
                self._wall[part] = time.perf_counter() - wall
                self._processor[part] = time.process_time() - processor
                if last:
                    self._write()

        return call

    def _write(self) -> None:
        for seconds, total in (
            (self._wall, seconds_since_start()),
            (self._processor, time.process_time()),
        ):
            seconds["waiting and rest"] = total - sum(seconds.values())
            seconds["all"] = total
        packages = [name for name in PACKAGES if name in sys.modules]
        found = {"wall": self._wall, "processor": self._processor, "packages": packages}
        part = self._out.with_suffix(".part")
        part.write_text(json.dumps(found), encoding="utf-8")
        part.replace(self._out)


def main() -> int:
    clock = StartClock(Path(sys.argv[1]) / "start.json")
    import_tensorflow = clock.timed("TensorFlow", runtime.import_tensorflow)

    def importing(**choices: Any) -> None:
        import_tensorflow(**choices)
        if choices["keras"]:
            _time_worker(clock)
        else:
            _time_ps(clock)

    runtime.import_tensorflow = importing
    runtime.start_server = clock.timed("server", runtime.start_server)
    return task.main(sys.argv[1:])


def _time_worker(clock: StartClock) -> None:
    from trainer.roles import replica, stepping, worker

    _time(clock, worker, "build_graph", "graph")
    _time(clock, replica, "open_session", "session")
    _time(clock, stepping.AsyncStepping, "step", "first run", last=True)


def _time_ps(clock: StartClock) -> None:
    from trainer.engine.board import Board
    from trainer.roles import ps

    _time(clock, ps, "open_session", "session")
    _time(clock, Board, "mark", "first run", last=True)


def _time(clock: StartClock, owner: Any, name: str, part: str, *, last: bool = False) -> None:
    setattr(owner, name, clock.timed(part, getattr(owner, name), last=last))


if __name__ == "__main__":
    sys.exit(main())
