"""One run as its events and records show it; tells what changed as updates. Pure: no threads, no
files, no connections. A live run, a run taken up again and a recorded run go the same way."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from remote.history import StoredEvent
from remote.session.cause import first_cause
from remote.session.log_feed import LogFeed
from remote.session.rates import RateMeter
from remote.session.stalls import StallWatch
from remote.session.tasks import Task
from remote.session.totals import Totals
from remote.updates import (
    Cause,
    CauseUpdate,
    EvalUpdate,
    Leftover,
    MarkUpdate,
    NoticeUpdate,
    RateUpdate,
    ResultUpdate,
    RunState,
    Spent,
    StepsUpdate,
    TaskUpdate,
    Update,
)
from trainer.events import (
    CheckpointSaved,
    Evaluated,
    Failed,
    Finished,
    Notice,
    Restored,
    Steps,
)
from trainer.spec import TaskId


class RunPicture:
    """Takes in what arrives about a run, in any order of tasks, and gives the updates it makes.

    Args:
        run_id: the run.
        tasks: where its tasks are.
        launched_at: UTC epoch seconds on this computer's clock.
    """

    def __init__(self, run_id: str, tasks: Iterable[Task], launched_at: float) -> None:
        self.run_id = run_id
        self.tasks = {task.task: task for task in tasks}
        self.totals = Totals(launched_at)
        self.shifts: dict[str, float] = {}
        """Per node: what to add to its times for this computer's clock."""
        self.failed_events: dict[tuple[TaskId, int], str] = {}
        self._rates = RateMeter()
        self._told: dict[TaskId, TaskUpdate] = {}
        self._not_finite: set[TaskId] = set()
        self._logs = LogFeed(run_id)
        self._stalls = StallWatch(run_id)
        self._told_cause: Cause | None = None
        self._restarts = {task.task: task.recorded_attempt for task in self.tasks.values()}

    def event(self, task: TaskId, stored: StoredEvent, now: float) -> list[Update]:
        """One event, its time on this computer's clock; ``now`` is monotonic."""
        body = stored.event.body
        state = self.tasks[task]
        state.take_event(stored.event.attempt, body)
        self._logs.event(task, stored)
        updates: list[Update] = []
        if isinstance(body, Steps):
            self._stalls.steps(task, stored.event.attempt, body)
            updates = self._steps(task, body, stored.t - stored.event.t, now)
        elif isinstance(body, Evaluated):
            updates = [self._evaluated(stored.t, body)]
        elif isinstance(body, CheckpointSaved):
            updates = [self._mark(stored.t, "checkpoint", f"checkpoint at step {body.step}", task)]
        elif isinstance(body, Restored):
            updates = [self._mark(stored.t, "restored", f"restored step {body.step}", task)]
        elif isinstance(body, Notice):
            updates = [self._notice(body.level, body.text, task)]
        elif isinstance(body, (Finished, Failed)):
            self._rates.done(task)
            if isinstance(body, Finished):
                self.totals.add_finished(body)
            else:
                self.failed_events[task, stored.event.attempt] = body.reason
        return updates + self._changed(state)

    def record(
        self, task: TaskId, record: Mapping[str, Any], alive: bool, now: float, tick: float
    ) -> list[Update]:
        """A supervisor's record; ``now`` epoch seconds, ``tick`` monotonic."""
        state = self.tasks[task]
        was_ended = state.ended
        state.take_record(record, alive, now, tick)
        updates: list[Update] = []
        for before, attempt in pairwise(state.attempts):
            if attempt.number > self._restarts.get(task, 1):
                self._restarts[task] = attempt.number
                t = (attempt.started_at or now) + self.shifts.get(state.node, 0.0)
                again = f"{before.ending}; started again, attempt {attempt.number}"
                text = f"{task} on {state.node} {again}"
                updates.append(self._mark(t, "restart", text, task))
                updates.append(self._notice("warning", text, task))
        if state.ended and not was_ended:
            self._rates.done(task)
            if state.state == "failed":
                updates.append(self._mark(now, "failure", f"{task} failed: {state.reason}", task))
        return updates + self._changed(state)

    def log(
        self,
        task: TaskId,
        offset: int,
        data: bytes,
        *,
        reset: bool,
        read_at: float | None = None,
    ) -> list[Update]:
        """Bytes of a log, read by ``read_at``; a character that is cut waits for its rest."""
        return [*self._logs.take(task, offset, data, reset=reset, read_at=read_at)]

    def heard(self, node: str, now: float) -> list[Update]:
        """The node is back, or still there."""
        updates: list[Update] = []
        for task in self._on(node):
            if task.unknown_since is not None or (now - (task.last_heard or 0.0)) >= 1.0:
                task.unknown_since, task.last_heard = None, now
                updates += self._changed(task)
        return updates

    def lost(self, node: str, since: float) -> list[Update]:
        """The node does not answer any more: its tasks are unknown."""
        updates: list[Update] = []
        for task in self._on(node):
            if task.unknown_since is None:
                task.unknown_since = since
                task.gone_since = None
                updates += self._changed(task)
        return updates

    def tick(self, now: float) -> list[Update]:
        """What time alone brings: rates that are certain by now, supervisors that stay away."""
        updates: list[Update] = [*self._stalls.look(self.tasks.values(), now)]
        for task in self.tasks.values():
            task.check_gone(now)
            updates += self._changed(task)
        return updates + self._trouble() + self.rates(now)

    def rates(self, now: float) -> list[Update]:
        """The rates that are certain by now."""
        return [
            RateUpdate(run_id=self.run_id, t=rate.t, total=rate.total, per_worker=rate.per_worker)
            for rate in self._rates.take(now)
        ]

    def changed(self) -> list[Update]:
        """The tasks that are not as they were last told."""
        return [update for task in self.tasks.values() for update in self._changed(task)]

    def result(self, state: RunState, reason: str, left: tuple[Leftover, ...]) -> ResultUpdate:
        """The run's last word, with the numbers that its events add up to."""
        totals = self.totals
        return ResultUpdate(
            run_id=self.run_id,
            state=state,
            global_step=totals.global_step,
            final_loss=totals.final_loss,
            accuracy=totals.accuracy,
            examples=totals.examples,
            examples_per_second=totals.examples_per_second,
            time_to_first_step_s=totals.time_to_first_step_s,
            left_behind=left,
            reason=reason,
            cause=self.first_failure() if state == "failed" else None,
        )

    def cause(self) -> str:
        """The first real cause of a failure, in one sentence; empty: nothing broke."""
        found = self.first_failure()
        return found.text if found is not None else ""

    def first_failure(self) -> Cause | None:
        """The first real cause of a failure, and what followed from it; None: nothing broke."""
        tasks, scans = self.tasks.values(), self._logs.scans
        return first_cause(tasks, self.failed_events, self.shifts, scans)

    def _trouble(self) -> list[Update]:
        """What is wrong while a task has failed or is about to be started again."""
        wrong = any(task.state in ("failed", "restarting") for task in self.tasks.values())
        cause = self.first_failure() if wrong else None
        if cause == self._told_cause:
            return []
        self._told_cause = cause
        return [CauseUpdate(run_id=self.run_id, cause=cause)]

    def _steps(self, task: TaskId, body: Steps, shift_s: float, now: float) -> list[Update]:
        self.totals.add_steps(body, shift_s)
        if not body.steps:
            return []
        end = body.times[-1] + shift_s
        self._rates.add(task, end=end, window_s=body.window_s, examples=body.examples, now=now)
        steps = StepsUpdate(
            run_id=self.run_id,
            task=task,
            steps=body.steps,
            losses=body.losses,
            times=tuple(t + shift_s for t in body.times),
            spent=Spent(
                window_s=body.window_s,
                input_s=body.input_s,
                compute_s=body.compute_s,
                exchange_s=body.exchange_s,
                wait_s=body.wait_s,
            ),
        )
        return [steps, *self._watch_losses(task, body)]

    def _watch_losses(self, task: TaskId, body: Steps) -> list[Update]:
        """One alert for each time that the loss stops being finite."""
        alerts: list[Update] = []
        for step, loss in zip(body.steps, body.losses, strict=True):
            if math.isfinite(loss):
                self._not_finite.discard(task)
            elif task not in self._not_finite:
                self._not_finite.add(task)
                alerts.append(
                    self._notice(
                        "warning",
                        f"loss became not finite at step {step} ({task})",
                        task,
                        "Try a smaller learning rate.",
                    )
                )
        return alerts

    def _evaluated(self, t: float, body: Evaluated) -> Update:
        self.totals.add_evaluation(body, t)
        return EvalUpdate(
            run_id=self.run_id, t=t, step=body.step, loss=body.loss, accuracy=body.accuracy
        )

    def _changed(self, task: Task) -> list[Update]:
        update = task.update(self.run_id)
        if self._told.get(task.task) == update:
            return []
        self._told[task.task] = update
        return [update]

    def _on(self, node: str) -> list[Task]:
        return [t for t in self.tasks.values() if t.node == node and not t.ended]

    def _mark(self, t: float, kind: Any, text: str, task: TaskId) -> MarkUpdate:
        return MarkUpdate(run_id=self.run_id, t=t, kind=kind, text=text, task=task)

    def _notice(self, level: Any, text: str, task: TaskId, remedy: str = "") -> NoticeUpdate:
        node = self.tasks[task].node
        return NoticeUpdate(
            level=level, text=text, remedy=remedy, node=node, run_id=self.run_id, task=task
        )
