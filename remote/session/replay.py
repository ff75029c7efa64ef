"""A recorded run as the updates that it once was."""

from __future__ import annotations

from collections.abc import Iterator

from remote.errors import HistoryError
from remote.history import History
from remote.session.attaching import known_tasks, past
from remote.session.picture import RunPicture
from remote.updates import RunUpdate, TaskUpdate, Update


def replay(history: History, run_id: str) -> Iterator[Update]:
    """Everything that is recorded of a run, as whoever watched it saw it, in order of time.

    Steps, rates, evaluations, marks and samples, then how the tasks and the run stand; the last
    is its ResultUpdate, if it has one. Notices are left out.

    Raises:
        HistoryError: there is no such run.
    """
    run = history.run(run_id)
    if run is None:
        raise HistoryError(f"there is no run {run_id} in the history")
    picture = RunPicture(run_id, known_tasks(history, run_id), run.started_at)
    for update in past(history, picture):
        if not isinstance(update, TaskUpdate):
            yield update
    for task in history.tasks(run_id):
        yield TaskUpdate(
            run_id=run_id,
            task=task.task,
            node=task.node,
            state=task.state,
            detail=task.detail,
            attempt=task.attempt,
            total_steps=picture.tasks[task.task].total_steps,
        )
    yield RunUpdate(run_id=run_id, state=run.state)
    if run.result is not None:
        yield run.result
