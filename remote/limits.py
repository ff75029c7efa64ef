"""What limits a run, and which worker, from where its workers' time goes. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from remote.updates import Spent
from trainer.spec import TaskId

Part = Literal["input", "compute", "exchange", "wait", "other"]
PARTS: tuple[Part, ...] = ("compute", "exchange", "wait", "input", "other")
MUCH_WAIT = 0.2
MUCH_EXCHANGE = 0.35
MUCH_INPUT = 0.25
SLOW = 0.7
"""A worker is a straggler if it makes fewer steps than this part of what is usual."""
IDLE_GPU_PERCENT = 40.0
_GOES_INTO: Mapping[Part, str] = {
    "input": "input",
    "compute": "computing",
    "exchange": "push and pull",
    "wait": "waiting",
    "other": "other things than its steps",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Pace:
    """What one worker did in a span of time; a sum of windows that it reported."""

    spent: Spent
    steps: int

    def __add__(self, other: Pace) -> Pace:
        return Pace(spent=self.spent + other.spent, steps=self.steps + other.steps)


@dataclass(frozen=True, kw_only=True, slots=True)
class Limit:
    """``share`` of the workers' time, 0 to 1, goes into ``part``; ``worker`` if it is one's."""

    part: Part
    share: float
    worker: TaskId | None
    text: str
    remedy: str = ""


def shares(spent: Spent) -> dict[Part, float]:
    """The parts of a worker's time, 0 to 1, in sum 1; all 0 if it reported no time.

    What is left of the window is ``other``. A process that drives several workers reports the sum
    of theirs, which is more than its window.
    """
    parts: dict[Part, float] = {
        "compute": max(0.0, spent.compute_s),
        "exchange": max(0.0, spent.exchange_s),
        "wait": max(0.0, spent.wait_s),
        "input": max(0.0, spent.input_s),
    }
    known = sum(parts.values())
    parts["other"] = max(0.0, spent.window_s - known)
    total = known + parts["other"]
    return {part: value / total if total else 0.0 for part, value in parts.items()}


def stragglers(paces: Mapping[TaskId, Pace], *, sync: bool) -> list[TaskId]:
    """The workers that are clearly slower than the others, the slowest first.

    Async: those with fewer steps than usual. Sync, where all make as many: those for which the
    others wait, while they themselves hardly do.
    """
    if len(paces) < 2:
        return []
    if sync:
        waits = {task: shares(pace.spent)["wait"] for task, pace in paces.items()}
        slow = [task for task, wait in waits.items() if _hardly_waits(wait, task, waits)]
        return sorted(slow, key=lambda task: waits[task])
    rates = {t: p.steps / p.spent.window_s for t, p in paces.items() if p.spent.window_s > 0}
    slow = [t for t, rate in rates.items() if rate < SLOW * _usual(_others(rates, t))]
    return sorted(slow, key=lambda task: rates[task])


def find_limit(
    paces: Mapping[TaskId, Pace], *, sync: bool, gpu_percent: float | None = None
) -> Limit | None:
    """The one sentence about what to look at; None while nothing is known.

    Args:
        paces: the workers' last seconds.
        sync: workers wait for each other in every step.
        gpu_percent: mean utilization of the run's GPUs, if it has any.
    """
    by_worker = {t: shares(p.spent) for t, p in paces.items() if p.spent.window_s > 0}
    if not by_worker:
        return None
    mean = {part: statistics.fmean(s[part] for s in by_worker.values()) for part in PARTS}
    if mean["wait"] >= MUCH_WAIT:
        return _waiting(mean["wait"], by_worker, stragglers(paces, sync=sync))
    if mean["input"] >= MUCH_INPUT and mean["input"] >= mean["exchange"]:
        return _input(mean["input"], by_worker)
    if mean["exchange"] >= MUCH_EXCHANGE:
        return Limit(
            part="exchange",
            share=mean["exchange"],
            worker=None,
            text=f"Push and pull take {_percent(mean['exchange'])} of the time: "
            "the ps or the network limit the run.",
            remedy="A larger batch_size, another ps or wire: bfloat16 make it less.",
        )
    if not sync and (slow := stragglers(paces, sync=False)):
        return _slow(slow[0], paces, by_worker[slow[0]])
    return _computing(mean, gpu_percent)


def _waiting(
    share: float, by_worker: Mapping[TaskId, Mapping[Part, float]], slow: Sequence[TaskId]
) -> Limit:
    if not slow:
        return Limit(
            part="wait",
            share=share,
            worker=None,
            text=f"Workers wait {_percent(share)} of the time for the average of a step.",
            remedy="A larger batch_size makes fewer steps; another ps applies them faster.",
        )
    worker = slow[0]
    others = [shares_["wait"] for task, shares_ in by_worker.items() if task != worker]
    waited = statistics.fmean(others)
    return Limit(
        part="wait",
        share=waited,
        worker=worker,
        text=f"{worker} holds the others up: they wait for it {_percent(waited)} of the time. "
        f"Most of its own goes into {_GOES_INTO[_most(by_worker[worker])]}.",
        remedy="See what else runs on its node, or leave the slowest out with backup_workers.",
    )


def _input(share: float, by_worker: Mapping[TaskId, Mapping[Part, float]]) -> Limit:
    worker = max(by_worker, key=lambda task: by_worker[task]["input"])
    worst = by_worker[worker]["input"]
    only_one = len(by_worker) > 1 and worst >= 1.5 * share
    who = f"{worker} waits" if only_one else "Workers wait"
    return Limit(
        part="input",
        share=worst if only_one else share,
        worker=worker if only_one else None,
        text=f"{who} {_percent(worst if only_one else share)} of the time for the next batch.",
        remedy="Data on the node's own disk, TFRecord shards (clew data) or more cores help.",
    )


def _slow(worker: TaskId, paces: Mapping[TaskId, Pace], own: Mapping[Part, float]) -> Limit:
    rates = {t: p.steps / p.spent.window_s for t, p in paces.items() if p.spent.window_s > 0}
    share = rates[worker] / _usual(_others(rates, worker))
    return Limit(
        part=_most(own),
        share=own[_most(own)],
        worker=worker,
        text=f"{worker} makes {_percent(share)} of the others' steps; "
        f"most of its time goes into {_GOES_INTO[_most(own)]}.",
        remedy="See what else runs on its node.",
    )


def _computing(mean: Mapping[Part, float], gpu_percent: float | None) -> Limit:
    part = _most(mean)
    if part == "other":
        return Limit(
            part=part,
            share=mean[part],
            worker=None,
            text=f"{_percent(mean[part])} of the workers' time goes into other things than steps, "
            "such as evaluation and checkpoints.",
        )
    text = f"Computing takes {_percent(mean['compute'])} of the time: the devices limit the run."
    if gpu_percent is None or gpu_percent >= IDLE_GPU_PERCENT:
        return Limit(part="compute", share=mean["compute"], worker=None, text=text)
    text = (
        f"Computing takes {_percent(mean['compute'])} of the time, "
        f"but the GPUs are used {gpu_percent:.0f}% only."
    )
    remedy = "A larger batch_size gives each step more to compute at once."
    return Limit(part="compute", share=mean["compute"], worker=None, text=text, remedy=remedy)


def _hardly_waits(wait: float, task: TaskId, waits: Mapping[TaskId, float]) -> bool:
    usual = _usual(_others(waits, task))
    return usual >= MUCH_WAIT and wait < usual / 2


def _others(values: Mapping[TaskId, float], task: TaskId) -> list[float]:
    return [value for other, value in values.items() if other != task]


def _usual(values: Sequence[float]) -> float:
    return statistics.median(values) if values else 0.0


def _most(parts: Mapping[Part, float]) -> Part:
    return max(parts, key=lambda part: parts[part])


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"
