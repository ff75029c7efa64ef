"""Everything the window knows of one run, filled from updates. No Qt."""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass, field

from gui.series import Series, SmoothedSeries
from gui.split_model import SplitModel
from remote.limits import Limit
from remote.logs import TaskLog
from remote.updates import (
    END_STATES,
    Cause,
    CauseUpdate,
    ControlUpdate,
    EvalUpdate,
    LogUpdate,
    MarkUpdate,
    QueueUpdate,
    RateUpdate,
    ResultUpdate,
    RunState,
    RunUpdate,
    StepsUpdate,
    TaskUpdate,
    Update,
)
from trainer.spec import DEFAULT_STEPS, TaskId, TrainingSpec

MAX_WORKER_LINES = 15
"""More workers than this are shown by their slowest and fastest."""
MAX_MARKS = 2000
RATE_WINDOW_S = 30.0
LOG_ROWS = 400_000
"""Rows of all logs together that are kept; each task has its share."""
MOST_LOG_ROWS = 100_000


@dataclass
class RunModel:
    """One run: its numbers as series, its tasks, marks and logs. Times are UTC epoch seconds."""

    run_id: str
    training: TrainingSpec | None = None
    live: bool = True
    """False for a run that is read back from the history."""
    started_at: float = field(default_factory=time.time)
    state: RunState = "preparing"
    detail: str = ""
    controlled_from: str = ""
    """The other desktop that controls it; empty: none does."""
    queue: QueueUpdate | None = None
    """How its job stands, where a scheduler gives the nodes."""
    result: ResultUpdate | None = None
    tasks: dict[TaskId, TaskUpdate] = field(default_factory=dict)
    loss: SmoothedSeries = field(default_factory=SmoothedSeries)
    steps: Series = field(default_factory=Series)
    """The step at each time."""
    split: SplitModel = field(default_factory=SplitModel)
    """Where the workers' time goes."""
    evals: Series = field(default_factory=Series)
    """The loss of each evaluation, and in ``accuracies`` what part was right."""
    accuracies: Series = field(default_factory=Series)
    rate: Series = field(default_factory=Series)
    worker_rates: dict[str, Series] = field(default_factory=dict)
    marks: deque[MarkUpdate] = field(default_factory=lambda: deque(maxlen=MAX_MARKS))
    logs: dict[TaskId, TaskLog] = field(default_factory=dict)
    cause: Cause | None = None
    """What is wrong with it now, or why it failed."""
    step: int = 0
    first_step_at: float | None = None
    last_step_at: float | None = None
    accuracy: float | None = None
    ended_at: float | None = None
    version: int = 0
    _silent: set[str] = field(default_factory=set)
    _progress: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=4096))

    @property
    def ended(self) -> bool:
        return self.state in END_STATES

    @property
    def total_steps(self) -> int | None:
        """The step at which training ends, where the spec says it."""
        if self.training is None or self.training.epochs is not None:
            # An epoch's steps are known where the data is: the chief says them.
            return next((t.total_steps for t in self.tasks.values() if t.total_steps), None)
        return self.training.steps if self.training.steps is not None else DEFAULT_STEPS

    def apply(self, update: Update) -> None:
        """Take in one update of this run; others are ignored."""
        if getattr(update, "run_id", None) != self.run_id:
            return
        self.version += 1
        if isinstance(update, StepsUpdate):
            self._steps(update)
        elif isinstance(update, RateUpdate):
            self._rates(update)
        elif isinstance(update, LogUpdate):
            self._log(update)
        elif isinstance(update, EvalUpdate):
            self.evals.append(update.t, update.loss)
            self.accuracies.append(update.t, update.accuracy)
            self.accuracy = update.accuracy
        elif isinstance(update, MarkUpdate):
            self.marks.append(update)
        elif isinstance(update, TaskUpdate):
            self.tasks[update.task] = update
        elif isinstance(update, CauseUpdate):
            self.cause = update.cause
        elif isinstance(update, RunUpdate):
            self._state(update.state, update.detail)
        elif isinstance(update, ResultUpdate):
            self._result(update)
        else:
            self._standing(update)

    def _standing(self, update: Update) -> None:
        if isinstance(update, QueueUpdate):
            self.queue = update
        elif isinstance(update, ControlUpdate):
            self.controlled_from = update.holder

    def note(self, task: TaskId, text: str) -> None:
        """Put a word about ``task`` into its log, on a line of its own."""
        self._log_of(task).note(text, time.time())
        self.version += 1

    def elapsed_s(self, now: float) -> float:
        """Seconds from the launch to ``now``, or to the end of the run."""
        end = self.ended_at
        if end is None:
            end = now if self.live else (self.last_step_at or self.started_at)
        return max(0.0, end - self.started_at)

    def time_to_first_step_s(self) -> float | None:
        if self.result is not None and self.result.time_to_first_step_s is not None:
            return self.result.time_to_first_step_s
        if self.first_step_at is None:
            return None
        return max(0.0, self.first_step_at - self.started_at)

    def eta_s(self, now: float) -> float | None:
        """Seconds until the last step at the pace of the last half minute; None: cannot say."""
        total = self.total_steps
        if total is None or self.state != "training" or len(self._progress) < 2:
            return None
        t1, step1 = self._progress[-1]
        if now - t1 > RATE_WINDOW_S:
            return None
        t0, step0 = next(p for p in self._progress if p[0] >= t1 - RATE_WINDOW_S)
        if t1 <= t0 or step1 <= step0:
            return None
        return max(0.0, (total - step1) * (t1 - t0) / (step1 - step0) - (now - t1))

    def last_loss(self) -> float | None:
        """The newest smoothed loss; None before the first step."""
        _, y = self.loss.smoothed_window(self.loss.last_x, math.inf)
        return float(y[-1]) if y.size else None

    def step_at(self, t: float) -> int | None:
        """The newest step at time ``t``; None before the first."""
        x, y = self.steps.window(t, t)
        known = y[x <= t]
        return int(known[-1]) if known.size else None

    def limit(self, gpu_percent: float | None = None) -> Limit | None:
        """What limits the run; None: it cannot be told. ``gpu_percent``: how busy its GPUs are."""
        return self.split.limit(sync=self._is_sync, gpu_percent=gpu_percent)

    def stragglers(self) -> list[TaskId]:
        """Workers that are clearly slower than the others."""
        return self.split.stragglers(sync=self._is_sync)

    @property
    def _is_sync(self) -> bool:
        return self.training is not None and self.training.is_sync

    def last_rate(self) -> float | None:
        _, y = self.rate.window(self.rate.last_x, math.inf)
        return float(y[-1]) if y.size else None

    def _log_of(self, task: TaskId) -> TaskLog:
        found = self.logs.get(task)
        if found is None:
            share = LOG_ROWS // max(1, len(self.tasks))
            found = self.logs[task] = TaskLog(task, min(MOST_LOG_ROWS, max(5000, share)))
        return found

    def _log(self, update: LogUpdate) -> None:
        self._log_of(update.task).feed(
            update.text, update.read_at, shift_s=update.shift_s, begun=update.begun
        )

    def _steps(self, update: StepsUpdate) -> None:
        if not update.steps:
            return
        self.loss.extend(update.times, update.losses)
        self.steps.extend(update.times, update.steps)
        self.split.add(update.task, update.times[-1], update.spent, len(update.steps))
        first, last = min(update.times), max(update.times)
        self.step = max(self.step, *update.steps)
        if self.first_step_at is None or first < self.first_step_at:
            self.first_step_at = first
        if self.last_step_at is None or last > self.last_step_at:
            self.last_step_at = last
        if not self._progress or last > self._progress[-1][0]:
            self._progress.append((last, self.step))

    def _rates(self, update: RateUpdate) -> None:
        self.rate.append(update.t, update.total)
        values = {str(task): value for task, value in sorted(update.per_worker.items())}
        if len(values) > MAX_WORKER_LINES:
            values = {"slowest": min(values.values()), "fastest": max(values.values())}
            if "slowest" not in self.worker_rates:
                self.worker_rates.clear()
        elif "slowest" in self.worker_rates:
            return
        for label, value in values.items():
            self.worker_rates.setdefault(label, Series()).append(update.t, value)
        for label in self.worker_rates.keys() - values.keys() - self._silent:
            # A worker that is not at work has no rate: a gap, not a line to its next one.
            self.worker_rates[label].append(update.t, math.nan)
        self._silent = self.worker_rates.keys() - values.keys()

    def _state(self, state: RunState, detail: str) -> None:
        self.state, self.detail = state, detail
        if self.ended:
            self.split.finish()
        if self.ended and self.ended_at is None:
            self.ended_at = time.time() if self.live else self.last_step_at

    def _result(self, update: ResultUpdate) -> None:
        self.result = update
        self.cause = update.cause if update.cause is not None else self.cause
        self.step = max(self.step, update.global_step)
        if update.accuracy is not None:
            self.accuracy = update.accuracy
        self._state(update.state, update.reason)
