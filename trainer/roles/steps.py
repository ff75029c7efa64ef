"""Turns single steps into few events: windows that follow each other without a gap."""

from __future__ import annotations

import time

from trainer.events import Steps
from trainer.sink import EventSink

WINDOW_S = 0.1
"""A window is written at the first step that ends after this time."""


class StepWindows:
    """Collects the steps of one stretch of training and writes them as ``steps`` events."""

    def __init__(self, sink: EventSink, batch_size: int) -> None:
        self._sink = sink
        self._batch_size = batch_size
        self._begun = time.monotonic()
        self._steps: list[int] = []
        self._losses: list[float] = []
        self._times: list[float] = []

    def add(self, step: int, loss: float) -> None:
        """One step that has just ended."""
        self._steps.append(step)
        self._losses.append(loss)
        self._times.append(time.time())
        if time.monotonic() - self._begun >= WINDOW_S:
            self.flush()

    def flush(self) -> None:
        """Write what has been collected; nothing when there is none."""
        if not self._steps:
            return
        now = time.monotonic()
        self._sink.emit(
            Steps(
                steps=tuple(self._steps),
                losses=tuple(self._losses),
                times=tuple(self._times),
                examples=len(self._steps) * self._batch_size,
                window_s=now - self._begun,
            )
        )
        self._begun = now
        self._steps, self._losses, self._times = [], [], []
