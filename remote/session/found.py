"""Runs that the nodes have on record, whoever started them."""

from __future__ import annotations

import calendar
import time
from collections.abc import Mapping
from dataclasses import dataclass

from remote.history import is_run_id
from remote.link import TaskOnNode
from remote.session.tasks import ENDED, Task
from remote.updates import RunState
from trainer.spec import CHIEF


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundRun:
    """One run as the connected nodes know it."""

    run_id: str
    started_at: float
    state: RunState
    tasks: tuple[Task, ...]
    alive: bool
    """Whether any process of it lives."""


def collect(records: Mapping[str, list[TaskOnNode]], roots: Mapping[str, str]) -> list[FoundRun]:
    """Join what each node said (``AgentLink.runs``) to runs, newest first. Pure.

    Records whose run is none of Clew's are left out.
    """
    runs: dict[str, list[tuple[Task, bool]]] = {}
    for node, items in records.items():
        for item in items:
            if is_run_id(item.run_id):
                task = Task(task=item.task, node=node, root=roots[node])
                task.take_record(item.state, item.alive, time.time(), time.monotonic())
                runs.setdefault(item.run_id, []).append((task, item.alive))
    joined = [_join(run_id, found) for run_id, found in runs.items()]
    return sorted(joined, key=lambda run: (run.started_at, run.run_id), reverse=True)


def _join(run_id: str, found: list[tuple[Task, bool]]) -> FoundRun:
    tasks = tuple(sorted((task for task, _ in found), key=lambda task: task.task))
    starts = [a.started_at for task in tasks for a in task.attempts if a.started_at]
    return FoundRun(
        run_id=run_id,
        started_at=min(starts, default=time_of_id(run_id)),
        state=_state(tasks),
        tasks=tasks,
        alive=any(alive for _, alive in found),
    )


def _state(tasks: tuple[Task, ...]) -> RunState:
    if any(task.state == "failed" for task in tasks):
        return "failed"
    chief = next((task for task in tasks if task.task == CHIEF), None)
    if chief is not None and chief.state in ENDED:
        return chief.state  # type: ignore[return-value]
    if all(task.state in ENDED for task in tasks):
        return "stopped"
    return "training" if any(task.state == "training" for task in tasks) else "starting"


def time_of_id(run_id: str) -> float:
    """The minute in which a run was started, which its id begins with; UTC epoch seconds.

    0 when it is no such moment: ids come from nodes, too.
    """
    try:
        return float(calendar.timegm(time.strptime(run_id[:13], "%Y%m%d-%H%M")))
    except ValueError:
        return 0.0
