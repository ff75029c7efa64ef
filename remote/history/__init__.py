"""SQLite: every run, every event, exactly once. Knows nothing of live connections."""

from remote.history.ids import is_run_id, new_run_id, resolve
from remote.history.lines import EventAssembler, GapError, PlacedEvent
from remote.history.logtext import LogText
from remote.history.overview import RunRow
from remote.history.records import (
    Batch,
    FilePart,
    Oddities,
    Resume,
    RunRecord,
    Standing,
    StepSeries,
    StoredEvent,
    TaskRecord,
)
from remote.history.remarks import Remark
from remote.history.store import History

__all__ = [
    "Batch",
    "EventAssembler",
    "FilePart",
    "GapError",
    "History",
    "LogText",
    "Oddities",
    "PlacedEvent",
    "Remark",
    "Resume",
    "RunRecord",
    "RunRow",
    "Standing",
    "StepSeries",
    "StoredEvent",
    "TaskRecord",
    "is_run_id",
    "new_run_id",
    "resolve",
]
