"""All patterns, in the order in which they are tried: the telling ones before the general."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from remote.causes.pattern import Known, Pattern, Where
from remote.causes.table_gpu import GPU
from remote.causes.table_python import PYTHON
from remote.causes.table_system import SYSTEM

_GENERAL = ("module not found", "python too old", "file not found")
PATTERNS: tuple[Pattern, ...] = tuple(
    sorted((*GPU, *PYTHON, *SYSTEM), key=lambda p: (p.peer, p.above, p.kind in _GENERAL))
)
"""A peer's loss comes last: a message that names a cause of its own is not about the peer."""


def find_known(lines: Sequence[str], places: Iterable[Where] = ("exception",)) -> Known | None:
    """The first pattern of the table that counts in one of ``places`` and is on one of ``lines``.

    A pattern for any line counts in an exception as well.
    """
    wanted = frozenset(places)
    if "exception" in wanted:
        wanted |= {"line"}
    for pattern in PATTERNS:
        if pattern.where in wanted:
            for line in lines:
                if pattern.expression.search(line):
                    return Known(pattern, line)
    return None
