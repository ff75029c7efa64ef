"""The step size and the number of workers: scaled by choice only, and said. No TensorFlow."""

from __future__ import annotations

import math

from trainer.spec import OptimizerSpec


def scaled_rate(spec: OptimizerSpec, workers: int) -> float:
    """The step size that the schedule starts from, scaled as ``spec`` says."""
    factors = {"none": 1.0, "linear": float(workers), "sqrt": math.sqrt(workers)}
    return spec.learning_rate * factors[spec.scale_with_workers]


def scaling_notice(spec: OptimizerSpec, workers: int) -> str:
    """What scaling made of the step size, in one sentence; empty where nothing is scaled."""
    if spec.scale_with_workers == "none":
        return ""
    rate = scaled_rate(spec, workers)
    return (
        f"the learning rate is {rate:.6g}: {spec.learning_rate:.6g} scaled for {workers} workers "
        f"({spec.scale_with_workers})"
    )
