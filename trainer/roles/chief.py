"""What ``worker:0`` does besides training: first values, checkpoints, evaluation."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from trainer.checkpoints import CheckpointStore, Description, State
from trainer.data import Dataset
from trainer.early_stop import EarlyStop
from trainer.engine.buckets import MODEL_STATE, PARAMETERS
from trainer.engine.departures import CHIEF_SAVED, Word
from trainer.engine.graph import TrainingGraph
from trainer.engine.orders import Orders
from trainer.engine.scaling import scaling_notice
from trainer.events import Evaluated, Notice, Restored
from trainer.failures import BadSpec
from trainer.roles.context import Context
from trainer.roles.evaluating import Evaluation
from trainer.roles.exporting import export_model
from trainer.roles.flight import flight_notice
from trainer.roles.saving import Saver
from trainer.roles.steps import Taken
from trainer.tensorboard import ScalarLog

EVENTS_FOLDER = "tensorboard"
"""Beside the checkpoints."""


class Chief:
    """The chief's duties. Owns the threads that write checkpoints and evaluate: close it."""

    def __init__(
        self, context: Context, graph: TrainingGraph, dataset: Dataset, steps: int
    ) -> None:
        self._context = context
        self._graph = graph
        self._dataset = dataset
        self._steps = steps
        self._board = graph.board
        spec = context.spec
        self._store = self._open_store(Path(spec.checkpoint_dir))
        self._source = None
        if spec.training.resume_from:
            self._source = self._open_store(Path(spec.training.resume_from).expanduser())
        self._evaluation = Evaluation(context, graph, dataset)
        self._early_stop = EarlyStop(spec.training.early_stop)
        self._ended = False
        self._told: set[str] = set()
        self._said_not_finite = False
        self._scalars: ScalarLog | None = None
        if spec.training.tensorboard:
            folder = Path(spec.checkpoint_dir, EVENTS_FOLDER)
            self._scalars = ScalarLog(folder, lambda text: self._say(text, level="warning"))
        buckets = graph.buckets.layout
        names = [buckets.names(k) for k in range(len(buckets.buckets))]
        self._saver = Saver(context, self._store, names)

    def check_checkpoints(self) -> None:
        """Raise ``BadSpec`` when the folder holds a checkpoint of another model."""
        self._store.check()
        if self._source is not None:
            self._source.check()
            if self._store.newest() is None and self._source.newest() is None:
                raise BadSpec(_nothing_usable(self._source))

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
            self._tell_passed_over(self._store)
            if found is None and self._source is not None:
                found = self._source.load()
                if found is None:
                    raise BadSpec(_nothing_usable(self._source))
                self._tell_passed_over(self._source)
            if found is None:
                state = self._first_state(session)
            else:
                saved, state = found
                self._context.sink.emit(Restored(step=saved.step, path=str(saved.path)))
            self._graph.buckets.store(session, state)
            if self._context.spec.training.is_sync:
                self._board.set_orders(session, self._orders(state))
            self._board.set_ready(session)
        scaling = scaling_notice(self._context.spec.training.optimizer, self._context.worker_count)
        for text in (scaling, flight_notice(self._context.spec, self._graph)):
            if text:
                self._say(text)
        self._saver.restart_clock()

    def after_step(self, session: Any, taken: Taken) -> None:
        """Evaluate and save when it is time, both in the background; end the run if it may."""
        if self._scalars is not None:
            self._scalars.step(taken.step, taken.loss)
        found = self._evaluation.result()
        if found is not None:
            self._note(session, found)
        if self._evaluation.is_due(taken.step):
            self._evaluation.begin(session, self._graph.buckets.fetch(session))
        if self._saver.is_due():
            self.save(session)

    def save(self, session: Any) -> State:
        """Copy the variables now, write them in the background.

        Raises ``BadSpec`` when they are no numbers any more, unless the spec says to go on.
        """
        state = self._graph.buckets.fetch(session)
        self._check_finite(state)
        self._saver.begin(state)
        return state

    def conclude(self, session: Any) -> None:
        """Save the end state and evaluate exactly that on the whole test split."""
        self._context.phase("evaluating")
        state = self.save(session)
        found = self._evaluation.finish()
        if found is not None:
            self._emit(found)
        if found is None or found.step != state.step:
            self._emit(self._evaluation.run(session, state))
        self._saver.see_through(state)
        if self._scalars is not None:
            self._scalars.close(state.step)

    def export(self) -> None:
        """Write the end state as a ``.keras`` file, if that is wanted."""
        if not self._context.spec.training.export:
            return
        newest = self._store.newest()
        if newest is None or self._saver.unsaved is not None:
            self._say("the model was not exported: its end state is not saved", level="warning")
        else:
            export_model(self._context, newest.path)

    def save_on_stop(self, session: Any) -> None:
        """Save what there is, and let the ps go."""
        try:
            self.save(session)
            self._board.tell(session, Word(CHIEF_SAVED, 0))
        except tf.errors.OpError as error:
            text = f"no checkpoint at the stop, a ps was gone already: {_first_line(error)}"
            self._say(text, level="warning")
        except BadSpec as error:
            self._say(f"no checkpoint at the stop: {error}", level="warning")
        self._saver.wait()

    def close(self) -> None:
        """End the threads, the writer's once it has written."""
        self._evaluation.close()
        self._saver.close()
        if self._scalars is not None:
            self._scalars.close()

    def _check_finite(self, state: State) -> None:
        """A layer such as ReLU hides NaN, so that the loss alone may look fine for ever."""
        variables = self._graph.buckets.layout.variables
        values = zip(variables, state.arrays[PARAMETERS], strict=True)
        bad = [variable.name for variable, array in values if not np.isfinite(array).all()]
        if not bad:
            return
        text = f"by step {state.step} {len(bad)} of {len(variables)} variables held NaN or infinity"
        if self._context.spec.training.on_nan == "stop":
            advice = "look for NaN in the data, or lower the learning rate"
            raise BadSpec(f"{text} (first {bad[0]}); {advice}")
        if not self._said_not_finite:
            self._said_not_finite = True
            self._say(f"{text}; training goes on, as on_nan says", level="warning")

    def _tell_passed_over(self, store: CheckpointStore) -> None:
        """Each damaged checkpoint once, also when the ps are lost again."""
        for name, why in store.passed_over.items():
            if name not in self._told:
                self._told.add(name)
                self._say(f"passed over the checkpoint {name}: {why}", level="warning")

    def _open_store(self, folder: Path) -> CheckpointStore:
        spec, buckets = self._context.spec, self._graph.buckets
        description = Description(
            model=spec.training.model,
            input_shape=self._dataset.shape,
            classes=self._dataset.classes,
            optimizer=spec.training.optimizer.name,
            variables=tuple((v.name, v.shape) for v in buckets.layout.variables),
            state=tuple((v.name, v.shape) for v in buckets.state_layout.variables),
        )
        return CheckpointStore(
            folder,
            spec.run_id,
            description,
            keep=spec.training.checkpoint_keep,
            tensorflow=tf.__version__,
        )

    def _note(self, session: Any, found: Evaluated) -> None:
        """Report an evaluation, and end the run if it says so."""
        self._emit(found)
        reason = self._early_stop.reason(found)
        if reason and not self._ended:
            self._ended = True
            self._say(reason)
            self._graph.update.end(session)

    def _emit(self, found: Evaluated) -> None:
        self._context.sink.emit(found)
        if self._scalars is not None:
            self._scalars.evaluation(found.step, found.loss, found.accuracy)

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

    def _say(self, text: str, level: Any = "info") -> None:
        self._context.sink.emit(Notice(level=level, text=text))


def _nothing_usable(source: CheckpointStore) -> str:
    """Why ``resume_from`` cannot be gone on from."""
    where = f"{source.folder} on this node"
    for name, why in source.passed_over.items():
        return f"no checkpoint in {where} can be used ({name}: {why}); correct resume_from"
    state = "" if source.folder.is_dir() else ", which is no folder"
    return f"there is no checkpoint in {where}{state}; correct resume_from"


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]
