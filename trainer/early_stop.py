"""Whether a run has reached what it was for. No TensorFlow."""

from __future__ import annotations

import math

from trainer.events import Evaluated
from trainer.spec import EarlyStopSpec


class EarlyStop:
    """Looks at one evaluation after the other. A chief that was restarted counts anew."""

    def __init__(self, spec: EarlyStopSpec) -> None:
        self._spec = spec
        self._best = math.inf
        self._best_step = 0
        self._without_progress = 0

    def reason(self, result: Evaluated) -> str:
        """Why the run should end after ``result``, in one sentence; empty: it should go on."""
        spec = self._spec
        if spec.accuracy is not None and result.accuracy >= spec.accuracy:
            return (
                f"stopped early at step {result.step}: the test accuracy is "
                f"{result.accuracy:.4f}, and {spec.accuracy:g} was wanted"
            )
        if spec.loss is not None and result.loss <= spec.loss:
            return (
                f"stopped early at step {result.step}: the test loss is {result.loss:.4g}, and "
                f"{spec.loss:g} was wanted"
            )
        if result.loss < self._best:
            self._best, self._best_step, self._without_progress = result.loss, result.step, 0
            return ""
        self._without_progress += 1
        if spec.patience is None or self._without_progress < spec.patience:
            return ""
        return (
            f"stopped early at step {result.step}: the test loss is no lower than the "
            f"{self._best:.4g} of step {self._best_step} in {spec.patience} evaluations"
        )
