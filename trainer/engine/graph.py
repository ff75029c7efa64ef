"""The graph of one worker: read the packed variables, compute, and hand over the gradients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf

from trainer.data import Dataset
from trainer.engine.async_update import AsyncUpdate
from trainer.engine.board import Board
from trainer.engine.buckets import Buckets, Key, read_variable
from trainer.engine.gradients import clipped
from trainer.engine.layout import Variable, plan_layout
from trainer.engine.network import Network
from trainer.engine.optimizers import make_rule
from trainer.engine.places import Homes, worker_device
from trainer.engine.slices import packed, unpacked
from trainer.engine.sync_update import SyncUpdate
from trainer.failures import BadSpec
from trainer.spec import OptimizerSpec, TaskSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainingGraph:
    """Handles on the graph. A training call feeds ``inputs`` and fetches ``update``'s tensors.

    ``loss`` is the mean of the batch; ``read_at`` and ``computed_at`` are seconds on the worker's
    clock. ``flats`` are the arrays of ``buckets.parts`` as they reached the worker; ``test`` is
    (summed loss, number of right answers) for any batch size. ``initial_values`` belong to the
    layout's variables and ``initial_state`` to the state layout's, once ``initializers`` ran;
    every worker runs ``local_initializers`` for what it keeps to itself.
    """

    graph: Any
    board: Board
    buckets: Buckets
    flats: list[Any]
    inputs: tuple[Any, Any]
    loss: Any
    read_at: Any
    computed_at: Any
    update: AsyncUpdate | SyncUpdate
    test_inputs: tuple[Any, Any]
    test: tuple[Any, Any]
    initial_values: list[Any]
    initial_state: list[Any]
    initializers: list[Any]
    local_initializers: list[Any]


def build_graph(
    spec: TaskSpec, dataset: Dataset, steps: int, worker: int, devices: Sequence[str]
) -> TrainingGraph:
    """Build the graph of ``worker``; a run has ``steps`` global steps.

    ``devices`` (``/device:GPU:0``, ...) of the worker's process share its batch; empty:
    TensorFlow chooses one.
    """
    graph = tf.Graph()
    with graph.as_default(), tf.device(worker_device(spec, worker)):
        return _build(spec, dataset, steps, worker, devices, graph)


def _build(
    spec: TaskSpec, dataset: Dataset, steps: int, worker: int, devices: Sequence[str], graph: Any
) -> TrainingGraph:
    training = spec.training
    network = Network(spec, dataset)
    model = network.model
    state = [v for v in model.non_trainable_variables if v.dtype == "float32"]
    local = [v for v in model.non_trainable_variables if v.dtype != "float32"]
    homes = Homes(spec)
    buckets = Buckets(
        homes,
        plan_layout(_described(model.trainable_variables), homes.count),
        make_rule(training.optimizer, workers=spec.sharing_workers, total_steps=steps),
        plan_layout(_described(state), 1),
    )
    half = training.wire == "bfloat16" and not training.is_single
    flats = _receive(buckets, half)
    with tf.control_dependencies(flats):
        read_at = tf.timestamp()
    images, labels = network.inputs(training.batch_size)
    net = _Net(network, buckets)
    loss, gradients, local_updates = net.gradients(flats, images, labels, devices)
    gradients = _clipped(training.optimizer, buckets, gradients)
    with tf.control_dependencies([loss, *gradients]):
        computed_at = tf.timestamp()
    sent = [tf.cast(g, tf.bfloat16) for g in gradients] if half else gradients
    make: Any = SyncUpdate if training.is_sync else AsyncUpdate
    update = make(spec, buckets, sent, steps, worker, local_updates)
    test_images, test_labels = network.inputs(None)
    test_losses, right, _ = net.losses(flats, test_images, test_labels, training=False)
    return TrainingGraph(
        graph=graph,
        board=Board(spec.run_id, range(0 if training.is_single else homes.count)),
        buckets=buckets,
        flats=flats,
        inputs=(images, labels),
        loss=loss,
        read_at=read_at,
        computed_at=computed_at,
        update=update,
        test_inputs=(test_images, test_labels),
        test=(tf.reduce_sum(test_losses), tf.reduce_sum(right)),
        initial_values=[v.value for v in model.trainable_variables],
        initial_state=[v.value for v in state],
        initializers=[v.value.initializer for v in model.variables],
        local_initializers=[_begin(v.value, worker, buckets.current_step) for v in local],
    )


def _begin(variable: Any, worker: int, step: Any) -> Any:
    """Set what a worker keeps to itself as it is after ``step`` steps.

    Keras' random seeds are a seed and a count of draws, one in each step: each worker draws its
    own numbers, and a run that goes on draws those that would have followed.
    """
    kind = variable.dtype.base_dtype
    if not kind.is_integer or list(variable.shape) != [2]:
        return variable.initializer
    first = tf.cast(variable.initial_value, tf.int64)
    offset = tf.stack([tf.constant(worker, tf.int64), step])
    return variable.assign(tf.cast(first + offset, kind)).op


def _described(variables: Sequence[Any]) -> list[Variable]:
    return [Variable(v.path, tuple(map(int, v.shape))) for v in variables]


def _receive(buckets: Buckets, half: bool) -> list[Any]:
    """Each part's array as the worker gets it; rounded on the ps if it travels as bfloat16.

    A forward pass begins with the first layers, which are in a ps' last buckets: those travel
    first, and the next begins when the last but one is there. All at once would share the link,
    and arrive together at the end.
    """
    flats: dict[Key, Any] = {}
    arrivals: dict[int, list[Any]] = {}
    for part in reversed(buckets.parts):
        earlier = arrivals.setdefault(part.ps, [])
        with tf.control_dependencies(earlier[:-1][-1:]):
            flat = read_variable(part.variable, buckets.homes.device(part.ps))
        if half:
            with tf.device(buckets.homes.device(part.ps)):
                flat = tf.cast(flat, tf.bfloat16)
        flat = flats[part.key] = tf.cast(flat, tf.float32) if half else tf.identity(flat)
        with tf.control_dependencies([flat]):
            earlier.append(tf.timestamp())  # an operation that no optimizer of graphs moves
    return [flats[part.key] for part in buckets.parts]


def _clipped(spec: OptimizerSpec, buckets: Buckets, gradients: list[Any]) -> list[Any]:
    """The gradients of the variables within their limits; the model's state has none."""
    count = len(buckets.layout.buckets)
    return clipped(spec, gradients[:count]) + gradients[count:]


