"""Making runs known to the history: those that begin here, and those that nodes have on record."""

from __future__ import annotations

import json
from pathlib import Path

from remote.history import History, RunRecord, TaskRecord
from remote.profile import Profile, dumps
from remote.session.found import FoundRun, time_of_id
from remote.session.picture import RunPicture
from trainer.spec import to_json


def record_launch(
    history: History,
    picture: RunPicture,
    profile: Profile,
    profile_path: str,
    *,
    name: str,
    at: float,
) -> None:
    """Record a run that is about to begin.

    Args:
        name: what the user calls it, if anything.
        at: when it was launched, epoch seconds.

    Raises:
        HistoryError: the history does not take it.
    """
    run = RunRecord(
        run_id=picture.run_id,
        name=name or profile.name or Path(profile_path).stem,
        started_at=at,
        profile=dumps(profile),
        profile_path=profile_path,
        training=json.dumps(to_json(profile.training), allow_nan=False),
    )
    tasks = [
        TaskRecord(task=t.task, node=t.node, root=t.root, address=t.address, gpus=t.gpus)
        for t in picture.tasks.values()
    ]
    history.add_run(run, tasks)


def adopt(history: History, found: FoundRun, profile: Profile, profile_path: str) -> None:
    """Make a run that its nodes have on record known to the history, and all its tasks."""
    run = RunRecord(
        run_id=found.run_id,
        name=profile.name or Path(profile_path).stem,
        started_at=found.started_at or time_of_id(found.run_id),
        profile=dumps(profile),
        profile_path=profile_path,
        state=found.state,
    )
    known = {task.task for task in history.tasks(found.run_id)}
    new = [t for t in found.tasks if t.task not in known]
    if new or not known:
        history.add_run(run, [TaskRecord(task=t.task, node=t.node, root=t.root) for t in new])
