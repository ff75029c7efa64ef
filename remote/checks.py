"""What a check of the cluster tells: findings, who reaches whom, the hello, and the end.

Plain immutable items of the outward queue (:mod:`remote.updates`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from remote.survey import How

Level = Literal["ok", "warning", "problem"]
Topic = Literal[
    "login", "shell", "python", "tensorflow", "gpu", "disk", "clock", "limits",
    "proxy", "home", "ports", "reach", "hello", "plan", "data", "queue",
]  # fmt: skip
Step = Literal["node", "reach", "throughput", "hello"]
CheckState = Literal["good", "warnings", "problems", "stopped"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing that was looked at: how it is, in a sentence, and what to do about it.

    ``node`` is empty where it is about the nodes together.
    """

    topic: Topic
    level: Level
    what: str
    node: str = ""
    remedy: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckStep:
    """How far the check is on one node; ``done`` of ``total`` parts of this step."""

    node: str
    step: Step
    done: int
    total: int
    detail: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """Whether ``source`` reaches the port of ``task`` on ``target``.

    ``bytes_per_second`` is None where it was not measured.
    """

    source: str
    target: str
    task: str
    address: str
    """As the run will dial it, ``host:port``."""
    how: How
    text: str
    """One sentence: what came of it."""
    rtt_s: float | None = None
    bytes_per_second: float | None = None

    @property
    def open(self) -> bool:
        return self.how == "open"


@dataclass(frozen=True, kw_only=True, slots=True)
class HelloDevice:
    """The vector addition on one device of a node."""

    node: str
    device: str
    """As TensorFlow has it: ``GPU:0``, ``CPU:0``."""
    name: str
    """What it is: ``NVIDIA A100``, ``CPU``."""
    good: bool
    text: str
    """``[5, 7, 9] in 1.2 ms``, or why not."""
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckEnd:
    """The last item of a check."""

    state: CheckState
    problems: int
    """How many there are; one that several nodes have alike counts once."""
    warnings: int
    seconds: float
    reason: str = ""
    """All problems in one line; empty when there are none."""


CheckItem = Finding | CheckStep | Pair | HelloDevice | CheckEnd