class _Net:
    """The model as a function of the flat arrays."""

    def __init__(self, network: Network, buckets: Buckets) -> None:
        self._network = network
        self._model = network.model
        self._buckets = buckets

    def losses(
        self, flats: Sequence[Any], images: Any, labels: Any, *, training: bool
    ) -> tuple[Any, Any, list[Any]]:
        """Per example its loss and whether it is right; the new non-trainable values."""
        weights, fixed = self._unpack(flats)
        return self._network.losses(weights, fixed, (images, labels), training=training)

    def gradients(
        self, flats: Sequence[Any], images: Any, labels: Any, devices: Sequence[str]
    ) -> tuple[Any, list[Any], list[Any]]:
        """Mean loss, one gradient per part, and updates of what a worker keeps to itself.

        Each device takes its share of the batch; shares are weighted by their sizes, so that the
        result is the mean over the batch also where it cannot be shared evenly.
        """
        if len(devices) < 2:
            return self._tower(flats, images, labels)
        size = int(images.shape[0])
        sizes = [size // len(devices) + (i < size % len(devices)) for i in range(len(devices))]
        losses, sums, updates = [], [], list[Any]()
        parts = zip(devices, sizes, tf.split(images, sizes), tf.split(labels, sizes), strict=True)
        for device, share, some_images, some_labels in parts:
            with tf.device(device):
                own = [tf.identity(flat) for flat in flats]
                loss, gradients, update = self._tower(own, some_images, some_labels)
                losses.append(loss * (share / size))
                sums.append([gradient * (share / size) for gradient in gradients])
                updates = updates or update
        averages = [tf.add_n(list(each)) for each in zip(*sums, strict=True)]
        return tf.add_n(losses), averages, updates

    def _tower(
        self, flats: Sequence[Any], images: Any, labels: Any
    ) -> tuple[Any, list[Any], list[Any]]:
        weights, fixed = self._unpack(flats)
        losses, _, changed = self._network.losses(weights, fixed, (images, labels), training=True)
        loss = tf.reduce_mean(losses)
        with self._network.compiled():
            found = tf.gradients(loss, weights)
        if all(each is None for each in found):
            raise BadSpec(
                "no variable of the model has a part in its outputs: something in it, such as "
                "argmax, rounding or stop_gradient, lets no gradient pass; correct the model"
            )
        found = [tf.zeros_like(w) if f is None else f for w, f in zip(weights, found, strict=True)]
        moves, updates = [], []
        kept = zip(self._model.non_trainable_variables, fixed, changed, strict=True)
        for variable, before, after in kept:
            if variable.dtype == "float32":
                moves.append(before - after)
            else:
                updates.append(variable.value.assign(after).op)
        gradients = packed(self._buckets.layout, [tf.convert_to_tensor(each) for each in found])
        return loss, gradients + packed(self._buckets.state_layout, moves), updates

    def _unpack(self, flats: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Trainable and other variables as slices of the flat arrays, in the model's order."""
        count = len(self._buckets.layout.buckets)
        weights = unpacked(self._buckets.layout, flats[:count])
        state = iter(unpacked(self._buckets.state_layout, flats[count:]))
        fixed = [
            next(state) if variable.dtype == "float32" else variable.value
            for variable in self._model.non_trainable_variables
        ]
        return weights, fixed
