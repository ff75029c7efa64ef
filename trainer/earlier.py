"""What earlier attempts of a task have left in its event file. Standard library only."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from trainer.events import Evaluated, EventError, Finished, PhaseChanged, Steps, decode

TAIL_BYTES = 1 << 16
"""More than any task writes after it has done its work."""


class Earlier(NamedTuple):
    """``finished``: all work was done when the last attempt ended; ``step``: the last it saw."""

    finished: bool = False
    step: int = 0


def look_at(path: Path) -> Earlier:
    """Read the end of the event file; a missing or damaged one says nothing."""
    finished, step = False, 0
    for line in _tail(path):
        try:
            body = decode(line).body
        except EventError:
            continue  # the first line of the tail, or one that a killed task left
        if isinstance(body, PhaseChanged):
            finished = body.phase == "finished"
        elif isinstance(body, Steps):
            step = max([step, *body.steps])
        elif isinstance(body, (Evaluated, Finished)):
            step = max(step, body.step)
    return Earlier(finished, step)


def _tail(path: Path) -> list[bytes]:
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - TAIL_BYTES))
            return file.read().splitlines(keepends=True)
    except OSError:
        return []
