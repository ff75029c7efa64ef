"""A run's numbers, from its events: what the result says. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from trainer.events import Evaluated, Finished, Steps


@dataclass(slots=True)
class Totals:
    """Sums up events in any order of tasks; times are on this computer's clock."""

    launched_at: float
    """When the user pressed Launch."""
    global_step: int = 0
    final_loss: float | None = None
    """Mean batch loss at the greatest step; None when it was not finite."""
    accuracy: float | None = None
    """Of the last evaluation."""
    examples: int = 0
    first_step_at: float = math.inf
    _begin: float = field(default=math.inf)
    _end: float = field(default=-math.inf)
    _evaluated_at: float = field(default=-math.inf)

    def add_steps(self, body: Steps, shift_s: float) -> None:
        """``shift_s``: what to add to the event's times for this computer's clock."""
        self.examples += body.examples
        if not body.steps:
            return
        top = max(range(len(body.steps)), key=body.steps.__getitem__)
        if body.steps[top] >= self.global_step:
            loss = body.losses[top]
            self.global_step = body.steps[top]
            self.final_loss = loss if math.isfinite(loss) else None
        first, last = min(body.times) + shift_s, max(body.times) + shift_s
        self.first_step_at = min(self.first_step_at, first)
        self._begin = min(self._begin, first, last - max(0.0, body.window_s))
        self._end = max(self._end, last)

    def add_evaluation(self, body: Evaluated, t: float) -> None:
        if t >= self._evaluated_at:
            self._evaluated_at = t
            self.accuracy = body.accuracy if math.isfinite(body.accuracy) else None

    def add_finished(self, body: Finished) -> None:
        self.global_step = max(self.global_step, body.step)

    @property
    def examples_per_second(self) -> float | None:
        """Whole-run average: all examples over the time from the first to the last step."""
        seconds = self._end - self._begin
        return self.examples / seconds if self.examples and seconds > 0 else None

    @property
    def time_to_first_step_s(self) -> float | None:
        """From pressing Launch to the end of the first step that any worker made."""
        if not math.isfinite(self.first_step_at):
            return None
        return max(0.0, self.first_step_at - self.launched_at)
