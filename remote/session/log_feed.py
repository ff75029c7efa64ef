"""A run's logs on their way: characters joined, times put to lines, ends explained. Pure."""

from __future__ import annotations

import codecs

from remote.causes import LogScan
from remote.history import StoredEvent
from remote.logs import TaskLog
from remote.updates import LogUpdate
from trainer.events import Started
from trainer.spec import TaskId

_KEPT = 1
"""Rows that are kept here: who shows a log keeps its own."""


class LogFeed:
    """Takes the bytes of the tasks' logs in order; gives updates, and remembers in ``scans``."""

    def __init__(self, run_id: str) -> None:
        self.scans: dict[TaskId, LogScan] = {}
        self._run_id = run_id
        self._decoders: dict[TaskId, codecs.IncrementalDecoder] = {}
        self._logs: dict[TaskId, TaskLog] = {}
        self._begun: dict[TaskId, float] = {}
        self._shifts: dict[TaskId, float] = {}

    def event(self, task: TaskId, stored: StoredEvent) -> None:
        """What an event says about the clock of its node, and when the task began."""
        self._shifts[task] = stored.t - stored.event.t
        if isinstance(stored.event.body, Started):
            self._begun.setdefault(task, stored.t)

    def take(
        self, task: TaskId, offset: int, data: bytes, *, reset: bool, read_at: float | None
    ) -> list[LogUpdate]:
        """Bytes of a task's log; a character that is cut waits for its rest."""
        decoder = self._decoders.get(task)
        if decoder is None or reset:
            decoder = codecs.getincrementaldecoder("utf-8")("replace")
            self._decoders[task] = decoder
        text = decoder.decode(data)
        if not text:
            return []
        update = LogUpdate(
            run_id=self._run_id,
            task=task,
            offset=offset,
            text=text,
            read_at=read_at,
            shift_s=self._shifts.get(task, 0.0),
            begun=self._begun.get(task),
        )
        self._scan(update)
        return [update]

    def _scan(self, update: LogUpdate) -> None:
        log = self._logs.setdefault(update.task, TaskLog(update.task, _KEPT))
        scan = self.scans.setdefault(update.task, LogScan())
        for row in log.feed(
            update.text, update.read_at, shift_s=update.shift_s, begun=update.begun
        ):
            scan.take(row.number, row.text, row.t, exact=row.exact)
