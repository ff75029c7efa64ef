"""Drives one worker through its steps, over as many sessions as it takes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from functools import partial
from typing import TYPE_CHECKING, Any

import tensorflow.compat.v1 as tf

from trainer.data import Dataset
from trainer.data.batches import Batches
from trainer.engine.board import Board
from trainer.engine.departures import Word
from trainer.engine.graph import TrainingGraph
from trainer.events import Notice
from trainer.failures import BadSpec, OutOfMemory, RunIsOver, StopRequested
from trainer.net import is_listening
from trainer.roles.chief import Chief
from trainer.roles.context import Context
from trainer.roles.flight import Flight, calls_in_flight
from trainer.roles.opening import opened
from trainer.roles.stepping import AsyncStepping, Stepping, SyncStepping
from trainer.roles.steps import StepWindows, Taken
from trainer.roles.waiting import Patience, wait_for_ps, wait_for_servers, wait_for_variables
from trainer.runtime import open_session, passes

if TYPE_CHECKING:
    from trainer.data.kinds import Batch

RETRY_S = 0.5
"""Pause before a new session: TensorFlow logs each that fails."""
STOP_GRACE_S = 6.0
"""After a stop signal a worker has this long for its last events, and the chief to save."""


class Replica:
    """One worker as its client sees it: in the same process, or one that the chief drives.

    Args:
        graph: the graph of ``worker``.
        chief: the chief's duties, in the one replica that has them.
        steps: global steps of the run.
        conclude: called with the session, the board and the global step once all steps are taken.
    """

    def __init__(
        self,
        context: Context,
        dataset: Dataset,
        graph: TrainingGraph,
        worker: int,
        windows: StepWindows,
        steps: int,
        conclude: Callable[[Any, Board, int], None],
        chief: Chief | None = None,
    ) -> None:
        self._context = context
        self._dataset = dataset
        self._graph = graph
        self._worker = worker
        self._windows = windows
        self._steps = steps
        self._conclude = conclude
        self._chief = chief
        self._driven = worker != context.spec.task.index
        self._patience = Patience(context)
        self.step = 0
        self.train_seconds = 0.0
        self._said_not_finite = False

    def only_says_goodbye(self) -> None:
        """All that this worker does is done and saved."""
        self._patience.renew()
        self._patience.all_taken = True

    def run(self) -> None:
        """Train to the last step. Raises ``StopRequested`` and ``TaskFailure``."""
        while not self._try_to_finish():
            pass

    def _try_to_finish(self) -> bool:
        """One session. False: a peer went away, and a new session is needed."""
        wait_for_servers(self._context, self._patience, self._peers())
        try:
            with self._session() as session:
                try:
                    self._join(session)
                except RunIsOver:
                    self._say_goodbye(session)
                    return True
                self._train(session)
                if self._chief is None:
                    self.only_says_goodbye()
                self.step = int(session.run(self._graph.buckets.current_step))
                self._conclude(session, self._graph.board, self.step)
                return True
        except tf.errors.ResourceExhaustedError:
            size = self._context.spec.training.batch_size
            two = calls_in_flight(self._context.spec, self._graph) > 1
            raise OutOfMemory(
                f"out of memory in a step of {size} examples; lower batch_size, "
                f"{'set calls_in_flight to 1, ' if two else ''}or see what else uses this device"
            ) from None
        except tf.errors.OpError as error:
            if not passes(error):
                raise
            self._report_loss(error)
            return False

    def _session(self) -> AbstractContextManager[Any]:
        context, graph = self._context, self._graph
        session = open_session(context.server, context.spec, graph=graph.graph, worker=self._worker)
        first = partial(graph.board.flags, session)
        return opened(context, self._patience, self._peers(), session, first)

    def _say_goodbye(self, session: Any) -> None:
        """The chief has seen all to its end already: only the ps wait for this worker's word."""
        self.step = self._context.earlier.step
        if not self._driven:
            self._context.phase("finished")
            self._graph.board.tell(session, Word(self._worker, self.step))

    def _peers(self) -> dict[str, str]:
        """Names and addresses of the servers that a session needs."""
        cluster = self._context.spec.cluster
        peers = {f"ps:{k}": cluster.ps[k] for k in range(self._context.ps_count)}
        if self._driven:
            peers[f"worker:{self._worker}"] = cluster.worker[self._worker]
        return peers

    def _report_loss(self, error: tf.errors.OpError) -> None:
        away = [f"{n} at {a}" for n, a in self._peers().items() if not is_listening(a)]
        if not self._patience.waiting:
            whom = ", ".join(away) or f"a peer ({type(error).__name__})"
            text = f"lost {whom}; training goes on when it is back"
            self._context.sink.emit(Notice(level="warning", text=text))
        others = " or ".join(self._peers())
        if isinstance(error, tf.errors.DeadlineExceededError) and not away:
            # The call itself has waited as long as may be, and a new session to a peer that takes
            # connections and never answers would wait without end.
            self._patience.use_up(f"{others} to answer")
        self._patience.wait(", ".join(away) or f"{others} to answer again", RETRY_S)

    def _join(self, session: Any) -> None:
        wait_for_ps(self._context, self._patience, self._graph.board, session)
        if self._chief is not None:
            self._chief.prepare(session)
        wait_for_variables(self._context, self._patience, self._graph.board, session)
        if self._graph.local_initializers:
            session.run(self._graph.local_initializers)

    def _train(self, session: Any) -> None:
        stepping = self._stepping(session)
        training = self._context.spec.training
        if not self._driven or self._patience.waiting:
            total = self._steps if self._chief is not None else None
            self._context.phase("training", total_steps=total)
        self._context.stop.grace_s = STOP_GRACE_S
        if self._chief is not None:
            self._context.stop.saves = True
        if not self._driven:
            self._windows.restart()
        started = time.monotonic()
        try:
            with (
                closing(stepping),
                Batches(
                    self._dataset.train,
                    batch_size=training.batch_size,
                    seed=training.seed,
                    index=self._worker,
                    workers=self._context.worker_count,
                    first_batch=stepping.begin(),
                ) as batches,
            ):
                self._loop(session, batches, stepping)
        except StopRequested:
            self._windows.flush()
            if self._chief is not None:
                self._chief.save_on_stop(session)
            raise
        finally:
            self._windows.flush()
            self.train_seconds += time.monotonic() - started

    def _stepping(self, session: Any) -> Stepping:
        if self._context.spec.training.is_sync:
            return SyncStepping(self._context, session, self._graph, self._steps)
        return AsyncStepping(session, self._graph, self._context.worker_count)

    def _loop(self, session: Any, batches: Batches, stepping: Stepping) -> None:
        calls = calls_in_flight(self._context.spec, self._graph)

        def supply() -> tuple[Batch, float]:
            self._context.stop.check()
            began = time.perf_counter()
            batch = batches.next()
            return batch, time.perf_counter() - began

        def record(taken: Taken, input_s: float) -> None:
            self._patience.renew()
            self._windows.add(taken, input_s, calls)

        def follow(taken: Taken) -> None:
            if not math.isfinite(taken.loss):
                self._not_finite(taken)
            if self._chief is not None:
                self._chief.after_step(session, taken)

        Flight(calls, supply, stepping.step, record, follow).run()

    def _not_finite(self, taken: Taken) -> None:
        """Raise ``BadSpec``, or say so once, as the spec says."""
        text = f"the loss became {taken.loss} at step {taken.step}"
        if self._context.spec.training.on_nan == "stop":
            raise BadSpec(f"{text}; lower the learning rate or check the data")
        if not self._said_not_finite:
            self._said_not_finite = True
            text += "; training goes on, as on_nan says"
            self._context.sink.emit(Notice(level="warning", text=text))
