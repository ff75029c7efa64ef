"""SQLite: every run, every event, exactly once. Knows nothing of live connections."""

from remote.history.gaps import Gap, Gaps
from remote.history.ids import is_run_id, new_run_id, resolve
from remote.history.lines import EventAssembler, GapError, PlacedEvent
from remote.history.logtext import LogText, by_time
from remote.history.orders import StopOrder, StopOrders
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
from remote.history.stand_in import open_or_stand_in
from remote.history.store import History
from remote.history.write import SAME_MOMENT_S

__all__ = [
    "SAME_MOMENT_S",
    "Batch",
    "EventAssembler",
    "FilePart",
    "Gap",
    "GapError",
    "Gaps",
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
    "StopOrder",
    "StopOrders",
    "StoredEvent",
    "TaskRecord",
    "by_time",
    "is_run_id",
    "new_run_id",
    "open_or_stand_in",
    "resolve",
]
