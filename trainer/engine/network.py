"""The model and its loss as functions of weights, for any mode of training."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import tensorflow.compat.v1 as tf
from tensorflow import xla

from trainer import models
from trainer.data import Dataset
from trainer.engine.losses import per_example
from trainer.engine.outputs import call_model
from trainer.models.precision import choose_precision
from trainer.spec import TaskSpec


class Network:
    """A Keras model in the current graph, with the loss that ``spec`` names.

    Raises:
        BadSpec: the user's model fails, or does not go with the data set or the loss.
    """

    def __init__(self, spec: TaskSpec, dataset: Dataset) -> None:
        training = spec.training
        self._training = training
        self._scale = dataset.scale
        self._classes = dataset.classes
        self._format = dataset.format
        self._shape = dataset.shape
        choose_precision(training.mixed_precision)
        self.model = models.build(
            training.model, dataset.shape, dataset.classes, training.seed, spec.code_dir
        )

    def inputs(self, batch_size: int | None) -> tuple[Any, Any]:
        """Placeholders for examples and labels; None: any number of them."""
        kind = self._format
        images = tf.placeholder(kind.images, [batch_size, *self._shape])
        return images, tf.placeholder(kind.labels, [batch_size, *kind.label_shape])

    def losses(
        self,
        weights: Sequence[Any],
        fixed: Sequence[Any],
        inputs: tuple[Any, Any],
        *,
        training: bool,
    ) -> tuple[Any, Any, list[Any]]:
        """Loss and part of right answers per example, and the new non-trainable values.

        Args:
            weights: values for the model's trainable variables, in its order.
            fixed: values for its non-trainable ones: batch-norm statistics, random seeds.
            inputs: what :meth:`inputs` made, or parts of it.
            training: batch norm takes the batch's own statistics, dropout drops.
        """
        images, labels = inputs
        with self.compiled():
            outputs, changed = self._outputs(weights, fixed, images, training)
            losses, right = per_example(self._training.loss, labels, outputs, self._classes)
        return losses, right, list(changed)

    def compiled(self) -> AbstractContextManager[None]:
        """What is built in this scope is compiled by XLA, if that is wanted.

        Only the model's own computation ever is: operations on a ps and those that move data
        between processes stay as they are.
        """
        if not self._training.jit_compile:
            return nullcontext()
        scope: AbstractContextManager[None] = xla.experimental.jit_scope()
        return scope

    def _outputs(
        self, weights: Sequence[Any], fixed: Sequence[Any], images: Any, training: bool
    ) -> tuple[Any, Any]:
        numbers = images
        if images.dtype == tf.uint8:
            numbers = tf.cast(images, tf.float32) * self._scale
        name = self._training.model
        return call_model(name, self.model, weights, fixed, numbers, training=training)
