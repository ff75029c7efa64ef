"""A worker: reads the variables, computes a gradient, applies it on the ps, until all is done."""

from __future__ import annotations

import math
import time
from typing import Any

import tensorflow.compat.v1 as tf

from trainer.data import Dataset
from trainer.data.batches import Batches
from trainer.engine.board import Board
from trainer.engine.departures import Word
from trainer.engine.graph import build_graph
from trainer.events import Finished, Notice
from trainer.failures import BadSpec, OutOfMemory, StopRequested, TaskFailure
from trainer.net import is_listening
from trainer.process import seconds_since_start
from trainer.roles.chief import Chief
from trainer.roles.context import Context
from trainer.roles.steps import StepWindows
from trainer.roles.waiting import (
    Patience,
    wait_for_marks,
    wait_for_servers,
    wait_for_variables,
)
from trainer.runtime import open_session, passes
from trainer.spec import DEFAULT_STEPS, FINAL_EXITS, TrainingSpec

RETRY_S = 0.5
"""Pause before a new session: TensorFlow logs each that fails."""
STOP_GRACE_S = 6.0
"""After a stop signal a worker has this long for its last events, and the chief to save."""
LAST_WORD_S = 10.0
"""How long a chief that fails waits for the ps in order to tell them."""


def total_steps(training: TrainingSpec, examples: int) -> int:
    """Global steps of the run; an epoch is one pass of all workers together."""
    if training.epochs is not None:
        return max(1, math.ceil(training.epochs * examples / training.batch_size))
    return training.steps or DEFAULT_STEPS


class Worker:
    """One attempt of one worker; the chief has duties besides."""

    def __init__(self, context: Context, dataset: Dataset) -> None:
        spec = context.spec
        self._context = context
        self._dataset = dataset
        self._steps = total_steps(spec.training, len(dataset.train))
        self._graph = build_graph(spec, dataset, self._steps)
        self._board = Board(spec.run_id, range(len(spec.cluster.ps)))
        self._chief: Chief | None = None
        if spec.task.is_chief:
            self._chief = Chief(context, self._graph, self._board, dataset)
        self._patience = Patience(context)
        self._step = 0
        self._examples = 0
        self._train_seconds = 0.0
        self._first_step_seconds: float | None = None

    def run(self) -> None:
        """Train to the last step. Raises ``StopRequested`` and ``TaskFailure``."""
        try:
            if self._chief is not None:
                self._chief.check_checkpoints()
            while not self._try_to_finish():
                pass
        except TaskFailure as failure:
            if self._chief is not None and failure.exit_status in FINAL_EXITS:
                self._end_the_run(str(failure))
            raise
        finally:
            if self._chief is not None:
                self._chief.close()
        self._context.phase("finished")
        self._context.sink.emit(
            Finished(
                step=self._step,
                examples=self._examples,
                train_seconds=self._train_seconds,
                first_step_seconds=self._first_step_seconds,
            )
        )

    def _try_to_finish(self) -> bool:
        """One session with the ps. False: a ps went away, and a new session is needed."""
        wait_for_servers(self._context, self._patience)
        try:
            with open_session(self._context.server, self._context.spec) as session:
                self._join(session)
                self._train(session)
                self._step = int(session.run(self._graph.buckets.current_step))
                if self._chief is not None:
                    self._chief.conclude(session)
                word = Word(self._context.spec.task.index, self._step)
                self._board.tell(session, word)
                return True
        except tf.errors.ResourceExhaustedError:
            size = self._context.spec.training.batch_size
            raise OutOfMemory(
                f"out of memory in a step of {size} examples; lower batch_size, or see what else "
                "uses this device"
            ) from None
        except tf.errors.OpError as error:
            if not passes(error):
                raise
            self._report_loss(error)
            return False

    def _report_loss(self, error: tf.errors.OpError) -> None:
        away = [
            f"ps:{k} at {address}"
            for k, address in enumerate(self._context.spec.cluster.ps)
            if not is_listening(address)
        ]
        if not self._patience.waiting:
            whom = ", ".join(away) or f"a ps ({type(error).__name__})"
            text = f"lost {whom}; training goes on when it is back"
            self._context.sink.emit(Notice(level="warning", text=text))
        self._patience.wait(", ".join(away) or "the ps to answer again", RETRY_S)

    def _join(self, session: Any) -> None:
        wait_for_marks(self._context, self._patience, self._board, session)
        if self._chief is not None:
            self._chief.prepare(session)
        else:
            wait_for_variables(self._patience, self._board, session)

    def _train(self, session: Any) -> None:
        training, task = self._context.spec.training, self._context.spec.task
        step = int(session.run(self._graph.buckets.current_step))
        batches = Batches(
            self._dataset.train,
            batch_size=training.batch_size,
            seed=training.seed,
            index=task.index,
            workers=len(self._context.spec.cluster.worker),
            first_epoch=step * training.batch_size // len(self._dataset.train),
        )
        self._context.phase("training")
        self._context.stop.grace_s = STOP_GRACE_S
        windows = StepWindows(self._context.sink, training.batch_size)
        started = time.monotonic()
        try:
            with batches:
                self._loop(session, batches, windows)
        except StopRequested:
            windows.flush()
            if self._chief is not None:
                self._chief.save_on_stop(session)
            raise
        finally:
            windows.flush()
            self._train_seconds += time.monotonic() - started

    def _loop(self, session: Any, batches: Batches, windows: StepWindows) -> None:
        train = session.make_callable(list(self._graph.train), feed_list=list(self._graph.inputs))
        size = self._context.spec.training.batch_size
        while True:
            self._context.stop.check()
            try:
                step, loss, _ = train(*batches.next())
            except tf.errors.OutOfRangeError:
                return
            self._patience.renew()
            self._examples += size
            windows.add(int(step), float(loss))
            if self._first_step_seconds is None:
                self._first_step_seconds = seconds_since_start()
            if not math.isfinite(loss):
                raise BadSpec(
                    f"the loss became {float(loss)} at step {step}; "
                    "lower the learning rate or check the data"
                )
            if self._chief is not None:
                self._chief.after_step(session)

    def _end_the_run(self, reason: str) -> None:
        """Tell the ps, which tell the other workers, that the run cannot go on; best effort."""
        until = time.monotonic() + LAST_WORD_S
        while not all(map(is_listening, self._context.spec.cluster.ps)):
            if time.monotonic() > until:
                return
            self._context.stop.sleep(0.1)
        try:
            with open_session(self._context.server, self._context.spec) as session:
                self._board.fail(session, reason)
        except tf.errors.OpError:
            return  # the ps end by themselves when they miss the chief
