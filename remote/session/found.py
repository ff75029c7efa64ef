"""Runs that the nodes have on record, whoever started them."""

from __future__ import annotations

import calendar
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from remote.history import is_run_id
from remote.session.tasks import ENDED, Task
from remote.updates import RunState
from trainer.spec import CHIEF, SpecError, TaskId


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundRun:
    """One run as the connected nodes know it."""

    run_id: str
    started_at: float
    state: RunState
    tasks: tuple[Task, ...]
    alive: bool
    """Whether any process of it lives."""


def collect(
    records: Mapping[str, list[dict[str, Any]]], roots: Mapping[str, str]
) -> list[FoundRun]:
    """Join what each node said (``AgentLink.runs``) to runs, newest first. Pure.

    Records of others than Clew, or damaged ones, are left out.
    """
    runs: dict[str, list[tuple[Task, bool]]] = {}
    for node, items in records.items():
        for item in items:
            found = _task(node, roots[node], item)
            if found is not None:
                runs.setdefault(str(item["run_id"]), []).append(found)
    joined = [_join(run_id, found) for run_id, found in runs.items()]
    return sorted(joined, key=lambda run: (run.started_at, run.run_id), reverse=True)


def _task(node: str, root: str, item: Mapping[str, Any]) -> tuple[Task, bool] | None:
    record, run_id = item.get("state"), item.get("run_id")
    if not isinstance(record, dict) or not isinstance(run_id, str) or not is_run_id(run_id):
        return None
    try:
        task = Task(task=TaskId.parse(str(item.get("task"))), node=node, root=root)
    except SpecError:
        return None
    alive = item.get("alive") is True
    task.take_record(record, alive, time.time(), time.monotonic())
    return task, alive


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
    """The minute in which a run was started, which its id begins with; UTC epoch seconds."""
    return float(calendar.timegm(time.strptime(run_id[:13], "%Y%m%d-%H%M")))
