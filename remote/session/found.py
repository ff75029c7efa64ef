"""Runs that the nodes have on record, whoever started them."""

from __future__ import annotations

import calendar
import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from remote.history import is_run_id
from remote.link import TaskOnNode
from remote.session.stalls import limit_s, missing_peers, stall_words
from remote.session.tasks import ENDED, Task
from remote.updates import QueueUpdate, RunState
from trainer.events import EventError, Steps, decode
from trainer.spec import CHIEF, TaskId, TrainingSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class LastStep:
    """The newest step that a run's tasks have written down; ``at`` is on this computer's clock."""

    step: int
    loss: float | None
    at: float
    task: TaskId | None = field(default=None, compare=False)
    usual_s: float = field(default=0.0, compare=False)
    """What a step of this task took when it made this one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundRun:
    """One run as the connected nodes know it."""

    run_id: str
    started_at: float
    state: RunState
    tasks: tuple[Task, ...]
    alive: bool
    """Whether any process of it lives."""
    last: LastStep | None = None
    """None: no step is known."""
    name: str = ""
    """What it was called when it was launched; empty: unknown."""
    training: TrainingSpec | None = None
    """What it was launched with; None: unknown."""
    queue: QueueUpdate | None = None
    """How its job stands, where a scheduler has it."""


def collect(
    records: Mapping[str, list[TaskOnNode]],
    roots: Mapping[str, str],
    shifts: Mapping[str, float] | None = None,
) -> list[FoundRun]:
    """Join what each node said (``AgentLink.runs``) to runs, newest first. Pure.

    Records whose run is none of Clew's are left out. ``shifts``: what to add to a node's times for
    this computer's clock.
    """
    runs: dict[str, list[tuple[Task, bool]]] = {}
    steps: dict[str, list[LastStep]] = {}
    told: dict[str, TaskOnNode] = {}
    for node, items in records.items():
        for item in items:
            if is_run_id(item.run_id):
                told.setdefault(item.run_id, item)
                if item.training is not None and told[item.run_id].training is None:
                    told[item.run_id] = item
                task = Task(task=item.task, node=node, root=item.root or roots[node])
                task.take_record(item.state, item.alive, time.time(), time.monotonic())
                shift_s = (shifts or {}).get(node, 0.0)
                steps.setdefault(item.run_id, []).extend(_events(task, item.latest, shift_s))
                runs.setdefault(item.run_id, []).append((task, item.alive))
    joined = [_join(told[run_id], found, steps[run_id]) for run_id, found in runs.items()]
    return sorted(joined, key=lambda run: (run.started_at, run.run_id), reverse=True)


def _events(task: Task, lines: Iterable[bytes], shift_s: float) -> Iterable[LastStep]:
    """Take a task's newest events in; gives the steps among them."""
    steps = []
    for line in lines:
        try:
            event = decode(line)
        except EventError:
            continue
        task.take_event(event.attempt, event.body)
        if isinstance(event.body, Steps) and event.body.steps:
            top = max(range(len(event.body.steps)), key=event.body.steps.__getitem__)
            loss = event.body.losses[top]
            steps.append(
                LastStep(
                    step=event.body.steps[top],
                    loss=loss if math.isfinite(loss) else None,
                    at=event.body.times[top] + shift_s,
                    task=task.task if event.attempt == task.attempt else None,
                    usual_s=event.body.window_s / len(event.body.steps),
                )
            )
    return steps


def _join(told: TaskOnNode, found: list[tuple[Task, bool]], steps: list[LastStep]) -> FoundRun:
    tasks = tuple(sorted((task for task, _ in found), key=lambda task: task.task))
    living = {task.task for task, alive in found if alive}
    _mark_stalled([task for task in tasks if task.task in living], tasks, steps)
    starts = [a.started_at for task in tasks for a in task.attempts if a.started_at]
    return FoundRun(
        run_id=told.run_id,
        started_at=min(starts, default=time_of_id(told.run_id)),
        state=_state(tasks),
        tasks=tasks,
        alive=any(alive for _, alive in found),
        last=max(steps, key=lambda last: (last.step, last.at), default=None),
        name=told.name,
        training=told.training,
    )


def _mark_stalled(living: Iterable[Task], tasks: Iterable[Task], steps: Iterable[LastStep]) -> None:
    """Who trains, lives, and made its last step long ago; the nodes have just been asked."""
    newest = {last.task: last for last in sorted(steps, key=lambda last: last.at)}
    stalled = []
    for task in living:
        last = newest.get(task.task)
        if last is None or task.disk or task.state != "training" or not task.just_trains:
            continue
        if time.time() - last.at >= limit_s(last.usual_s) and not missing_peers(task, tasks):
            stalled.append((task, last))
    for task, last in stalled:
        task.stalled_since, task.remark = last.at, stall_words(last.at, last.usual_s)


def _state(tasks: tuple[Task, ...]) -> RunState:
    if any(task.state == "failed" for task in tasks):
        return "failed"
    chief = next((task for task in tasks if task.task == CHIEF), None)
    if chief is not None and chief.state in ENDED:
        return chief.state  # type: ignore[return-value]
    if all(task.state in ENDED for task in tasks):
        return "stopped"
    return "training" if any(t.state in ("training", "stalled") for t in tasks) else "starting"


def time_of_id(run_id: str) -> float:
    """The minute in which a run was started, which its id begins with; UTC epoch seconds.

    0 when it is no such moment: ids come from nodes, too.
    """
    try:
        return float(calendar.timegm(time.strptime(run_id[:13], "%Y%m%d-%H%M")))
    except ValueError:
        return 0.0
