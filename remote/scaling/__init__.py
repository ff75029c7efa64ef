"""When parameter servers limit a run: a model of steps, links and workers, and its simulation.

Pure: numbers in, numbers out. :func:`saturating_workers` is the rule of thumb in closed form,
:func:`simulate` plays the steps of all workers over the links that they share.
"""

from remote.scaling.model import (
    Links,
    StepCost,
    alone_s,
    gigabits,
    saturated_steps_per_s,
    saturating_workers,
)
from remote.scaling.simulation import Outcome, simulate

__all__ = [
    "Links",
    "Outcome",
    "StepCost",
    "alone_s",
    "gigabits",
    "saturated_steps_per_s",
    "saturating_workers",
    "simulate",
]
