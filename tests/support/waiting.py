"""Waiting for what comes in its own time: long enough for a machine that is busy with much else."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE_S = 90.0
"""Nothing is waited for in vain for less than this; what holds is seen within milliseconds."""
SLACK = 8.0
"""How many times slower than a quiet machine the one that runs the tests may be."""


def until(
    holds: Callable[[], object],
    limit_s: float = PATIENCE_S,
    *,
    what: Callable[[], object] = lambda: "",
    pause_s: float = 0.01,
) -> None:
    """Wait until ``holds``; fails the test with what ``what`` says when it never does.

    Args:
        limit_s: only more than ``PATIENCE_S`` counts.
    """
    limit_s = max(limit_s, PATIENCE_S)
    end = time.monotonic() + limit_s
    while not holds():
        assert time.monotonic() < end, f"it did not happen in {limit_s:.0f} s {what()}"
        time.sleep(pause_s)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What the block does takes so long at most on a quiet machine; here ``SLACK`` times that."""
    began = time.monotonic()
    yield
    took = time.monotonic() - began
    assert took < seconds * SLACK, f"took {took:.2f} s where {seconds} s are meant"
