"""The logs of a run as the history has them, with times, without playing the whole run again."""

from __future__ import annotations

import codecs

from remote.history import History, by_time
from remote.logs import TaskLog
from trainer.events import Started
from trainer.spec import TaskId


def recorded_log(history: History, run_id: str, task: TaskId) -> TaskLog:
    """All that is on record of one task's log. Raises HistoryError."""
    log = TaskLog(task, limit=None)
    shift_s, begun = _clock(history, run_id, task)
    start, data = history.log_bytes(run_id, task)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for _, piece, read_at in by_time(start, data, history.log_times(run_id, task)):
        log.feed(decoder.decode(piece), read_at, shift_s=shift_s, begun=begun)
    log.settle()
    return log


def _clock(history: History, run_id: str, task: TaskId) -> tuple[float, float | None]:
    """What to add to the node's times, and when the task's first attempt began."""
    for stored in history.events(run_id, task, "started"):
        if isinstance(stored.event.body, Started):
            return stored.t - stored.event.t, stored.t
    return 0.0, None
