"""The logs of all tasks as one, in the order in which things happened."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator

from remote.logs.task_log import LogRow


def merge_key(row: LogRow) -> tuple[float, int, int, int]:
    """Sorts rows of all tasks by time; rows of one task stay in their order."""
    role = 0 if row.task.role == "ps" else 1
    return (row.t if row.t is not None else -1.0, role, row.task.index, row.number)


def merged(logs: Iterable[Iterable[LogRow]]) -> Iterator[LogRow]:
    """The rows of all ``logs`` by time. A row without a time stands before all that have one."""
    return heapq.merge(*logs, key=merge_key)
