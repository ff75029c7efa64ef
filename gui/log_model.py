"""The rows of the logs page: some or all tasks' logs, merged by time, as a list model."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from remote.logs import LEVELS, LineLevel, LogRow, TaskLog, merged, time_text
from remote.logs.merged import merge_key
from trainer.spec import TaskId

MAX_ROWS = 200_000
"""More than this are not shown; the oldest go first."""
_SPARE = 20_000
Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole


class LogModel(QAbstractListModel):
    """Complete rows in ``rows``, sorted; after them the unfinished line of each task that has one.

    ``listeners`` are told about changes of ``rows``: ``"reset"``, ``"added"`` or a number of rows
    that were dropped at the beginning.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[LogRow] = []
        self.tails: list[LogRow] = []
        self.several = True
        """Whether rows of more than one task are shown."""
        self.longest = 0
        """Characters of the longest row so far."""
        self.listeners: list[Callable[[str | int], None]] = []
        self._logs: dict[TaskId, TaskLog] = {}
        self._wanted: frozenset[TaskId] | None = None
        self._level: LineLevel = "debug"
        self._taken: dict[TaskId, int] = {}

    def choose(
        self,
        logs: dict[TaskId, TaskLog],
        wanted: frozenset[TaskId] | None,
        level: LineLevel,
    ) -> None:
        """Show these logs anew; ``wanted`` None: all tasks, also those that come later."""
        self.beginResetModel()
        self._logs, self._wanted, self._level = logs, wanted, level
        self.several = wanted is None or len(wanted) > 1
        chosen = self._chosen()
        self._taken = {log.task: log.total for log in chosen}
        parts = [[row for row in log.rows if self._passes(row)] for log in chosen]
        self.rows = list(merged(parts)) if len(parts) > 1 else [r for part in parts for r in part]
        del self.rows[: -MAX_ROWS or None]
        self.tails = self._tails()
        self._measure(self.rows)
        self._measure(self.tails)
        self.endResetModel()
        self._tell("reset")

    def refresh(self) -> None:
        """Take in what has come since."""
        new: list[LogRow] = []
        parts = 0
        for log in self._chosen():
            fresh = log.newest(log.total - self._taken.get(log.task, 0))
            self._taken[log.task] = log.total
            if fresh:
                parts += 1
                new += [row for row in fresh if self._passes(row)]
        if parts > 1:
            new.sort(key=merge_key)
        tails = self._tails()
        if new:
            self._drop_tails()
            self._insert(new)
            self._drop_old()
        self._show_tails(tails)

    def row(self, position: int) -> LogRow | None:
        """What stands at ``position``."""
        if position < len(self.rows):
            return self.rows[position] if position >= 0 else None
        at = position - len(self.rows)
        return self.tails[at] if at < len(self.tails) else None

    def position_of(self, task: TaskId, number: int) -> int | None:
        """Where a line of a task stands; None: it is not shown."""
        found = (i for i, r in enumerate(self.rows) if r.task == task and r.number == number)
        return next(found, None)

    def position_at(self, t: float, task: TaskId | None = None) -> int | None:
        """The last row written by ``t``, of ``task`` if it is given; the first, if none was."""
        keys = [row.t if row.t is not None else -1.0 for row in self.rows]
        at = bisect_right(keys, t) - 1
        for position in range(at, -1, -1):
            if task is None or self.rows[position].task == task:
                return position
        later = range(max(0, at), len(self.rows))
        return next((i for i in later if task is None or self.rows[i].task == task), None)

    # -- Qt ------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt has it
        return 0 if parent.isValid() else len(self.rows) + len(self.tails)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.row(index.row())
        if row is None:
            return None
        if role == ROW:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{row.task}  {row.text}" if self.several else row.text
        return None

    # -- rows ----------------------------------------------------------------------------------

    def _chosen(self) -> list[TaskLog]:
        wanted = self._wanted
        return [log for task, log in self._logs.items() if wanted is None or task in wanted]

    def _passes(self, row: LogRow) -> bool:
        return LEVELS.index(row.level) >= LEVELS.index(self._level)

    def _tails(self) -> list[LogRow]:
        found = (log.tail() for log in self._chosen())
        return [row for row in found if row is not None and self._passes(row)]

    def _insert(self, new: list[LogRow]) -> None:
        """Put ``new``, sorted, where it belongs: mostly at the end."""
        at, told = len(self.rows), "added"
        if self.rows and merge_key(new[0]) < merge_key(self.rows[-1]):
            at, told = bisect_left(self.rows, merge_key(new[0]), key=merge_key), "reset"
            moved = self.rows[at:]
            self.beginRemoveRows(QModelIndex(), at, len(self.rows) - 1)
            del self.rows[at:]
            self.endRemoveRows()
            new = list(merged((moved, new)))
        self.beginInsertRows(QModelIndex(), at, at + len(new) - 1)
        self.rows += new
        self.endInsertRows()
        self._measure(new)
        self._tell(told)

    def _drop_old(self) -> None:
        if len(self.rows) <= MAX_ROWS + _SPARE:
            return
        count = len(self.rows) - MAX_ROWS
        self.beginRemoveRows(QModelIndex(), 0, count - 1)
        del self.rows[:count]
        self.endRemoveRows()
        self._tell(count)

    def _drop_tails(self) -> None:
        if self.tails:
            first = len(self.rows)
            self.beginRemoveRows(QModelIndex(), first, first + len(self.tails) - 1)
            self.tails = []
            self.endRemoveRows()

    def _show_tails(self, tails: list[LogRow]) -> None:
        if tails == self.tails:
            return
        self._measure(tails)
        first = len(self.rows)
        if len(tails) == len(self.tails):
            self.tails = tails
            self.dataChanged.emit(self.index(first), self.index(first + len(tails) - 1))
            return
        self._drop_tails()
        if tails:
            self.beginInsertRows(QModelIndex(), first, first + len(tails) - 1)
            self.tails = tails
            self.endInsertRows()

    def _measure(self, rows: Iterable[LogRow]) -> None:
        self.longest = max(itertools.chain((len(r.text) for r in rows), (self.longest,)))

    def _tell(self, what: str | int) -> None:
        for listener in self.listeners:
            listener(what)


def row_line(row: LogRow, *, task: bool) -> str:
    """A row as a line of a text file."""
    stamp = f"{time_text(row):>12}  "
    return f"{stamp}{row.task}  {row.text}" if task else f"{stamp}{row.text}"
