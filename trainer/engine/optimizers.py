"""Update rules for packed variables, one fused operation per ps and step.

Every rule gives what the Keras 3 optimizer of that name gives with its default settings, apart
from the spec's learning rate and momentum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf

from trainer.spec import OptimizerSpec

RMSPROP_RHO = 0.9
ADAM_BETA_1 = 0.9
ADAM_BETA_2 = 0.999
EPSILON = 1e-7

Apply = Callable[[Any, Mapping[str, Any], Any, Any], Any]
"""``(variable, slots, gradient, step)`` to the update operation; ``step`` counts from 1."""


@dataclass(frozen=True, slots=True)
class Rule:
    """``slots`` name the arrays, shaped like the variables and first zero, that a rule keeps."""

    slots: tuple[str, ...]
    apply: Apply


def make_rule(spec: OptimizerSpec) -> Rule:
    """The update rule that ``spec`` names."""
    makers = {"sgd": _sgd, "momentum": _momentum, "rmsprop": _rmsprop, "adam": _adam}
    return makers[spec.name](spec)


def _sgd(spec: OptimizerSpec) -> Rule:
    def apply(variable: Any, slots: Mapping[str, Any], gradient: Any, step: Any) -> Any:
        return tf.raw_ops.ResourceApplyGradientDescent(
            var=variable.handle, alpha=spec.learning_rate, delta=gradient, use_locking=True
        )

    return Rule((), apply)


def _momentum(spec: OptimizerSpec) -> Rule:
    """velocity = momentum * velocity - lr * gradient; variable += velocity."""

    def apply(variable: Any, slots: Mapping[str, Any], gradient: Any, step: Any) -> Any:
        return tf.raw_ops.ResourceApplyKerasMomentum(
            var=variable.handle,
            accum=slots["velocity"].handle,
            lr=spec.learning_rate,
            grad=gradient,
            momentum=spec.momentum,
            use_locking=True,
        )

    return Rule(("velocity",), apply)


def _rmsprop(spec: OptimizerSpec) -> Rule:
    """The operation also keeps a momentum, which stays unused: Keras' default is none."""

    def apply(variable: Any, slots: Mapping[str, Any], gradient: Any, step: Any) -> Any:
        return tf.raw_ops.ResourceApplyRMSProp(
            var=variable.handle,
            ms=slots["mean_square"].handle,
            mom=slots["update"].handle,
            lr=spec.learning_rate,
            rho=RMSPROP_RHO,
            momentum=0.0,
            epsilon=EPSILON,
            grad=gradient,
            use_locking=True,
        )

    return Rule(("mean_square", "update"), apply)


def _adam(spec: OptimizerSpec) -> Rule:
    """The bias correction follows from the global step, so no power has to be kept."""

    def apply(variable: Any, slots: Mapping[str, Any], gradient: Any, step: Any) -> Any:
        t = tf.cast(step, tf.float32)
        return tf.raw_ops.ResourceApplyAdam(
            var=variable.handle,
            m=slots["mean"].handle,
            v=slots["mean_square"].handle,
            beta1_power=tf.pow(ADAM_BETA_1, t),
            beta2_power=tf.pow(ADAM_BETA_2, t),
            lr=spec.learning_rate,
            beta1=ADAM_BETA_1,
            beta2=ADAM_BETA_2,
            epsilon=EPSILON,
            grad=gradient,
            use_locking=True,
        )

    return Rule(("mean", "mean_square"), apply)
