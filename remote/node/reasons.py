"""Why a task has to end though nobody ordered it: its time is up, or the run cannot go on."""

import time
from types import TracebackType
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple, Type

from remote.node import last_words, orders, procs, record
from remote.node.job import Job
from remote.node.peers import Peers

_OF_CLOCK = "the run's time limit"
AS_ORDERED = "stopped as ordered"
"""How the reason of a task begins that somebody has stopped."""


class Reason(NamedTuple):
    """An order of the supervisor's own, and the state and sentence that the task ends with."""

    order: orders.Order
    state: str
    words: str


class Reasons:
    """Watches the clock and the run's other tasks; use as a context manager.

    Args:
        known: the supervisor's record.
    """

    def __init__(self, task_dir: str, launch: Dict[str, Any], known: record.Record) -> None:
        self._dir = task_dir
        self._limit_s: Optional[float] = launch.get("max_s")
        self._began = known.get("began")
        self._boot_id = known.get("boot_id")
        self._job = Job.read(task_dir, launch)
        self._peers = Peers(task_dir, self._job)
        self._found: Optional[Reason] = None

    def __enter__(self) -> "Reasons":
        self._peers.start()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self._peers.close()

    def order(self) -> Optional[orders.Order]:
        """What the supervisor has to do of its own accord; None: nothing."""
        if self._found is None:
            self._found = self._time_is_up()
            if self._found is not None:
                self._write_down(self._found.order)
            else:
                self._found = self._run_is_over()
        return None if self._found is None else self._found.order

    def stopped(self, order: orders.Order, more: str = "") -> Tuple[str, str]:
        """Final state and reason of a task that ``order`` has ended."""
        if self._found is not None and order.by == self._found.order.by == _OF_CLOCK:
            return self._found.state, self._found.words
        if self._found is not None and order is self._found.order:
            return self._found.state, self._found.words
        by = " by %s" % order.by if order.by else ""
        return "stopped", AS_ORDERED + by + more

    def tell_the_end(
        self,
        known: record.Record,
        sleep: Callable[[float], None],
        is_told_to_go: Callable[[], bool],
    ) -> None:
        """Let peers on other nodes know, where only the supervisor can tell them."""
        if self._job.needs_last_words and not self._peers.all_have_records():
            last_words.serve(self._job, known, sleep, is_told_to_go)

    def _time_is_up(self) -> Optional[Reason]:
        if self._limit_s is None or not isinstance(self._began, dict):
            return None
        if self._boot_id == procs.boot_id():
            # A clock that is set does not change how long a task may take.
            ran_s = time.clock_gettime(record.CLOCK_BOOTTIME) - self._began["boottime"]
        else:
            ran_s = time.time() - self._began["wall"]
        if ran_s < self._limit_s:
            return None
        words = "stopped after %g hours, as max_hours says" % round(self._limit_s / 3600.0, 4)
        return Reason(orders.Order(orders.CHECKPOINT, _OF_CLOCK, time.time()), "stopped", words)

    def _write_down(self, order: orders.Order) -> None:
        """A task looks there for how long it may take over its last checkpoint."""
        try:
            orders.write(self._dir, order.depth, order.by)
        except OSError:
            pass  # the supervisor knows

    def _run_is_over(self) -> Optional[Reason]:
        end = self._peers.verdict
        if end is None:
            return None
        return Reason(orders.Order(orders.NOW, "", time.time()), end.state, end.words)
