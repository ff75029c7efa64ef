"""One step of one worker, async or sync, as a session call; and where its time went."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import tensorflow.compat.v1 as tf

from trainer.engine.async_update import AsyncUpdate
from trainer.engine.buckets import ENDED
from trainer.engine.calls import prepared
from trainer.engine.graph import TrainingGraph
from trainer.engine.sync_update import SyncUpdate
from trainer.failures import LostPeer
from trainer.roles.context import Context
from trainer.roles.steps import Taken
from trainer.runtime import patience_s

if TYPE_CHECKING:
    from trainer.data.kinds import Batch

LOOK_EVERY_S = 0.25
NUDGE_EVERY_S = 1.0
SLOW_S = 2.0
"""A worker that waits longer than this for others says for whom."""


class Stepping(Protocol):
    """How a worker takes its steps within one session."""

    def begin(self) -> int:
        """Take up the run; the number of this worker's next batch."""

    def step(self, batch: Batch) -> Taken | None:
        """Take one step. None: all steps of the run are taken."""

    def close(self) -> None:
        """End its threads."""


class AsyncStepping:
    """Each step stands for itself; also the steps of a single process."""

    def __init__(self, session: Any, graph: TrainingGraph, workers: int) -> None:
        assert isinstance(graph.update, AsyncUpdate)
        self._session = session
        self._graph = graph
        self._workers = workers
        fetches = [graph.update.step, graph.loss, graph.read_at, graph.computed_at]
        self._call = prepared(session, fetches, graph.inputs, graph.update.done)

    def begin(self) -> int:
        return int(self._session.run(self._graph.buckets.current_step)) // self._workers

    def step(self, batch: Batch) -> Taken | None:
        began = time.perf_counter()
        try:
            step, loss, read_at, computed_at = self._call(*batch)
        except tf.errors.OutOfRangeError:
            return None
        seconds = time.perf_counter() - began
        compute_s = min(seconds, max(0.0, float(computed_at - read_at)))
        return Taken(int(step), float(loss), True, compute_s, seconds - compute_s, 0.0)

    def close(self) -> None:
        return


class SyncStepping:
    """Steps that end when the average of all workers is applied.

    A thread looks after the wait: it says for whom, ends it when the task is to stop, and after
    :func:`~trainer.runtime.patience_s`.
    """

    def __init__(self, context: Context, session: Any, graph: TrainingGraph, steps: int) -> None:
        assert isinstance(graph.update, SyncUpdate)
        self._context = context
        self._session = session
        self._update = graph.update
        self._steps = steps
        self._current = 0
        update = graph.update
        fetches = [graph.loss, graph.read_at, graph.computed_at, *update.answers]
        self._call = prepared(session, fetches, [*graph.inputs, update.current], update.local)
        self._lookout = Lookout(context, session, update)

    def begin(self) -> int:
        self._current = self._update.join(self._session)
        return self._current

    def step(self, batch: Batch) -> Taken | None:
        if self._current >= self._steps:
            return None
        self._lookout.begin(self._current)
        began = time.perf_counter()
        loss, read_at, computed_at, *answers = self._call(*batch, self._current)
        answer = self._update.answered(answers)
        following = self._update.settle(
            self._session, answer.tokens, self._current, self._lookout.check_nudge
        )
        seconds = time.perf_counter() - began
        if self._lookout.end():
            self._context.phase("training")
        compute_s = min(seconds, max(0.0, float(computed_at - read_at)))
        wait_s = min(seconds - compute_s, answer.waited_s)
        exchange_s = seconds - compute_s - wait_s
        if following >= ENDED and self._update.applied(self._session) <= self._current:
            return None  # the run was ended before this step was applied
        taken = Taken(self._current + 1, float(loss), answer.counts, compute_s, exchange_s, wait_s)
        self._current = following
        return taken

    def close(self) -> None:
        self._lookout.close()


class Lookout:
    """Watches the steps of a sync worker from a thread of its own."""

    def __init__(self, context: Context, session: Any, update: SyncUpdate) -> None:
        self._context = context
        self._session = session
        self._update = update
        self._limit_s = patience_s()
        self._lock = threading.Lock()
        self._current: int | None = None
        self._since = 0.0
        self._whom = ""
        self._gave_up = False
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="lookout", daemon=True)
        self._thread.start()

    def begin(self, current: int) -> None:
        """A step begins."""
        with self._lock:
            self._current, self._since = current, time.monotonic()

    def end(self) -> bool:
        """It ended; whether anything was said about its wait."""
        with self._lock:
            said, self._whom = bool(self._whom), ""
            self._current = None
        return said

    def check_nudge(self) -> None:
        """Raise what ends the wait: ``StopRequested``, a thread's failure, ``LostPeer``."""
        self._context.stop.check()
        if self._gave_up:
            raise LostPeer(
                f"gave up after waiting {self._limit_s:.0f} s for {self._whom}; "
                "see that task's log and start it again"
            )

    def close(self) -> None:
        self._closed.set()
        self._thread.join()

    def _watch(self) -> None:
        nudged_at = 0.0
        while not self._closed.wait(LOOK_EVERY_S):
            now = time.monotonic()
            due = self._context.stop.interrupted or self._look(now)
            if due and now - nudged_at >= NUDGE_EVERY_S:
                nudged_at = now
                self._try(lambda: self._update.nudge(self._session))

    def _look(self, now: float) -> bool:
        """Report a long wait. Whether it is longer than anyone should wait."""
        with self._lock:
            current, since = self._current, self._since
        if current is None or now - since < SLOW_S:
            return False
        awaited = self._try(lambda: self._update.awaited(self._session, current)) or []
        own = self._update.worker
        if not awaited or own in awaited:
            return False  # it is this worker that computes
        addresses = self._context.spec.cluster.worker
        whom = ", ".join(f"worker:{i} at {addresses[i]}" for i in awaited)
        with self._lock:
            if self._current != current:
                return False
            if whom != self._whom:
                self._whom = whom
                self._context.phase("waiting", f"waiting for {whom} in step {current + 1}")
            self._gave_up = now - since > self._limit_s
        return self._gave_up

    def _try(self, action: Callable[[], Any]) -> Any:
        """The training thread meets a lost ps by itself."""
        try:
            return action()
        except (tf.errors.OpError, RuntimeError):  # RuntimeError: the session is closed
            return None
