"""How many threads there are, given the time that ending ones need."""

from __future__ import annotations

import threading
import time

from tests.support.waiting import PATIENCE_S


def ended(before: int, limit_s: float = PATIENCE_S) -> bool:
    """Whether there are within ``limit_s`` no more threads than ``before``."""
    deadline = time.monotonic() + limit_s
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    return threading.active_count() <= before
