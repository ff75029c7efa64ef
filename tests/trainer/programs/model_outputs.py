"""Builds a graph of each odd model and prints, as JSON, what is said of it; null: it trains."""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Callable
from typing import Any

from trainer import data, runtime
from trainer.data.kinds import Options
from trainer.failures import BadSpec
from trainer.spec import CHIEF, ClusterSpec, TaskSpec, TrainingSpec

runtime.import_tensorflow(keras=True, own_code=True)

import keras  # noqa: E402 - in v1 mode
import tensorflow.compat.v1 as tf  # noqa: E402
from keras import layers, ops  # noqa: E402

from trainer.engine.graph import build_graph  # noqa: E402


class Own(keras.Model):  # type: ignore[misc]
    """Ten numbers for each example, then ``last``; does not ask whether it trains."""

    def __init__(self, last: Callable[[Any], Any]) -> None:
        super().__init__()
        self._dense = layers.Dense(10)
        self._last = last

    def call(self, x: Any) -> Any:
        return self._last(self._dense(layers.Flatten()(x)))


def picture(filters: int) -> Any:
    layer = layers.Conv2D(filters, 3, padding="same")
    return keras.Sequential([keras.Input((28, 28, 1)), layer])


def lists() -> Any:
    x = keras.Input((28, 28, 1))
    return keras.Model([x], [layers.Dense(10)(layers.Flatten()(x))])


def two_inputs() -> Any:
    x, y = keras.Input((28, 28, 1)), keras.Input((28, 28, 1))
    return keras.Model([x, y], layers.Dense(10)(layers.Flatten()(layers.Add()([x, y]))))


def coloured() -> Any:
    raise ValueError("\x1b[1mred\x1b[0m\x07")


MODELS: dict[str, tuple[Callable[[], Any], str]] = {
    "fine": (lambda: Own(lambda y: y), "cross_entropy"),
    "half": (lambda: Own(lambda y: ops.cast(y, "float16")), "cross_entropy"),
    "lists": (lists, "cross_entropy"),
    "column": (lambda: Own(lambda y: y[:, :1]), "mean_squared_error"),
    "number": (lambda: Own(lambda y: y[:, 0]), "mean_squared_error"),
    "picture": (lambda: picture(10), "cross_entropy"),
    "picture_1": (lambda: picture(1), "sparse_categorical_crossentropy"),
    "picture_hot": (lambda: picture(10), "categorical_crossentropy"),
    "picture_mse": (lambda: picture(1), "mean_squared_error"),
    "stretched": (lambda: Own(lambda y: y), "mean_squared_error"),
    "vector": (lambda: Own(lambda y: y[:, 0]), "cross_entropy"),
    "few": (lambda: Own(lambda y: y[:, :3]), "categorical_crossentropy"),
    "yes_or_no": (lambda: Own(lambda y: y[:, :1]), "binary_crossentropy"),
    "scalar": (lambda: Own(ops.mean), "cross_entropy"),
    "mixed_up": (lambda: Own(lambda y: ops.reshape(y, (-1, 5))), "cross_entropy"),
    "two": (lambda: Own(lambda y: [y, y]), "cross_entropy"),
    "named": (lambda: Own(lambda y: {"a": y}), "cross_entropy"),
    "nothing": (lambda: Own(lambda y: None), "cross_entropy"),
    "class_numbers": (lambda: Own(lambda y: ops.argmax(y, -1)), "mean_squared_error"),
    "yes": (lambda: Own(lambda y: y > 0), "cross_entropy"),
    "complex": (lambda: Own(lambda y: tf.cast(y, tf.complex64)), "cross_entropy"),
    "text": (lambda: Own(tf.as_string), "cross_entropy"),
    "ragged": (lambda: Own(tf.RaggedTensor.from_tensor), "cross_entropy"),
    "cut_off": (lambda: Own(ops.stop_gradient), "cross_entropy"),
    "two_inputs": (two_inputs, "cross_entropy"),
    "coloured": (coloured, "cross_entropy"),
}


EXAMPLES = data.load("synthetic", None, 1, Options())


def said_of(name: str, loss: str) -> str | None:
    spec = TaskSpec(
        run_id="r",
        task=CHIEF,
        cluster=ClusterSpec(ps=(), worker=("127.0.0.1:1",)),
        training=TrainingSpec(model=f"odd_models:{name}", loss=loss, baseline="single"),
        data_dir=None,
        checkpoint_dir="/nowhere",
    )
    try:
        build_graph(spec, EXAMPLES, 1, 0, [])
    except BadSpec as error:
        return str(error)
    return None


if __name__ == "__main__":
    module = sys.modules["odd_models"] = types.ModuleType("odd_models")
    for model_name, (build, _) in MODELS.items():
        setattr(module, model_name, build)
    json.dump({name: said_of(name, loss) for name, (_, loss) in MODELS.items()}, sys.stdout)
