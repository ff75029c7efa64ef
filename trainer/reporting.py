"""Takes what a user's script reports to the process that runs it. Standard library only.

One line of JSON for each report goes into a named pipe, in one write that is short enough never
to mix with another process' (``PIPE_BUF``, pipe(7)).
"""

from __future__ import annotations

import json
import math
import operator
import os
import select
import time

PIPE_VARIABLE = "CLEW_REPORTS"
"""The environment variable with the pipe's path; without it nothing is reported."""
_WAIT_S = 1.0
"""A pipe that stays full so long has no reader: training is not held up by it."""

_open: tuple[int, int] | None = None
"""The process that opened the pipe, and its descriptor."""


def send(step: int, loss: float | None, examples: int) -> None:
    """Write one report; see :func:`trainer.report`."""
    number, count = operator.index(step), operator.index(examples)
    value = math.nan if loss is None else float(loss)
    if number < 0 or count < 0:
        raise ValueError(f"step and examples must not be negative: {number}, {count}")
    descriptor = _pipe()
    if descriptor is None:
        return
    line = json.dumps([number, value, count, time.time()]).encode("ascii") + b"\n"
    try:
        try:
            os.write(descriptor, line)
        except BlockingIOError:
            if select.select([], [descriptor], [], _WAIT_S)[1]:
                os.write(descriptor, line)
    except OSError:
        pass  # whoever ran the script is gone, or does not read: the script goes on


def _pipe() -> int | None:
    global _open
    if _open is not None and _open[0] == os.getpid():
        return _open[1]
    path = os.environ.get(PIPE_VARIABLE)
    if not path:
        return None
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:  # nobody reads
        return None
    _open = os.getpid(), descriptor
    return descriptor


def read(line: bytes) -> tuple[int, float, int, float]:
    """Step, loss, examples and time of one line. Raises ``ValueError``."""
    data = json.loads(line)
    if not isinstance(data, list) or len(data) != 4:
        raise ValueError("not a report")
    step, loss, examples, t = data
    if type(step) is not int or type(examples) is not int or not math.isfinite(float(t)):
        raise ValueError("not a report")
    return step, float(loss), examples, float(t)
