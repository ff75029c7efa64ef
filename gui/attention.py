"""What happens to a run that somebody should hear of who looks elsewhere. No Qt."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from gui.language import tr
from gui.queue_words import STUCK, headline, is_stuck, reason, waits
from gui.run_model import RunModel
from gui.said import said
from gui.words import end_words
from remote.updates import TaskUpdate
from trainer.events import Level
from trainer.spec import TaskId

_LOST = ("stalled", "failed")


class Happening(NamedTuple):
    """One sentence, and the page that has the rest."""

    level: Level
    text: str
    page: str


class Watch:
    """Compares a run with what it was at the last look: its end, the end of its wait, tasks."""

    def __init__(self) -> None:
        self._run_id = ""
        self._version = -1
        self._told_end = False
        self._states: dict[TaskId, str] = {}
        self._queued = self._stuck = False

    def look(self, run: RunModel | None) -> list[Happening]:
        """What is new since the last look; of a run that is seen first nothing is."""
        if run is None or not run.live:
            self._run_id = ""
            return []
        if run.run_id != self._run_id:
            self._run_id, self._told_end = run.run_id, run.result is not None
            self._states = {task: update.state for task, update in run.tasks.items()}
            self._version = run.version
            self._queued, self._stuck = waits(run), waits(run) and is_stuck(run.queue)
            return []
        if run.version == self._version:
            return []
        self._version = run.version
        lost = [update for update in run.tasks.values() if self._is_newly_lost(update)]
        self._states = {task: update.state for task, update in run.tasks.items()}
        queue = self._queue(run)
        if run.result is not None:
            found = [] if self._told_end else [_end(run)]
            self._told_end = True
            return found
        if run.ended or run.state == "stopping":
            return []  # that tasks end is what was asked for
        return [*queue, *_lost(lost)]

    def _queue(self, run: RunModel) -> list[Happening]:
        """That a job which waited has its nodes, or will not get them by itself."""
        was_queued, was_stuck = self._queued, self._stuck
        self._queued = waits(run)
        self._stuck = self._queued and is_stuck(run.queue)
        if was_queued and not self._queued and run.state in ("starting", "training"):
            job = (
                tr("Job {job}", job=run.queue.job)
                if run.queue is not None and run.queue.job
                else tr("The job")
            )
            return [Happening("info", tr("{job} has its nodes: the run starts.", job=job), "live")]
        if self._stuck and not was_stuck:
            return [Happening("warning", f"{headline(run)}. {STUCK} {reason(run)}".strip(), "live")]
        return []

    def _is_newly_lost(self, update: TaskUpdate) -> bool:
        return update.state in _LOST and self._states.get(update.task) != update.state


def _end(run: RunModel) -> Happening:
    result = run.result
    assert result is not None
    if result.state == "failed":
        reason = result.reason
        words = (
            tr("The run failed: {reason}", reason=said(reason)) if reason else tr("The run failed.")
        )
        return Happening("error", words, "logs")
    if result.left_behind:
        nodes = ", ".join(sorted({left.node for left in result.left_behind}))
        text = tr("The run has ended, but something is left on {nodes}.", nodes=nodes)
        return Happening("error", text, "live")
    return Happening("info", end_words(result), "live")


def _lost(updates: Collection[TaskUpdate]) -> list[Happening]:
    """One sentence for all tasks that came into one state together."""
    found = []
    for state in _LOST:
        tasks = sorted((u for u in updates if u.state == state), key=lambda u: u.task)
        if not tasks:
            continue
        first = tasks[0]
        where = {"task": str(first.task), "node": first.node}
        stalled = state == "stalled"
        text = (
            tr("{task} on {node} is stalled", **where)
            if stalled
            else tr("{task} on {node} has failed", **where)
        )
        if len(tasks) > 1:
            text += tr(", and {count} more", count=len(tasks) - 1)
        text += f": {said(first.detail)}" if first.detail else "."
        found.append(Happening("warning" if state == "stalled" else "error", text, "logs"))
    return found
