"""What a step costs and what it travels over; and when the ps' links are full, in closed form.

In each step a worker pulls all variables, computes, and pushes a gradient for each of them. Both
ways the bytes are spread evenly over the ps. So the links of ``ps`` machines carry at most
``ps * bytes_per_s / bytes`` steps a second, all workers together; more workers than it takes to
reach that rate add nothing.
"""

from __future__ import annotations

from dataclasses import dataclass


def gigabits(rate: float) -> float:
    """Bytes per second of a link of ``rate`` Gbit/s."""
    return rate * 1e9 / 8


@dataclass(frozen=True, kw_only=True, slots=True)
class StepCost:
    """One step of one worker.

    Attributes:
        pull_bytes: variables to the worker, from all ps together.
        push_bytes: gradients back; as many, unless one way is compressed.
        compute_s: the model on the worker's devices, forward and backward.
        jitter: how far that time varies, as standard deviation over mean.
        overlap: the last part of ``compute_s`` in which gradients leave as they are made, 0 to 1;
            0: all leave at the end. The backward pass is about 2/3 of a step.
    """

    pull_bytes: float
    push_bytes: float
    compute_s: float
    jitter: float = 0.0
    overlap: float = 0.0

    def __post_init__(self) -> None:
        if min(self.pull_bytes, self.push_bytes, self.jitter) < 0 or self.compute_s <= 0:
            raise ValueError("a step takes time, and bytes and jitter are not negative")
        if not 0 <= self.overlap <= 1:
            raise ValueError(f"overlap is a share of the step, 0 to 1, not {self.overlap:g}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Links:
    """How many ps there are and how fast the machines' links are.

    Attributes:
        ps: parameter servers, each with an even share of the bytes.
        bytes_per_s: of one machine's link, each way at the same time; ``math.inf`` is allowed.
        alongside: the ps run on the first workers' machines and share their links, and what stays
            on a machine costs nothing; otherwise every ps has a machine of its own.
    """

    ps: int = 1
    bytes_per_s: float
    alongside: bool = False

    def __post_init__(self) -> None:
        if self.ps < 1 or self.bytes_per_s <= 0:
            raise ValueError("there is at least one ps, and a link has a rate above 0")


def alone_s(cost: StepCost, links: Links) -> float:
    """Seconds of a step of a worker that has all ps, on machines of their own, to itself."""
    # The narrowest point is the worker's own link, or that of a single ps: they are alike.
    pull_s = cost.pull_bytes / links.bytes_per_s
    push_s = cost.push_bytes / links.bytes_per_s
    hidden_s = min(push_s, cost.overlap * cost.compute_s)
    return pull_s + cost.compute_s + push_s - hidden_s


def saturated_steps_per_s(cost: StepCost, links: Links) -> float:
    """Steps a second of all workers together once the links of the ps are full."""
    bytes_one_way = max(cost.pull_bytes, cost.push_bytes)
    return links.ps * links.bytes_per_s / bytes_one_way if bytes_one_way else float("inf")


def saturating_workers(cost: StepCost, links: Links) -> float:
    """With how many async workers the links of dedicated ps are full; more of them add nothing.

    Without overlap this is about ``ps * (2 + compute_s * bytes_per_s / bytes)`` for ``bytes`` each
    way.
    """
    return saturated_steps_per_s(cost, links) * alone_s(cost, links)
