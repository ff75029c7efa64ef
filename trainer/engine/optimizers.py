"""Update rules for packed variables, one fused operation per bucket and step.

Every rule gives what the Keras 3 optimizer of that name gives with its default settings, apart
from the spec's learning rate, schedule, momentum and weight decay. A bucket holds variables of
every kind, so weight decay reaches all of them, biases and normalization too, as Keras' does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from trainer.engine.schedules import LearningRate
from trainer.spec import DEFAULT_STEPS, OptimizerSpec

RMSPROP_RHO = 0.9
ADAM_BETA_1 = 0.9
ADAM_BETA_2 = 0.999
NADAM_DECAY = 0.96
NADAM_TABLE = 2000
"""Steps after which the product of all its momenta is 0 in float32, long before."""
LION_BETA_2 = 0.99
ADADELTA_RHO = 0.95
ADAMW_DECAY = 0.004
"""The weight decay of adamw where the spec has none."""
EPSILON = 1e-7
FIRST_ACCUMULATOR = 0.1
"""Where the sums of squares of adagrad and ftrl begin."""

Apply = Callable[[Any, Mapping[str, Any], Any, Any], Any]
"""``(variable, slots, gradient, step)`` to the update operation; ``step`` counts from 1."""


@dataclass(frozen=True, slots=True)
class Rule:
    """``slots`` name the arrays, shaped like the variables, that a rule keeps.

    They begin as zeros, or as what ``initial`` has for them.
    """

    slots: tuple[str, ...]
    apply: Apply
    initial: Mapping[str, float] = field(default_factory=dict)


def make_rule(spec: OptimizerSpec, *, workers: int = 1, total_steps: int = DEFAULT_STEPS) -> Rule:
    """The update rule that ``spec`` names, for a run of so many workers and global steps."""
    rate = LearningRate(spec, workers, total_steps)
    rule = _MAKERS[spec.name](spec, rate)
    decay = spec.weight_decay or (ADAMW_DECAY if spec.name == "adamw" else 0.0)
    return _decaying(rule, decay, rate) if decay else rule


def _decaying(rule: Rule, decay: float, rate: LearningRate) -> Rule:
    """Decoupled weight decay, before the update: variable -= rate * decay * variable."""

    def apply(variable: Any, slots: Mapping[str, Any], gradient: Any, step: Any) -> Any:
        held = _value(variable, after=gradient)
        shrink = tf.raw_ops.ResourceApplyGradientDescent(
            var=variable.handle, alpha=rate.at(step) * decay, delta=held, use_locking=True
        )
        with tf.control_dependencies([shrink]):
            return rule.apply(variable, slots, tf.identity(gradient), step)

    return replace(rule, apply=apply)


def _value(variable: Any, after: Any) -> Any:
    """What ``variable`` holds once ``after`` is there."""
    with tf.control_dependencies([after]):
        return tf.raw_ops.ReadVariableOp(resource=variable.handle, dtype=tf.float32)


def _sgd(spec: OptimizerSpec, rate: LearningRate) -> Rule:
    def apply(variable: Any, slots: Mapping[str, Any], gradient: Any, step: Any) -> Any:
        return tf.raw_ops.ResourceApplyGradientDescent(
            var=variable.handle, alpha=rate.at(step), delta=gradient, use_locking=True
        )

    return Rule((), apply)


def _momentum(spec: OptimizerSpec, rate: LearningRate) -> Rule:
    """velocity = momentum * velocity - lr * gradient; variable += velocity."""

    def apply(variable: Any, slots: Mapping[str, Any], gradient: Any, step: Any) -> Any:
        return tf.raw_ops.ResourceApplyKerasMomentum(
            var=variable.handle,
            accum=slots["velocity"].handle,
            lr=rate.at(step),
            grad=gradient,
            momentum=spec.momentum,
            use_locking=True,
        )

    return Rule(("velocity",), apply)


def _rmsprop(spec: OptimizerSpec, rate: LearningRate) -> Rule:
    """The operation also keeps a momentum, which stays unused: Keras' default is none."""

    def apply(variable: Any, slots: Mapping[str, Any], gradient: Any, step: Any) -> Any:
        return tf.raw_ops.ResourceApplyRMSProp(
            var=variable.handle,
            ms=slots["mean_square"].handle,
            mom=slots["update"].handle,
            lr=rate.at(step),
            rho=RMSPROP_RHO,
            momentum=0.0,
            epsilon=EPSILON,
            grad=gradient,
            use_locking=True,
        )

    return Rule(("mean_square", "update"), apply)


def _adam(spec: OptimizerSpec, rate: LearningRate) -> Rule:
    """The bias correction follows from the global step, so no power has to be kept."""

    def apply(variable: Any, slots: Mapping[str, Any], gradient: Any, step: Any) -> Any:
        t = tf.cast(step, tf.float32)
        return tf.raw_ops.ResourceApplyAdam(
            var=variable.handle,
            m=slots["mean"].handle,
            v=slots["mean_square"].handle,
            beta1_power=tf.pow(ADAM_BETA_1, t),
            beta2_power=tf.pow(ADAM_BETA_2, t),
            lr=rate.at(step),
            beta1=ADAM_BETA_1,
            beta2=ADAM_BETA_2,
            epsilon=EPSILON,
            grad=gradient,
            use_locking=True,
        )

    return Rule(("mean", "mean_square"), apply)


