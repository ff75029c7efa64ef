"""Two session calls of one worker at a time: the variables of one travel while another computes."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from trainer.roles.steps import Taken

if TYPE_CHECKING:
    from trainer.data.kinds import Batch
    from trainer.engine.graph import TrainingGraph
    from trainer.spec import TaskSpec


def calls_in_flight(spec: TaskSpec, graph: TrainingGraph) -> int:
    """How many calls a worker has under way: follows from spec and model alone, never from time.

    One where two would not be what they are compared with (sync, a single process), and where the
    worker keeps state of its own, like the seeds of dropout, that each call changes in its turn.
    """
    training = spec.training
    if training.is_single or training.is_sync or graph.local_initializers:
        return 1
    return training.calls_in_flight


def flight_notice(spec: TaskSpec, graph: TrainingGraph) -> str:
    """Why it is one call where two were wanted, in one sentence; else empty."""
    training = spec.training
    if training.is_single or training.calls_in_flight == calls_in_flight(spec, graph):
        return ""
    return "each worker has one step under way: its model draws random numbers in turn"


class _Landed(NamedTuple):
    """The result of a call. ``begun`` had been begun when it came: later ones have higher steps."""

    step: int
    begun: int
    taken: Taken
    input_s: float


class Flight:
    """Takes the steps of one session by ``calls`` threads, and notes them in their order.

    Each call has the next batch of the worker's stream. Which of two calls is applied first is
    open; the number that a step got on the ps says it. A result waits until no call is under way
    that can have a lower number, so what is noted never goes back.

    Args:
        supply: the next batch and how long it was waited for; raises what ends the training.
        take: one step with it; None: all steps are taken.
        record: called for every step that was taken, one at a time, in order of their numbers.
        follow: called after ``record``, until something has failed.
    """

    def __init__(
        self,
        calls: int,
        supply: Callable[[], tuple[Batch, float]],
        take: Callable[[Batch], Taken | None],
        record: Callable[[Taken, float], None],
        follow: Callable[[Taken], None],
    ) -> None:
        self._supply = supply
        self._take = take
        self._record = record
        self._follow = follow
        self._lock = threading.Lock()
        self._begun = 0
        self._flying: set[int] = set()
        self._landed: list[_Landed] = []
        self._over = False
        self._failure: BaseException | None = None
        self._others = [
            threading.Thread(target=self._lane, name=f"call-{i}", daemon=True)
            for i in range(1, calls)
        ]

    def run(self) -> None:
        """Until all steps are taken. Raises what failed first, when no call is under way."""
        for thread in self._others:
            thread.start()
        self._lane()
        for thread in self._others:
            thread.join()
        if self._failure is not None:
            self._pass_on()
            raise self._failure

    def _lane(self) -> None:
        try:
            while not self._over:
                batch, input_s = self._supply()
                self._call(batch, input_s)
        except BaseException as failure:  # it belongs to the thread that runs the flight
            with self._lock:
                self._over = True
                self._failure = self._failure or failure

    def _call(self, batch: Batch, input_s: float) -> None:
        with self._lock:
            number = self._begun
            self._begun += 1
            self._flying.add(number)
        taken, failure = None, None
        try:
            taken = self._take(batch)
        except BaseException as error:  # told once both have landed
            failure = error
        with self._lock:
            self._flying.discard(number)
            self._over = self._over or taken is None
            self._failure = self._failure or failure
            if taken is not None:
                heapq.heappush(self._landed, _Landed(taken.step, self._begun, taken, input_s))
            self._pass_on()

    def _pass_on(self) -> None:
        """Note what no call under way can come before. Under the lock."""
        while self._landed and self._landed[0].begun <= min(self._flying, default=self._begun):
            landed = heapq.heappop(self._landed)
            self._record(landed.taken, landed.input_s)
            if self._failure is None:
                self._follow(landed.taken)
