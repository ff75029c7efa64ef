"""Where the checkpoints are that a run goes on from, when the user names an earlier run."""

from __future__ import annotations

import dataclasses

from remote.errors import PlanError
from remote.history import History, resolve
from remote.node.layout import Layout
from remote.plan import PlannedTask
from trainer.spec import TaskId, TrainingSpec

_CHIEF = TaskId("worker", 0)


def resumed(
    training: TrainingSpec, chief: PlannedTask, history: History, own_id: str
) -> TrainingSpec:
    """``training`` with the folder of checkpoints in place of a run's id in ``resume_from``.

    A folder, which is what holds a slash or begins with ``~``, stays as it is.

    Args:
        training: of the run that is launched.
        chief: the task that will read the checkpoints.
        history: where the earlier run is on record.
        own_id: the run that is launched: ``last`` is the one before it.

    Raises:
        ClewError: there is no such run, or its checkpoints are on another node.
    """
    run_id = _named(training, history, own_id)
    if not run_id:
        return training
    earlier = next((task for task in history.tasks(run_id) if task.task == _CHIEF), None)
    if earlier is None:
        raise _not_known(run_id)
    folder = Layout(earlier.root, earlier.node).checkpoints(run_id)
    if earlier.node != chief.node:
        raise PlanError(
            f"run {run_id} saved its checkpoints on {earlier.node}, and worker:0 of this one "
            f"would be on {chief.node}",
            remedy=f"Put {earlier.node} where worker:0 goes, or copy {folder} to {chief.node} "
            "and give training.resume_from the folder there.",
        )
    return dataclasses.replace(training, resume_from=folder)


def resumed_on_disk(
    training: TrainingSpec, login: str, history: History, own_id: str
) -> TrainingSpec:
    """The same for a run whose nodes share a disk with the machine where one logs in.

    Args:
        login: which machine that is, as :class:`~remote.history.JobRecord` has it.

    Raises:
        ClewError: there is no such run, or its checkpoints are on another cluster.
    """
    run_id = _named(training, history, own_id)
    if not run_id:
        return training
    job = history.jobs.of_run(run_id)
    if job is None:
        raise _not_known(run_id)
    folder = Layout(job.root, "-").checkpoints(run_id)
    if job.login != login:
        raise PlanError(
            f"run {run_id} saved its checkpoints where {job.login} is logged in to, and this one "
            f"would run where {login} is",
            remedy=f"Copy {folder} there, and give training.resume_from the folder.",
        )
    return dataclasses.replace(training, resume_from=folder)


def _named(training: TrainingSpec, history: History, own_id: str) -> str:
    """The run that is meant; empty: none, or a folder. Raises UnknownRun."""
    text = training.resume_from
    if not text or "/" in text or text.startswith("~"):
        return ""
    return resolve(text, [run.run_id for run in history.runs() if run.run_id != own_id])


def _not_known(run_id: str) -> PlanError:
    return PlanError(
        f"it is not known where run {run_id} saved its checkpoints",
        remedy="Give training.resume_from their folder on the node of worker:0.",
    )
