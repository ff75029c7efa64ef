"""Turns single steps into few events: windows that follow each other without a gap."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from trainer.events import Steps
from trainer.process import seconds_since_start
from trainer.sink import EventSink

WINDOW_S = 0.1
"""A window is written at the first step that ends after this time."""


@dataclass(frozen=True, slots=True)
class Taken:
    """One step of one worker: the global step after it, the mean loss, where the time went.

    ``counts`` is False for a gradient that came too late and was dropped.
    """

    step: int
    loss: float
    counts: bool
    compute_s: float
    exchange_s: float
    wait_s: float


class StepWindows:
    """Collects the steps of one attempt and writes them as ``steps`` events. Thread-safe.

    Args:
        batch_size: of one worker.
        together: how many workers' steps of one number are reported as one; with 1, each is.
    """

    def __init__(self, sink: EventSink, batch_size: int, together: int = 1) -> None:
        self.examples = 0
        self.first_step_seconds: float | None = None
        self._sink = sink
        self._batch_size = batch_size
        self._together = together
        self._partial: dict[int, list[float]] = {}
        self._lock = threading.RLock()
        self.restart()

    def restart(self) -> None:
        """Training goes on now: the time before belongs to no window."""
        with self._lock:
            self._begun = time.monotonic()
            self._clear()

    def add(self, taken: Taken, input_s: float, calls: int = 1) -> None:
        """One step that has just ended, and how long it waited for its batch.

        Of ``calls`` that are under way at a time, each second of each counts for its part: the
        times of a window are those of the worker, and not more than the window.
        """
        with self._lock:
            self._input_s += input_s / calls
            self._compute_s += taken.compute_s / calls
            self._exchange_s += taken.exchange_s / calls
            self._wait_s += taken.wait_s / calls
            if taken.counts:
                self.examples += self._batch_size
                self._examples += self._batch_size
                self._note(taken)
            else:
                self._dropped += 1
            if time.monotonic() - self._begun >= WINDOW_S:
                self.flush()

    def flush(self, *, last: bool = False) -> None:
        """Write what has been collected; a window without a step only if it is the last."""
        with self._lock:
            if not self._steps and not (last and self._dropped):
                return
            now = time.monotonic()
            self._sink.emit(
                Steps(
                    steps=tuple(self._steps),
                    losses=tuple(self._losses),
                    times=tuple(self._times),
                    examples=self._examples,
                    window_s=now - self._begun,
                    input_s=round(self._input_s, 6),
                    compute_s=round(self._compute_s, 6),
                    exchange_s=round(self._exchange_s, 6),
                    wait_s=round(self._wait_s, 6),
                    dropped=self._dropped,
                )
            )
            self._begun = now
            self._clear()

    def _note(self, taken: Taken) -> None:
        if self.first_step_seconds is None:
            self.first_step_seconds = seconds_since_start()
        losses = self._partial.setdefault(taken.step, [])
        losses.append(taken.loss)
        if len(losses) < self._together:
            return
        del self._partial[taken.step]
        self._steps.append(taken.step)
        self._losses.append(sum(losses) / len(losses))
        self._times.append(time.time())

    def _clear(self) -> None:
        self._steps: list[int] = []
        self._losses: list[float] = []
        self._times: list[float] = []
        self._examples = self._dropped = 0
        self._input_s = self._compute_s = self._exchange_s = self._wait_s = 0.0
