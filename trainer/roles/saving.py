"""Writes the chief's checkpoints. A disk that takes none costs the checkpoint, not the training."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import tensorflow.compat.v1 as tf

from trainer.checkpoints import CheckpointStore, State
from trainer.events import CheckpointSaved, Notice
from trainer.roles.context import Context

AGAIN_S = 20.0
"""A checkpoint that could not be written is tried again so soon, with the variables of then."""
END_PAUSES_S = (0.5, 1.0, 2.0)
"""The end state does not change any more: it is tried again after these pauses."""


class Saver:
    """Owns the thread that writes: close it. Nothing half-written stays, whatever fails.

    Args:
        layout: names of the variables in each bucket, for the manifest.
    """

    def __init__(self, context: Context, store: CheckpointStore, layout: list[list[str]]) -> None:
        self._context = context
        self._store = store
        self._layout = layout
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="checkpoint")
        self._writing: Future[None] | None = None
        self._begun_at = time.monotonic()
        self._trouble = ""
        self.unsaved: int | None = None
        """The step whose state could not be written last; None: it was."""

    def restart_clock(self) -> None:
        """The next checkpoint is due a whole period from now."""
        self._begun_at = time.monotonic()

    def is_due(self) -> bool:
        every_s = self._context.spec.training.checkpoint_every_s
        if self.unsaved is not None:
            every_s = min(every_s, AGAIN_S)
        idle = self._writing is None or self._writing.done()
        return idle and time.monotonic() - self._begun_at >= every_s

    def begin(self, state: State) -> None:
        """Write ``state`` in the background, after what is being written."""
        self.wait()
        self._writing = self._thread.submit(self._write, state)
        self._begun_at = time.monotonic()

    def wait(self) -> None:
        """Until what was begun is written, or could not be."""
        if self._writing is not None:
            self._writing.result()
            self._writing = None

    def see_through(self, state: State) -> None:
        """The end state: wait for it, try again for a while, and say so if it is not kept."""
        self.wait()
        for pause_s in END_PAUSES_S:
            if self.unsaved is None:
                return
            self._context.stop.sleep(pause_s)
            self._write(state)
        if self.unsaved is not None:
            self._say(
                f"the end state, of step {state.step}, is not saved: {self._trouble}", "error"
            )

    def close(self) -> None:
        """End the thread, once it has written."""
        self._thread.shutdown()

    def _write(self, state: State) -> None:
        started = time.monotonic()
        try:
            saved = self._store.save(state, layout=self._layout, tensorflow=tf.__version__)
        except OSError as error:
            self.unsaved = state.step
            folder = self._context.spec.checkpoint_dir
            trouble = f"{folder} cannot be written ({error.strerror or error})"
            if trouble != self._trouble:
                self._trouble = trouble
                again = "it is tried again, and training is not held up"
                self._say(f"no checkpoint at step {state.step}: {trouble}; {again}", "warning")
            return
        if self.unsaved is not None:
            self.unsaved, self._trouble = None, ""
            self._say(f"checkpoints are written again, from step {state.step} on", "info")
        self._context.sink.emit(
            CheckpointSaved(
                step=saved.step,
                path=str(saved.path),
                bytes=saved.bytes,
                seconds=time.monotonic() - started,
            )
        )

    def _say(self, text: str, level: Any) -> None:
        self._context.sink.emit(Notice(level=level, text=text))
