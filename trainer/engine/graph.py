"""The graph of a worker of an asynchronous, between-graph run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf

from trainer import models
from trainer.data import Dataset
from trainer.engine.buckets import Buckets, ps_device
from trainer.engine.layout import Layout, Variable, plan_layout
from trainer.engine.optimizers import make_rule
from trainer.spec import TaskSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainingGraph:
    """Handles on the graph. A training call feeds ``inputs`` and fetches ``train``.

    ``train`` is (global step after the update, mean loss of the batch, the update). It raises
    ``OutOfRangeError``, and changes nothing, once all steps of the run are taken. ``test`` is
    (summed loss, number of right answers) for any batch size.
    """

    buckets: Buckets
    inputs: tuple[Any, Any]
    train: tuple[Any, Any, Any]
    test_inputs: tuple[Any, Any]
    test: tuple[Any, Any]
    initial_values: list[Any]
    initializers: list[Any]


def build_graph(spec: TaskSpec, dataset: Dataset, steps: int) -> TrainingGraph:
    """Build the default graph for ``spec``'s worker; a run has ``steps`` global steps."""
    training = spec.training
    with tf.device(f"/job:worker/task:{spec.task.index}"):
        model = models.build(training.model, dataset.shape, dataset.classes, training.seed)
        variables = [Variable(v.path, tuple(map(int, v.shape))) for v in model.trainable_variables]
        layout = plan_layout(variables, len(spec.cluster.ps))
        rule = make_rule(training.optimizer)
        buckets = Buckets(spec.run_id, layout, rule)
        weights = _unpack(layout, buckets)
        images = tf.placeholder(tf.uint8, [training.batch_size, *dataset.shape])
        labels = tf.placeholder(tf.int32, [training.batch_size])
        losses, _ = _losses(model, weights, images, labels, dataset.scale, training=True)
        loss = tf.reduce_mean(losses)
        test_images = tf.placeholder(tf.uint8, [None, *dataset.shape])
        test_labels = tf.placeholder(tf.int32, [None])
        test_losses, right = _losses(
            model, weights, test_images, test_labels, dataset.scale, training=False
        )
        gradients = tf.gradients(loss, [buckets.flat(k) for k in buckets.used])
        step, update = _update(buckets, gradients, rule.apply, steps)
        return TrainingGraph(
            buckets=buckets,
            inputs=(images, labels),
            train=(step, loss, update),
            test_inputs=(test_images, test_labels),
            test=(tf.reduce_sum(test_losses), tf.reduce_sum(tf.cast(right, tf.int64))),
            initial_values=[v.value for v in model.trainable_variables],
            initializers=[v.value.initializer for v in model.variables],
        )


def _unpack(layout: Layout, buckets: Buckets) -> list[Any]:
    """The variables as slices of the flat buckets: what the model computes with."""
    weights: dict[int, Any] = {}
    for k in buckets.used:
        members = layout.members(k)
        parts = tf.split(buckets.flat(k), [v.size for v in members])
        for i, variable, part in zip(layout.buckets[k], members, parts, strict=True):
            weights[i] = tf.reshape(part, variable.shape)
    return [weights[i] for i in range(len(weights))]


def _losses(
    model: Any, weights: list[Any], images: Any, labels: Any, scale: float, *, training: bool
) -> tuple[Any, Any]:
    """Per example: cross entropy from the logits, and whether the best class is the label."""
    pixels = tf.cast(images, tf.float32) * scale
    fixed = model.non_trainable_variables
    logits, _ = model.stateless_call(weights, fixed, pixels, training=training)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    right = tf.equal(tf.argmax(logits, 1, output_type=tf.int32), labels)
    return losses, right


def _update(buckets: Buckets, gradients: list[Any], apply: Any, steps: int) -> tuple[Any, Any]:
    """Take the next step number, then apply one gradient per ps.

    The number is taken, at once and for one worker only, by an operation that fails at the limit:
    each applied gradient has a number of its own and a run ends after exactly ``steps`` of them.
    It is taken when the gradient has reached ``ps:0``, so that a worker which dies while it
    computes leaves no number unused.
    """
    arrived = []
    for k, gradient in zip(buckets.used, gradients, strict=True):
        with tf.device(ps_device(k)):
            arrived.append(tf.identity(gradient))
    with tf.device(ps_device(0)), tf.control_dependencies([arrived[0], *gradients[1:]]):
        taken = tf.raw_ops.ResourceCountUpTo(resource=buckets.step.handle, limit=steps, T=tf.int64)
        step = taken + 1
    updates = []
    for k, gradient in zip(buckets.used, arrived, strict=True):
        with tf.device(ps_device(k)), tf.control_dependencies([step]):
            updates.append(
                apply(buckets.parameters(k), buckets.slots(k), tf.identity(gradient), step)
            )
    return step, tf.group(*updates)