def _nadam(spec: OptimizerSpec, rate: LearningRate) -> Rule:
    """Adam that looks one step ahead, with momenta that grow (Dozat, 2016).

    Both means are kept by one locked operation, here with a step size of 0, so that no gradient is
    lost when two workers come at once. Keras keeps the product of all momenta so far; it follows
    from the step.
    """
    momenta = ADAM_BETA_1 * (1.0 - 0.5 * NADAM_DECAY ** np.arange(1.0, NADAM_TABLE + 1))
    products = np.concatenate([[1.0], np.cumprod(momenta)]).astype(np.float32)

    def momentum(step: Any) -> Any:
        return ADAM_BETA_1 * (1.0 - 0.5 * tf.pow(NADAM_DECAY, tf.cast(step, tf.float32)))

    def product(step: Any) -> Any:
        return tf.gather(products, tf.minimum(step, NADAM_TABLE))

    def apply(variable: Any, slots: Mapping[str, Any], gradient: Any, step: Any) -> Any:
        kept = tf.raw_ops.ResourceApplyAdam(
            var=variable.handle,
            m=slots["mean"].handle,
            v=slots["mean_square"].handle,
            beta1_power=0.0,
            beta2_power=0.0,
            lr=0.0,
            beta1=ADAM_BETA_1,
            beta2=ADAM_BETA_2,
            epsilon=EPSILON,
            grad=gradient,
            use_locking=True,
        )
        mean, square = (_value(slots[name], after=kept) for name in ("mean", "mean_square"))
        ahead = momentum(step + 1) * mean / (1.0 - product(step + 1))
        now = (1.0 - momentum(step)) * gradient / (1.0 - product(step))
        root = tf.sqrt(square / (1.0 - tf.pow(ADAM_BETA_2, tf.cast(step, tf.float32))))
        return tf.raw_ops.ResourceApplyGradientDescent(
            var=variable.handle,
            alpha=rate.at(step),
            delta=(ahead + now) / (root + EPSILON),
            use_locking=True,
        )

    return Rule(("mean", "mean_square"), apply)


def _lion(spec: OptimizerSpec, rate: LearningRate) -> Rule:
    """The sign of a mean that this gradient has moved (Chen et al., 2023).

    The mean itself moves afterwards, by a momentum whose step size is 0: one locked operation.
    """

    def apply(variable: Any, slots: Mapping[str, Any], gradient: Any, step: Any) -> Any:
        mean = _value(slots["mean"], after=gradient)
        moved = tf.raw_ops.ResourceApplyGradientDescent(
            var=variable.handle,
            alpha=rate.at(step),
            delta=tf.sign(ADAM_BETA_1 * mean + (1.0 - ADAM_BETA_1) * gradient),
            use_locking=True,
        )
        with tf.control_dependencies([moved]):
            return tf.raw_ops.ResourceApplyMomentum(
                var=variable.handle,
                accum=slots["mean"].handle,
                lr=0.0,
                grad=(1.0 - LION_BETA_2) * gradient,
                momentum=LION_BETA_2,
                use_locking=True,
            )

    return Rule(("mean",), apply)


def _adamax(spec: OptimizerSpec, rate: LearningRate) -> Rule:
    def apply(variable: Any, slots: Mapping[str, Any], gradient: Any, step: Any) -> Any:
        return tf.raw_ops.ResourceApplyAdaMax(
            var=variable.handle,
            m=slots["mean"].handle,
            v=slots["norm"].handle,
            beta1_power=tf.pow(ADAM_BETA_1, tf.cast(step, tf.float32)),
            lr=rate.at(step),
            beta1=ADAM_BETA_1,
            beta2=ADAM_BETA_2,
            epsilon=EPSILON,
            grad=gradient,
            use_locking=True,
        )

    return Rule(("mean", "norm"), apply)


def _adagrad(spec: OptimizerSpec, rate: LearningRate) -> Rule:
    def apply(variable: Any, slots: Mapping[str, Any], gradient: Any, step: Any) -> Any:
        return tf.raw_ops.ResourceApplyAdagradV2(
            var=variable.handle,
            accum=slots["accumulator"].handle,
            lr=rate.at(step),
            epsilon=EPSILON,
            grad=gradient,
            use_locking=True,
        )

    return Rule(("accumulator",), apply, {"accumulator": FIRST_ACCUMULATOR})


def _adadelta(spec: OptimizerSpec, rate: LearningRate) -> Rule:
    def apply(variable: Any, slots: Mapping[str, Any], gradient: Any, step: Any) -> Any:
        return tf.raw_ops.ResourceApplyAdadelta(
            var=variable.handle,
            accum=slots["mean_square"].handle,
            accum_update=slots["mean_square_update"].handle,
            lr=rate.at(step),
            rho=ADADELTA_RHO,
            epsilon=EPSILON,
            grad=gradient,
            use_locking=True,
        )

    return Rule(("mean_square", "mean_square_update"), apply)


def _ftrl(spec: OptimizerSpec, rate: LearningRate) -> Rule:
    def apply(variable: Any, slots: Mapping[str, Any], gradient: Any, step: Any) -> Any:
        return tf.raw_ops.ResourceApplyFtrl(
            var=variable.handle,
            accum=slots["accumulator"].handle,
            linear=slots["linear"].handle,
            grad=gradient,
            lr=rate.at(step),
            l1=0.0,
            l2=0.0,
            lr_power=-0.5,
            use_locking=True,
        )

    return Rule(("accumulator", "linear"), apply, {"accumulator": FIRST_ACCUMULATOR})


_MAKERS: dict[str, Callable[[OptimizerSpec, LearningRate], Rule]] = {
    "sgd": _sgd,
    "momentum": _momentum,
    "rmsprop": _rmsprop,
    "adam": _adam,
    "adamw": _adam,
    "nadam": _nadam,
    "lion": _lion,
    "adamax": _adamax,
    "adagrad": _adagrad,
    "adadelta": _adadelta,
    "ftrl": _ftrl,
}
