"""A worker process: it computes. The chief has duties besides; in-graph it drives the others."""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import wait
from typing import Any

import tensorflow.compat.v1 as tf

from trainer.data import Dataset
from trainer.engine.board import Board
from trainer.engine.departures import CHIEF_SEEN, Word
from trainer.engine.graph import TrainingGraph, build_graph
from trainer.events import Finished, Notice
from trainer.failures import StopRequested, TaskFailure
from trainer.left_behind import begin
from trainer.models.precision import why_not
from trainer.net import is_listening
from trainer.roles.chief import Chief
from trainer.roles.context import Context
from trainer.roles.opening import first_answer
from trainer.roles.replica import RETRY_S, Replica
from trainer.roles.serving import watch_board
from trainer.roles.steps import StepWindows
from trainer.roles.waiting import LOOK_EVERY_S, Patience, wait_for_servers
from trainer.runtime import devices_of, open_session, passes
from trainer.spec import DEFAULT_STEPS, FINAL_EXITS, TrainingSpec

LAST_WORD_S = 10.0
"""How long a chief that fails waits for the ps in order to tell them."""


def total_steps(training: TrainingSpec, examples: int, workers: int) -> int:
    """Global steps of the run; an epoch is one pass of all workers together."""
    if training.epochs is not None:
        in_a_step = training.batch_size * (workers if training.is_sync else 1)
        return max(1, math.ceil(training.epochs * examples / in_a_step))
    return training.steps or DEFAULT_STEPS


class Worker:
    """One attempt of one worker."""

    def __init__(self, context: Context, dataset: Dataset) -> None:
        spec, count = context.spec, context.worker_count
        training = spec.training
        self._context = context
        self._dataset = dataset
        self._steps = total_steps(training, len(dataset.train), count)
        self._building = threading.Lock()
        together = 1
        if training.is_in_graph and training.is_sync:
            together = count - training.backup_workers
        self._windows = StepWindows(context.sink, training.batch_size, together)
        if training.mixed_precision and (reason := why_not()):
            context.sink.emit(Notice(level="warning", text=reason))
        self._graph = self._build(spec.task.index)
        self._chief: Chief | None = None
        if spec.task.is_chief:
            self._chief = Chief(context, self._graph, dataset, self._steps)
        self._main = self._replica(spec.task.index, self._graph, self._chief)
        self._others: list[threading.Thread] = []
        if training.is_in_graph:
            self._others = [
                threading.Thread(target=self._drive, args=(i,), name=f"worker-{i}", daemon=True)
                for i in range(1, count)
            ]

    def run(self) -> None:
        """Train to the last step. Raises ``StopRequested`` and ``TaskFailure``."""
        try:
            if self._chief is not None:
                self._chief.check_checkpoints()
            for thread in self._others:
                thread.start()
            self._main.run()
            self._wait_for_others()
            self._windows.flush(last=True)
        except TaskFailure as failure:
            self._end_the_others(failure)
            if self._chief is not None and failure.exit_status in FINAL_EXITS:
                self._end_the_run(str(failure))
            raise
        finally:
            if self._chief is not None:
                self._chief.close()
        self._context.sink.emit(
            Finished(
                step=self._main.step,
                examples=self._windows.examples,
                train_seconds=self._main.train_seconds,
                first_step_seconds=self._windows.first_step_seconds,
            )
        )

    def _conclude(self, session: Any, board: Board, step: int) -> None:
        """The end of this process' own worker."""
        if self._chief is None:
            self._stay_for_the_others(session, board, step)
        else:
            if not self._context.spec.training.is_sync:
                self._wait_for_others()
            self._chief.conclude(session)
            self._chief.export()
            # From here on this task is not needed any more, whatever happens to it.
            self._context.phase("finished")
            self._main.only_says_goodbye()
            board.set_over(session)
        board.tell(session, Word(self._context.spec.task.index, step))
        if self._chief is not None:
            self._wait_until_noted(session, board)

    def _wait_until_noted(self, session: Any, board: Board) -> None:
        """A ps that is killed now knows that all is done when it comes back, or finds the chief."""
        until = time.monotonic() + LAST_WORD_S
        while not all(flag.noted for flag in board.flags(session).values()):
            if time.monotonic() > until:
                return
            self._context.stop.sleep(LOOK_EVERY_S)
        board.tell(session, Word(CHIEF_SEEN, 0))

    def _stay_for_the_others(self, session: Any, board: Board, step: int) -> None:
        """Until the chief has saved the end: if a ps is lost before, its last steps come again."""
        if not self._others:
            watch_board(self._context, board, session)
            self._context.phase("finished")
        elif self._context.spec.training.is_sync:
            watch_board(self._context, board, session, quiet=True)

    def _wait_for_others(self) -> None:
        """In-graph: until all driven workers are done. Raises what one of them failed with."""
        for thread in self._others:
            thread.join()
        self._context.stop.check()

    def _build(self, worker: int) -> TrainingGraph:
        """Keras' names and seeds are the process': one graph at a time."""
        context = self._context
        peer = {f"worker:{worker}": context.spec.cluster.worker[worker]}
        devices = first_answer(
            context,
            Patience(context),
            peer,
            lambda: devices_of(context.server, context.spec, worker),
        )
        with self._building:
            return build_graph(self._context.spec, self._dataset, self._steps, worker, devices)

    def _replica(self, worker: int, graph: TrainingGraph, chief: Chief | None) -> Replica:
        own = worker == self._context.spec.task.index
        return Replica(
            self._context,
            self._dataset,
            graph,
            worker,
            self._windows,
            self._steps,
            self._conclude if own else self._stay_for_the_others,
            chief,
        )

    def _drive(self, worker: int) -> None:
        """On a thread: all steps of another worker. A failure ends the whole task."""
        try:
            self._replica(worker, self._build_when_up(worker), None).run()
        except StopRequested:
            return  # the main thread was asked as well
        except BaseException as failure:
            self._context.stop.fail(failure)

    def _build_when_up(self, worker: int) -> TrainingGraph:
        patience = Patience(self._context)
        peer = {f"worker:{worker}": self._context.spec.cluster.worker[worker]}
        while True:
            wait_for_servers(self._context, patience, peer)
            try:
                return self._build(worker)
            except tf.errors.OpError as error:
                if not passes(error):
                    raise
                patience.wait(f"worker:{worker} to answer", RETRY_S)

    def _end_the_others(self, failure: TaskFailure) -> None:
        self._context.stop.fail(failure)
        until = time.monotonic() + LAST_WORD_S
        for thread in self._others:
            if thread.ident is not None:
                thread.join(max(0.0, until - time.monotonic()))

    def _end_the_run(self, reason: str) -> None:
        """Tell the ps, which tell the other workers, that the run cannot go on; best effort."""
        until = time.monotonic() + LAST_WORD_S
        while not all(map(is_listening, self._context.spec.cluster.ps)):
            if time.monotonic() > until or self._context.stop.requested:
                return
            time.sleep(0.1)
        told = begin(lambda: self._put_on_the_board(reason))
        wait([told], timeout=max(1.0, until - time.monotonic()))

    def _put_on_the_board(self, reason: str) -> None:
        try:
            with open_session(
                self._context.server, self._context.spec, graph=self._graph.graph
            ) as session:
                self._graph.board.fail(session, reason)
        except tf.errors.OpError:
            return  # the ps end by themselves when they miss the chief
