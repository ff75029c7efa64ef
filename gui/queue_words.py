"""What is said of a run whose job waits for nodes. No Qt."""

from __future__ import annotations

from time import localtime, strftime

from gui.language import tr
from gui.run_model import RunModel
from gui.said import said
from gui.texts import elapsed_text
from remote.updates import QueueUpdate

SOON_S = 900.0
"""A time limit that is nearer than this is worth a line."""
_DAY_S = 86400.0
STUCK = tr("It will not start by itself.")
CLOSE = tr("Clew may be closed meanwhile: the job starts, trains and ends by itself.")


def waits(run: RunModel | None) -> bool:
    """Whether the run's job has no nodes (yet, or again)."""
    return run is not None and run.state == "queued" and not run.ended


def is_stuck(queue: QueueUpdate | None) -> bool:
    """Whether somebody has to do something before the job can start."""
    return queue is not None and (queue.will_start is False or queue.state == "held")


def headline(run: RunModel) -> str:
    """``Job 4711 waits``."""
    queue = run.queue
    if queue is None or not queue.job:
        return (
            tr("The job is being handed in") if queue is None else tr("The job has no number yet")
        )
    where = tr(" on {cluster}", cluster=queue.cluster) if queue.cluster else ""
    words = {
        "waiting": tr("waits"),
        "held": tr("is held"),
        "unknown": tr("waits, as far as is known"),
    }
    state = words.get(queue.state, tr("is {state}", state=said(queue.state)))
    return tr("Job {job}{where} {state}", job=queue.job, where=where, state=state)


def reason(run: RunModel) -> str:
    """Why it waits, as a sentence; empty: Slurm has not said it."""
    queue = run.queue
    words = queue.words if queue is not None else run.detail
    words = said(words.strip())
    return words[:1].upper() + words[1:] if words else ""


def facts(run: RunModel, now: float) -> list[str]:
    """Its place in the queue, when it may start, how long it has waited."""
    queue = run.queue
    found = []
    if queue is not None and queue.position is not None:
        ahead = queue.position - 1
        found.append(
            tr("next in the queue") if ahead <= 0 else tr("{ahead} in front of it", ahead=ahead)
        )
    if queue is not None and queue.start_at is not None:
        found.append(start_words(queue.start_at, now))
    elif queue is not None and not is_stuck(queue):
        found.append(tr("Slurm does not say when it starts"))
    found.append(tr("waiting for {time}", time=elapsed_text(run.elapsed_s(now))))
    return found


def start_words(at: float, now: float) -> str:
    """``expected at 14:30, in 2:05:00``; with the day where it is not today."""
    if at <= now:
        return tr("expected any moment")
    day = strftime("%Y-%m-%d", localtime(at)) == strftime("%Y-%m-%d", localtime(now))
    clock = strftime("%H:%M" if day and at - now < _DAY_S else "%a %d %b, %H:%M", localtime(at))
    return tr("expected at {clock}, in {time}", clock=clock, time=elapsed_text(at - now))


def limit_words(run: RunModel) -> str:
    """That the job's time is nearly up; empty: it is not, or nobody knows."""
    queue = run.queue
    if queue is None or run.ended or queue.time_left_s is None or queue.state != "running":
        return ""
    if queue.time_left_s > SOON_S:
        return ""
    left = elapsed_text(max(0.0, queue.time_left_s))
    return tr(
        "Job {job} has {left} left; it is stopped after a checkpoint in time.",
        job=queue.job,
        left=left,
    )


def empty_words(run: RunModel | None) -> str:
    """What a chart without data says; empty: nothing, since data come or have come."""
    if run is None or not waits(run) or run.step:
        return ""
    return tr("The job waits. Charts begin when it has its nodes.")


def cancel_question(run: RunModel) -> tuple[str, str]:
    """What is asked before a job is taken out of the queue: the question, what follows."""
    job = run.queue.job if run.queue is not None else ""
    what = (
        tr("Take job {job} out of the queue?", job=job)
        if job
        else tr("Cancel run {run_id}?", run_id=run.run_id)
    )
    return what, tr("It has no nodes now. Its place in the queue is lost.")
