"""A run of the history, as the same models that a live run fills."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from gui.models import Models
from gui.run_model import RunModel
from remote.errors import HistoryError
from remote.updates import NodeUpdate, NoticeUpdate
from trainer.spec import SpecError, TrainingSpec, from_json

if TYPE_CHECKING:
    from remote.history import History
    from remote.session import ClusterSession


def load_past_run(history: History, run: str) -> Models:
    """Replay ``run`` (an id, or what :meth:`History.find` takes) into fresh models.

    Raises:
        HistoryError: there is no such run, or the history cannot be read.
    """
    from remote.session import replay

    record = history.find(run)
    models = Models()
    models.run = RunModel(
        record.run_id, training=spec_of(record.training), started_at=record.started_at, live=False
    )
    for update in replay(history, record.run_id):
        if not isinstance(update, (NodeUpdate, NoticeUpdate)):
            models.apply(update)
    if record.ended_at is not None:
        models.run.ended_at = record.ended_at
    elif (standing := history.standing(record.run_id)) is not None:
        models.run.last_step_at = standing.t  # elapsed is what the list of runs says
    return models


def bring_up_to_date(session: ClusterSession | None, run_id: str) -> None:
    """Read from the connected nodes what the history lacks of a run. Raises HistoryError."""
    if session is not None:
        from remote.session import gather

        gather(session, run_id)


def open_history(folder: Path | None) -> History:
    """The history of this account, or the one in ``folder``."""
    from remote.history import History

    if folder is None:
        return History()
    path = folder / "history.db"
    if not path.exists():
        raise HistoryError(f"there is no history in {folder}", remedy="Give the right --data-dir.")
    return History(path)


def spec_of(text: str) -> TrainingSpec | None:
    """The spec that the history keeps as JSON; None when it cannot be read any more."""
    try:
        return from_json(TrainingSpec, json.loads(text))
    except (ValueError, SpecError):
        return None
