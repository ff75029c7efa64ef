"""How a run ended, in view of what became of its job. Pure."""

from __future__ import annotations

import shlex

from remote.link import SlurmJob
from remote.updates import RunState

TIME_LIMIT = "time limit"
"""What the reason of a task, and the state of a job, have in them when the job's time was up."""
_BROKEN = {
    "time limit reached": "reached its time limit",
    "out of memory": "was ended because memory ran out",
    "node failed": "was ended because a node failed",
    "preempted": "had to make way for another job",
}


def verdict(
    state: RunState, reason: str, job: SlurmJob, *, by_us: bool, again: str
) -> tuple[RunState, str]:
    """State and reason of the run.

    Args:
        state: as the tasks show it.
        job: the job at its end.
        by_us: whether it was cancelled because the run was over, or was to be stopped.
        again: the command that goes on in a new job.
    """
    if state == "finished" or by_us:
        return state, reason
    if job.state == "cancelled":
        return "stopped", _cancelled(job, "from outside")
    timely = state == "stopped" and TIME_LIMIT in reason
    if timely or job.state == "time limit reached":
        what = reason if timely else f"job {job.job} {_BROKEN['time limit reached']}"
        return state, f"{what.rstrip('.')}; it goes on in a new job with: {again}"
    if job.state in _BROKEN:
        return "failed", _sentence(f"job {job.job} {_BROKEN[job.state]}", job)
    return state, reason


def unseen(job: SlurmJob) -> tuple[RunState, str]:
    """State and reason of a run whose job ended before any task of it was placed."""
    if job.state == "cancelled":
        return "stopped", _cancelled(job, "while it waited")
    if job.state == "none":
        return "failed", f"job {job.job} is gone: Slurm does not know it any more"
    what = _BROKEN.get(job.state, "ended")
    return "failed", _sentence(f"job {job.job} {what} before any task was started", job)


def again_command(run_id: str, profile_path: str) -> str:
    """What one types to go on from the run's checkpoints in a new job."""
    profile = shlex.quote(profile_path) if profile_path else "PROFILE"
    return f"clew run {profile} --set training.resume_from={run_id}"


def _cancelled(job: SlurmJob, how: str) -> str:
    """With who it was, where Slurm knows."""
    by = job.words.partition(",")[0].strip()
    who = f" ({by})" if by.startswith("cancelled by ") else ""
    return f"job {job.job} was cancelled {how}{who}"


def _sentence(what: str, job: SlurmJob) -> str:
    """Slurm's own words are added where they say more."""
    words = job.words.strip().rstrip(".")
    return f"{what}: {words}" if words else what
