"""The runs that were handed in where one logs in, with how their jobs stand."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from remote.errors import ClewError
from remote.history import is_run_id
from remote.link import SlurmJob, SlurmRun, TaskOnNode
from remote.node.slurm.again import BY
from remote.session.found import FoundRun, collect, time_of_id
from remote.session.node import Node
from remote.session.slurm.lookout import ENDED, RUNNING, Lookout
from remote.session.slurm.verdict import unseen
from remote.updates import RunState

_MOST_ASKED = 50
"""Of so many runs that have not ended it is asked how their jobs stand."""


def find_handed_in(login: Node) -> list[FoundRun]:
    """Those on record there, newest first; none where it does not answer. Blocks."""
    facts = login.facts
    if not login.connected or facts is None:
        return []
    try:
        runs = login.link().slurm.runs(root=facts.root, wanted=login.wanted_root)
    except ClewError:
        return []
    shift_s = -facts.clock_offset_s
    known = [run for run in runs if is_run_id(run.run_id)]
    found = {one.run_id: one for one in _collected(known, shift_s)}
    asked, listed = 0, []
    for run in known:
        one = found.get(run.run_id)
        if one is not None and _has_ended(one):
            listed.append(one)
        elif asked < _MOST_ASKED:
            asked += 1
            listed.append(_as_it_stands(run, one, Lookout(run.run_id, login, run.root)))
    return sorted(listed, key=lambda one: (one.started_at, one.run_id), reverse=True)


def _collected(runs: Iterable[SlurmRun], shift_s: float) -> list[FoundRun]:
    by_node: dict[str, list[TaskOnNode]] = {}
    for run in runs:
        for node, task in run.tasks:
            by_node.setdefault(node, []).append(task)
    return collect(by_node, {}, dict.fromkeys(by_node, shift_s))


def _as_it_stands(run: SlurmRun, found: FoundRun | None, lookout: Lookout) -> FoundRun:
    """What has not ended on its nodes stands as its job does."""
    job = lookout.look()
    queue = lookout.update(job)
    if found is None or not found.tasks:
        return FoundRun(
            run_id=run.run_id,
            started_at=time_of_id(run.run_id),
            state=_state(job),
            tasks=(),
            alive=job.state not in ENDED,
            name=run.name,
            training=run.training,
            queue=queue,
        )
    if job.state in ENDED:
        open_tasks = [task for task in found.tasks if not task.ended]
        for task in open_tasks:
            task.lost, task.reason = True, f"job {job.job} ended without a last word of it"
        return dataclasses.replace(
            found, state="failed" if open_tasks else found.state, queue=queue
        )
    under_way = job.state in RUNNING and not all(task.ended for task in found.tasks)
    state: RunState = found.state if under_way else _state(job)
    return dataclasses.replace(found, alive=True, state=state, queue=queue)


def _state(job: SlurmJob) -> RunState:
    if job.state in ENDED:
        return unseen(job)[0]
    return "starting" if job.state in RUNNING else "queued"


def _has_ended(found: FoundRun) -> bool:
    """Whether its tasks have, and not only because Slurm took their nodes away for a while."""
    taken = any(t.state == "stopped" and f" by {BY}" in t.reason for t in found.tasks)
    return all(task.ended for task in found.tasks) and not taken
