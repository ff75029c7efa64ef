"""Prints, as JSON, what the packed update rules or Keras 3's optimizers make of a variable.

``python -m tests.trainer.programs.optimizers packed|keras NAME...`` prints the variable after each
of a few steps with fixed gradients.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from trainer.runtime import import_tensorflow
from trainer.spec import OptimizerSpec

START = np.linspace(-1.0, 1.0, 7, dtype=np.float32)
GRADIENTS = np.random.default_rng(3).normal(size=(6, 7)).astype(np.float32)


def packed(spec: OptimizerSpec) -> list[Any]:
    import_tensorflow(keras=False)
    import tensorflow.compat.v1 as tf

    from trainer.engine.optimizers import make_rule

    with tf.Graph().as_default():
        rule = make_rule(spec)
        variable = tf.get_variable("v", initializer=START)
        slots = {
            name: tf.get_variable(name, [7], initializer=tf.zeros_initializer())
            for name in rule.slots
        }
        gradient, step = tf.placeholder(tf.float32, [7]), tf.placeholder(tf.int64, [])
        update = rule.apply(variable, slots, gradient, step)
        values = []
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for number, each in enumerate(GRADIENTS, 1):
                session.run(update, {gradient: each, step: number})
                values.append(session.run(variable).tolist())
    return values


def keras(spec: OptimizerSpec) -> list[Any]:
    from keras import optimizers

    made = {
        "sgd": lambda: optimizers.SGD(spec.learning_rate),
        "momentum": lambda: optimizers.SGD(spec.learning_rate, momentum=spec.momentum),
        "rmsprop": lambda: optimizers.RMSprop(spec.learning_rate),
        "adam": lambda: optimizers.Adam(spec.learning_rate),
    }
    import keras as k

    optimizer, variable = made[spec.name](), k.Variable(START)
    values = []
    for each in GRADIENTS:
        optimizer.apply([k.ops.convert_to_tensor(each)], [variable])
        values.append(np.asarray(variable).tolist())
    return values


if __name__ == "__main__":
    kind = {"packed": packed, "keras": keras}[sys.argv[1]]
    names = sys.argv[2:]
    print(json.dumps({n: kind(OptimizerSpec(name=n, learning_rate=0.05)) for n in names}))
