"""Scalars for TensorBoard: event files beside the checkpoints."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import tensorflow.compat.v1 as tf

EVERY_S = 0.5
"""Time between two points of the training loss; each is the mean of the steps since the last."""


class ScalarLog:
    """Writes ``train/loss``, ``test/loss`` and ``test/accuracy``. Close it.

    A disk that takes no more costs the curves, not the training: ``tell`` is given one sentence.
    """

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        self._folder = folder
        self._tell = tell
        self._losses: list[float] = []
        self._written_at = time.monotonic()
        self._writer: tf.summary.FileWriter | None = None
        self._guarded(lambda: self._open(folder))

    def step(self, step: int, loss: float) -> None:
        """One step of this worker."""
        self._losses.append(loss)
        now = time.monotonic()
        if now - self._written_at >= EVERY_S:
            self._written_at = now
            self._write_losses(step)

    def evaluation(self, step: int, loss: float, accuracy: float) -> None:
        """One evaluation on the test split."""
        self._add(step, {"test/loss": loss, "test/accuracy": accuracy})
        if self._writer is not None:
            self._guarded(self._writer.flush)

    def close(self, step: int | None = None) -> None:
        """Write what is left, at ``step``, and close the file."""
        if step is not None:
            self._write_losses(step)
        if self._writer is not None:
            self._guarded(self._writer.close)
            self._writer = None

    def _open(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._writer = tf.summary.FileWriter(str(folder), flush_secs=5)

    def _write_losses(self, step: int) -> None:
        if self._losses:
            mean = sum(self._losses) / len(self._losses)
            self._losses.clear()
            self._add(step, {"train/loss": mean})

    def _add(self, step: int, values: dict[str, float]) -> None:
        writer = self._writer
        if writer is None:
            return
        scalars = [tf.Summary.Value(tag=tag, simple_value=value) for tag, value in values.items()]
        self._guarded(lambda: writer.add_summary(tf.Summary(value=scalars), step))

    def _guarded(self, write: Callable[[], None]) -> None:
        try:
            write()
        except (OSError, tf.errors.OpError) as error:
            self._writer = None
            why = " ".join(str(error).split())
            self._tell(f"no more curves for TensorBoard in {self._folder}: {why}; training goes on")
