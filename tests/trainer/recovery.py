"""What must hold of a run whose tasks were killed and started again."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from tests.trainer.cluster import CHIEF, Cluster
from trainer.events import Evaluated, Finished, PhaseChanged, Restored, Steps
from trainer.spec import TaskId

if TYPE_CHECKING:
    from tests.trainer.kills import Trial

WITHIN_S = 30.0
"""From a restart until training goes on, on a machine where a start takes :data:`USUAL_START_S`."""
USUAL_START_S = 6.0


class Complaint(AssertionError):
    """Something that must not happen, in one sentence."""


def check_end(cluster: Cluster, steps: int) -> None:
    """Everybody ended well, the chief at the last step, and no log has a traceback."""
    for task, process in cluster.processes.items():
        if process.returncode != 0:
            raise Complaint(f"{task} ended with {process.returncode}")
        if "Traceback" in cluster.log(task):
            raise Complaint(f"{task} left a traceback: {cluster.log(task)[-1500:]}")
        last = cluster.bodies(task)[-1]
        if not isinstance(last, Finished):
            raise Complaint(f"{task}'s last event is {last}")
    results = [b for b in cluster.bodies(CHIEF, Evaluated) if isinstance(b, Evaluated)]
    if not results or results[-1].step != steps:
        raise Complaint(f"the last evaluation is {results[-1:]}, not of step {steps}")
    newest = max(path.name for path in cluster.checkpoints.glob("step-*.npz"))
    if newest != f"step-{steps:012d}.npz":
        raise Complaint(f"the newest checkpoint is {newest}, not of step {steps}")
    if left := list(cluster.checkpoints.glob(".*.part")):
        raise Complaint(f"left behind: {left}")


def check_recovery(cluster: Cluster, restarted_at: dict[TaskId, float], startup_s: float) -> float:
    """Seconds from the last restart until a restarted task was at work or all was done."""
    slowest = 0.0
    for task, since in restarted_at.items():
        seen = [e.t for e in cluster.events_of(task) if e.t >= since and _is_work(e.body)]
        if not seen:
            raise Complaint(f"{task} did nothing after its restart")
        slowest = max(slowest, seen[0] - since)
    limit = WITHIN_S * max(1.0, startup_s / USUAL_START_S)
    if slowest > limit:
        raise Complaint(f"training went on only {slowest:.1f} s after the restart")
    return slowest


def _is_work(body: object) -> bool:
    """A ps is at work when its variables are ready: phase ``training``."""
    if isinstance(body, PhaseChanged):
        return body.phase in ("training", "finished", "evaluating")
    return isinstance(body, (Steps, Finished))


def check_curves(cluster: Cluster, trial: Trial) -> None:
    """No step number is skipped or repeated between two restorations, in any attempt."""
    restored = [e.t for e in cluster.events_of(CHIEF) if isinstance(e.body, Restored)]
    for task in cluster.spec.tasks():
        for attempt, own in itertools.groupby(_timed(cluster, task), key=lambda each: each[0]):
            for number, section in itertools.groupby(
                own, key=lambda each: sum(t < each[1] for t in restored)
            ):
                steps = [step for _, _, step in section]
                where = f"{task}, attempt {attempt}, after {number} restorations"
                _check_section(steps, where, trial, task)
    if trial.update == "async":
        _check_together(cluster, restored)


def _check_section(steps: list[int], where: str, trial: Trial, task: TaskId) -> None:
    for before, after in itertools.pairwise(steps):
        if after <= before and not (trial.update == "async" and trial.replication == "in-graph"):
            raise Complaint(f"{where}: step {after} follows {before}")
        skips = trial.update == "sync" and not trial.backups and after != before + 1
        if skips and (trial.replication == "in-graph" or not _killed_worker(trial)):
            raise Complaint(f"{where}: step {after} follows {before}, a gap")


def _killed_worker(trial: Trial) -> bool:
    return any(victim.role == "worker" for victim in trial.victims)


def _check_together(cluster: Cluster, restored: list[float]) -> None:
    """Each step of an async run belongs to one worker."""
    everything = [e for task in cluster.spec.tasks() for e in _timed(cluster, task)]
    for number in range(len(restored) + 1):
        steps = sorted(
            step for _, when, step in everything if sum(t < when for t in restored) == number
        )
        for before, after in itertools.pairwise(steps):
            if before == after:
                raise Complaint(f"step {after} was reported twice after {number} restorations")


def _timed(cluster: Cluster, task: TaskId) -> list[tuple[int, float, int]]:
    """(attempt, time, step) of all reported steps, in order."""
    return [
        (event.attempt, when, step)
        for event in cluster.events_of(task)
        if isinstance(event.body, Steps)
        for when, step in zip(event.body.times, event.body.steps, strict=True)
    ]
