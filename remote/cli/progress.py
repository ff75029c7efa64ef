"""Where a run stands, in one line: state, step, loss, examples/s, time to go."""

from __future__ import annotations

from collections import deque

from remote.cli.text import number, seconds
from remote.updates import QueueUpdate, RateUpdate, RunUpdate, StepsUpdate, TaskUpdate, Update
from remote.wording import queue_text
from trainer.spec import DEFAULT_STEPS, TaskId, TrainingSpec

_WINDOW_S = 10.0


class RunProgress:
    """Collects what the line needs.

    Args:
        training: what is trained; None: unknown, so that there is no time to go.
    """

    def __init__(self, training: TrainingSpec | None = None) -> None:
        self.step = 0
        self.tasks: dict[TaskId, TaskUpdate] = {}
        self.queue: QueueUpdate | None = None
        """How its job stands, if a scheduler has it."""
        self._state = "preparing"
        self._detail = ""
        self._total = total_steps(training)
        self._loss: float | None = None
        self._rate: float | None = None
        self._marks: deque[tuple[float, int]] = deque()

    def update(self, update: Update) -> None:
        if isinstance(update, StepsUpdate) and update.steps:
            if update.steps[-1] >= self.step:
                self.step, self._loss = update.steps[-1], update.losses[-1]
            self._marks.append((update.times[-1], self.step))
            while self._marks and self._marks[-1][0] - self._marks[0][0] > _WINDOW_S:
                self._marks.popleft()
        elif isinstance(update, RateUpdate):
            self._rate = update.total
        elif isinstance(update, RunUpdate):
            self._state, self._detail = update.state, update.detail
        elif isinstance(update, QueueUpdate):
            self.queue = update
        elif isinstance(update, TaskUpdate):
            self.tasks[update.task] = update
            self._total = update.total_steps or self._total

    @property
    def is_queued(self) -> bool:
        """Whether it waits for its nodes, and nothing moves."""
        return self._state == "queued" and self.queue is not None

    def line(self) -> str:
        """``training  1,200/2,000  loss 0.123  4,100 examples/s  ETA 12.0 s``."""
        if self.is_queued and self.queue is not None:
            return f"queued  {queue_text(self.queue)}"
        total = f"/{self._total:,}" if self._total else ""
        parts = [self._words(), f"step {self.step:,}{total}"]
        if self._loss is not None:
            parts.append(f"loss {number(self._loss)}")
        if self._rate is not None:
            parts.append(f"{number(self._rate)} examples/s")
        eta = self.eta_s()
        if eta is not None and self._state == "training":
            parts.append(f"ETA {seconds(eta)}")
        silent = [str(t.task) for t in self.tasks.values() if t.unknown_since is not None]
        if silent:
            parts.append(f"no answer from {', '.join(silent[:3])}")
        return "  ".join(parts)

    def eta_s(self) -> float | None:
        """Seconds to the last step at the pace of the last seconds; None: cannot be told."""
        if not self._total or len(self._marks) < 2:
            return None
        (t0, s0), (t1, s1) = self._marks[0], self._marks[-1]
        if t1 <= t0 or s1 <= s0:
            return None
        return max(0.0, (self._total - self.step) * (t1 - t0) / (s1 - s0))

    def tasks_on(self, node: str) -> str:
        """The states of a node's tasks, once they are started."""
        here = [t for t in self.tasks.values() if t.node == node and t.state != "pending"]
        if all(t.state == "preparing" for t in here):
            return ""
        return ", ".join(f"{t.task} {t.detail or t.state}" for t in here)

    def _words(self) -> str:
        restarting = [str(t.task) for t in self.tasks.values() if t.state == "restarting"]
        if restarting and self._state == "training":
            return f"training, {', '.join(restarting[:3])} restarting"
        if self._state == "stopping" and self._detail:
            return f"stopping ({self._detail})"
        return self._state


def total_steps(training: TrainingSpec | None) -> int | None:
    """The step at which training ends, where the spec says it."""
    if training is None or training.epochs is not None:
        return None  # an epoch's steps are known where the data are
    return training.steps if training.steps is not None else DEFAULT_STEPS
