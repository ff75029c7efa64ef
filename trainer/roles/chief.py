"""What ``worker:0`` does besides training: first values, checkpoints, evaluation."""

from __future__ import annotations

import time
import uuid
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import tensorflow.compat.v1 as tf

from trainer.checkpoints import CheckpointStore, Description, Saved, State
from trainer.data import Dataset
from trainer.engine.buckets import MODEL_STATE, PARAMETERS
from trainer.engine.departures import CHIEF_SAVED, Word
from trainer.engine.graph import TrainingGraph
from trainer.engine.orders import Orders
from trainer.events import CheckpointSaved, Evaluated, Notice, Restored
from trainer.roles.context import Context

TEST_BATCH = 500


class Chief:
    """The chief's duties. Owns the thread that writes checkpoints: close it."""

    def __init__(
        self, context: Context, graph: TrainingGraph, dataset: Dataset, steps: int
    ) -> None:
        self._context = context
        self._graph = graph
        self._dataset = dataset
        self._steps = steps
        self._board = graph.board
        spec = context.spec
        variables = graph.buckets.layout.variables
        self._store = CheckpointStore(
            Path(spec.checkpoint_dir),
            spec.run_id,
            Description(
                model=spec.training.model,
                input_shape=dataset.shape,
                classes=dataset.classes,
                optimizer=spec.training.optimizer.name,
                variables=tuple((v.name, v.shape) for v in variables),
            ),
        )
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="checkpoint")
        self._writing: Future[None] | None = None
        self._saved_at = time.monotonic()

    def check_checkpoints(self) -> None:
        """Raise ``BadSpec`` when the folder holds a checkpoint of another model."""
        self._store.check()

    def prepare(self, session: Any) -> None:
        """See to it that all variables on all ps have values, and say so on the board.

        Variables that live ps hold are kept; if any ps came new, all go back to the last
        checkpoint, so that they belong together; without one, training begins at step 0.
        """
        flags = self._board.flags(session)
        if flags and all(flag.ready for flag in flags.values()):
            step = int(session.run(self._graph.buckets.current_step))
            self._say(f"training goes on at step {step} with the variables that the ps hold")
        else:
            found = self._store.load()
            if found is None:
                state = self._first_state(session)
            else:
                saved, state = found
                self._context.sink.emit(Restored(step=saved.step, path=str(saved.path)))
            self._graph.buckets.store(session, state)
            if self._context.spec.training.is_sync:
                self._board.set_orders(session, self._orders(state))
            self._board.set_ready(session)
        self._saved_at = time.monotonic()

    def after_step(self, session: Any) -> None:
        """Save a checkpoint when one is due and the last one is written."""
        due = self._saved_at + self._context.spec.training.checkpoint_every_s
        if time.monotonic() >= due and (self._writing is None or self._writing.done()):
            self.save(session)

    def save(self, session: Any) -> State:
        """Copy the variables now, write them in the background."""
        state = self._graph.buckets.fetch(session)
        self.wait_for_writer()
        self._writing = self._writer.submit(self._write, state)
        self._saved_at = time.monotonic()
        return state

    def wait_for_writer(self) -> None:
        """Wait until the checkpoint that is being written is."""
        if self._writing is not None:
            self._writing.result()
            self._writing = None

    def conclude(self, session: Any) -> None:
        """Save the end state and evaluate exactly that on the whole test split."""
        self._context.phase("evaluating")
        state = self.save(session)
        self._context.sink.emit(self._evaluate(session, state))
        self.wait_for_writer()

    def save_on_stop(self, session: Any) -> None:
        """Save what there is, and let the ps go."""
        try:
            self.save(session)
            self._board.tell(session, Word(CHIEF_SAVED, 0))
        except tf.errors.OpError as error:
            text = f"no checkpoint at the stop, a ps was gone already: {_first_line(error)}"
            self._say(text, level="warning")
        self.wait_for_writer()

    def close(self) -> None:
        """End the writer's thread once it has written."""
        self._writer.shutdown()

    def _first_state(self, session: Any) -> State:
        session.run(self._graph.initializers)
        values, state = session.run((self._graph.initial_values, self._graph.initial_state))
        arrays = {PARAMETERS: values}
        if state:
            arrays[MODEL_STATE] = state
        return State(step=0, arrays=arrays)

    def _orders(self, state: State) -> Orders:
        buckets = self._graph.buckets
        return Orders(
            mark=uuid.uuid4().hex,
            step=state.step,
            steps=self._steps,
            variables=tuple((v.name, v.shape) for v in buckets.layout.variables),
            state=tuple((v.name, v.shape) for v in buckets.state_layout.variables),
        )

    def _evaluate(self, session: Any, state: State) -> Evaluated:
        started = time.monotonic()
        buckets, test = self._graph.buckets, self._dataset.test
        feed: dict[Any, Any] = dict(zip(self._graph.flats, buckets.flats_of(state), strict=True))
        loss, right = 0.0, 0
        for start in range(0, len(test), TEST_BATCH):
            self._context.stop.check()
            part = slice(start, start + TEST_BATCH)
            images, labels = self._graph.test_inputs
            feed[images], feed[labels] = test.images[part], test.labels[part]
            part_loss, part_right = session.run(self._graph.test, feed)
            loss, right = loss + float(part_loss), right + int(part_right)
        return Evaluated(
            step=state.step,
            loss=loss / len(test),
            accuracy=right / len(test),
            examples=len(test),
            seconds=time.monotonic() - started,
        )

    def _write(self, state: State) -> None:
        """On the writer's thread. A full disk costs the checkpoint, not the training."""
        started = time.monotonic()
        layout = self._graph.buckets.layout
        names = [[v.name for v in layout.members(k)] for k in range(len(layout.buckets))]
        try:
            saved = self._store.save(state, layout=names, tensorflow=tf.__version__)
        except OSError as error:
            folder = self._context.spec.checkpoint_dir
            text = (
                f"no checkpoint at step {state.step}: {folder} cannot be written "
                f"({error.strerror or error}); training goes on"
            )
            self._say(text, level="warning")
        else:
            self._report(saved, time.monotonic() - started)

    def _report(self, saved: Saved, seconds: float) -> None:
        self._context.sink.emit(
            CheckpointSaved(
                step=saved.step, path=str(saved.path), bytes=saved.bytes, seconds=seconds
            )
        )

    def _say(self, text: str, level: Any = "info") -> None:
        self._context.sink.emit(Notice(level=level, text=text))


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]
