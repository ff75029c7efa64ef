"""Prints, as JSON, what the packed update rules or Keras 3's optimizers make of a variable.

``python -m tests.trainer.programs.optimizers packed|keras`` prints, for each of :data:`CASES`, the
variable after each of a few steps with fixed gradients.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from trainer.runtime import import_tensorflow
from trainer.spec import OPTIMIZERS, OptimizerSpec

START = np.linspace(-1.0, 1.0, 7, dtype=np.float32)
GRADIENTS = np.random.default_rng(3).normal(size=(9, 7)).astype(np.float32)
STEPS = len(GRADIENTS)
"""Of the run, so of a schedule that says no number."""
RATE = 0.05
CASES: dict[str, OptimizerSpec] = {
    **{name: OptimizerSpec(name=name, learning_rate=RATE) for name in OPTIMIZERS},
    "step": OptimizerSpec(
        name="sgd", learning_rate=RATE, schedule="step", decay_steps=3, decay_rate=0.5
    ),
    "exponential": OptimizerSpec(name="sgd", learning_rate=RATE, schedule="exponential"),
    "cosine": OptimizerSpec(
        name="adam", learning_rate=RATE, schedule="cosine", decay_steps=5, final_fraction=0.1
    ),
    "cosine after a warm-up": OptimizerSpec(
        name="momentum", learning_rate=RATE, schedule="cosine", warmup_steps=4
    ),
    "decay, sgd": OptimizerSpec(name="sgd", learning_rate=RATE, weight_decay=0.3),
    "decay, adam": OptimizerSpec(name="adam", learning_rate=RATE, weight_decay=0.3),
    "decay, adamw": OptimizerSpec(name="adamw", learning_rate=RATE, weight_decay=0.2),
    "decay, lion": OptimizerSpec(name="lion", learning_rate=RATE, weight_decay=0.3),
    "cosine, nadam": OptimizerSpec(name="nadam", learning_rate=RATE, schedule="cosine"),
    "norm": OptimizerSpec(name="sgd", learning_rate=RATE, clip_norm=1.5),
    "value": OptimizerSpec(name="sgd", learning_rate=RATE, clip_value=0.5),
}


def packed(spec: OptimizerSpec) -> list[Any]:
    import tensorflow.compat.v1 as tf

    from trainer.engine.gradients import clipped
    from trainer.engine.optimizers import make_rule

    with tf.Graph().as_default():
        rule = make_rule(spec, workers=3, total_steps=STEPS)
        variable = tf.get_variable("v", initializer=START)
        slots = {
            name: tf.get_variable(
                name, [7], initializer=tf.constant_initializer(rule.initial.get(name, 0.0))
            )
            for name in rule.slots
        }
        gradient, step = tf.placeholder(tf.float32, [7]), tf.placeholder(tf.int64, [])
        # As it comes from two ps: the norm goes over both parts.
        parts = clipped(spec, [gradient[:3], gradient[3:]])
        update = rule.apply(variable, slots, tf.concat(parts, 0), step)
        values = []
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for number, each in enumerate(GRADIENTS, 1):
                session.run(update, {gradient: each, step: number})
                values.append(session.run(variable).tolist())
    return values


def keras(spec: OptimizerSpec) -> list[Any]:
    import keras as k

    classes = {
        "sgd": "SGD",
        "momentum": "SGD",
        "rmsprop": "RMSprop",
        "adam": "AdamW" if spec.weight_decay else "Adam",
        "adamw": "AdamW",
    }
    more: dict[str, Any] = {"momentum": spec.momentum} if spec.name == "momentum" else {}
    if spec.weight_decay:
        more["weight_decay"] = spec.weight_decay
    made = getattr(k.optimizers, classes.get(spec.name, spec.name.capitalize()))
    optimizer = made(
        _schedule(k.optimizers.schedules, spec),
        global_clipnorm=spec.clip_norm,
        clipvalue=spec.clip_value,
        **more,
    )
    variables = [k.Variable(START[:3]), k.Variable(START[3:])]
    values = []
    for each in GRADIENTS:
        parts = [k.ops.convert_to_tensor(part) for part in (each[:3], each[3:])]
        optimizer.apply(parts, variables)
        values.append(np.concatenate([np.asarray(v) for v in variables]).tolist())
    return values


def _schedule(schedules: Any, spec: OptimizerSpec) -> Any:
    if spec.schedule == "cosine":
        warm = spec.warmup_steps
        return schedules.CosineDecay(
            0.0 if warm else RATE,
            spec.decay_steps or STEPS - warm,
            alpha=spec.final_fraction,
            warmup_target=RATE if warm else None,
            warmup_steps=warm,
        )
    if spec.schedule == "constant":
        return RATE
    return schedules.ExponentialDecay(
        RATE, spec.decay_steps or STEPS, spec.decay_rate, staircase=spec.schedule == "step"
    )


if __name__ == "__main__":
    if sys.argv[1] == "packed":
        import_tensorflow(keras=False)
    kind = {"packed": packed, "keras": keras}[sys.argv[1]]
    print(json.dumps({name: kind(spec) for name, spec in CASES.items()}))
