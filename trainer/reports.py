"""Turns what a user's script reports into the events that every task writes."""

from __future__ import annotations

import os
import select
import shutil
import tempfile
import time
from pathlib import Path

from trainer.events import Notice, Steps
from trainer.process import seconds_since_start
from trainer.reporting import read as read_report
from trainer.sink import EventSink

WINDOW_S = 0.1
_MOST_STEPS = 2000
"""Of one event, so that a line stays far below its limit."""


class ReportReader:
    """Owns the pipe that reports come through. Use as a context manager."""

    def __init__(self, folder: Path, sink: EventSink) -> None:
        self._sink = sink
        self._spare: str | None = None
        self.path = folder / "reports.pipe"
        self.step = 0
        self.examples = 0
        self.first_step_seconds: float | None = None
        self._begun = self._window_begun = time.time()
        self._steps: list[int] = []
        self._losses: list[float] = []
        self._times: list[float] = []
        self._window_examples = 0
        self._rest = b""
        self._complained = False
        self._fd = self._open()

    def __enter__(self) -> ReportReader:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def seconds(self) -> float:
        """From the start of the command to its last report."""
        return max(0.0, self._window_begun - self._begun)

    def read(self, seconds: float) -> None:
        """Wait up to ``seconds`` for reports; write a window of them when one is full."""
        if select.select([self._fd], [], [], seconds)[0]:
            self._take(os.read(self._fd, 1 << 16))
        if self._times and time.time() - self._window_begun >= WINDOW_S:
            self._flush()

    def close(self) -> None:
        """Take what is left, write it, and remove the pipe."""
        fd, self._fd = self._fd, -1
        if fd < 0:
            return
        while select.select([fd], [], [], 0)[0]:
            self._take(os.read(fd, 1 << 16))
        self._flush()
        os.close(fd)
        self.path.unlink(missing_ok=True)
        if self._spare is not None:
            shutil.rmtree(self._spare, ignore_errors=True)

    def _open(self) -> int:
        self.path.unlink(missing_ok=True)
        try:
            os.mkfifo(self.path, 0o600)
        except OSError:  # a file system without pipes
            self._spare = tempfile.mkdtemp(prefix="clew-")
            self.path = Path(self._spare, self.path.name)
            os.mkfifo(self.path, 0o600)
        # Open for writing as well: it never ends, whoever comes and goes.
        return os.open(self.path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)

    def _take(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            try:
                step, loss, examples, t = read_report(line)
            except (ValueError, TypeError, RecursionError):
                self._complain()
                continue
            self._add(step, loss, examples, t)

    def _add(self, step: int, loss: float, examples: int, t: float) -> None:
        if self.first_step_seconds is None:
            self.first_step_seconds = seconds_since_start()
        self.step = max(self.step, step)
        self.examples += examples
        self._window_examples += examples
        self._steps.append(step)
        self._losses.append(loss)
        self._times.append(t)
        if len(self._steps) >= _MOST_STEPS:
            self._flush()

    def _flush(self) -> None:
        if not self._steps:
            return
        end = max(self._times)
        self._sink.emit(
            Steps(
                steps=tuple(self._steps),
                losses=tuple(self._losses),
                times=tuple(self._times),
                examples=self._window_examples,
                window_s=max(end - self._window_begun, 1e-6),
            )
        )
        self._window_begun = end
        self._window_examples = 0
        self._steps, self._losses, self._times = [], [], []

    def _complain(self) -> None:
        if not self._complained:
            self._complained = True
            text = "something that is no report was written into the pipe for reports; left out"
            self._sink.emit(Notice(level="warning", text=text))
