"""The compared networks in plain TensorFlow operations, for programs that Keras 3 does not serve.

``classic`` is that of ``tests/bench/own_models``; the others are those of ``trainer.models``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

SIDE = 28
CLASSES = 10
LEARNING_RATE = 0.01
MOMENTUM = 0.9


@dataclass(frozen=True)
class Network:
    """Convolutions of ``(side, filters)``, each with ReLU and 2x2 pooling; then dense layers."""

    convolutions: tuple[tuple[int, int], ...]
    hidden: int

    def shapes(self) -> list[tuple[int, ...]]:
        """Of the variables: weights and bias of each layer in turn."""
        found: list[tuple[int, ...]] = []
        channels, side = 1, SIDE
        for size, filters in self.convolutions:
            found += [(size, size, channels, filters), (filters,)]
            channels, side = filters, side // 2
        features = side * side * channels
        return [*found, (features, self.hidden), (self.hidden,), (self.hidden, CLASSES), (CLASSES,)]


NETWORKS = {
    "mnist_cnn": Network(convolutions=((3, 16), (3, 32)), hidden=128),
    "classic": Network(convolutions=((5, 32), (5, 64)), hidden=1024),
    "mlp": Network(convolutions=(), hidden=128),
}


def make_variables(name: str, make: Callable[[Any], Any]) -> list[Any]:
    """One variable for each shape; ``make`` gets a function that returns the initial value."""
    import tensorflow as tf

    def initial(shape: tuple[int, ...]) -> Callable[[], Any]:
        if len(shape) == 1:
            return lambda: tf.zeros(shape)
        return lambda: tf.compat.v1.glorot_uniform_initializer()(shape)

    return [make(initial(shape)) for shape in NETWORKS[name].shapes()]


def mean_loss(name: str, variables: Sequence[Any], images: Any, labels: Any) -> Any:
    """Mean cross entropy of a batch of images of bytes."""
    import tensorflow as tf

    x = tf.cast(images, tf.float32) / 255.0
    pairs = list(zip(variables[::2], variables[1::2], strict=True))
    count = len(NETWORKS[name].convolutions)
    for weights, bias in pairs[:count]:
        x = tf.nn.relu(tf.nn.conv2d(x, weights, 1, "SAME") + bias)
        x = tf.nn.max_pool2d(x, 2, 2, "VALID")
    x = tf.reshape(x, [x.shape[0], -1])
    for number, (weights, bias) in enumerate(pairs[count:]):
        x = tf.matmul(x if number == 0 else tf.nn.relu(x), weights) + bias
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)
    return tf.reduce_mean(losses)
