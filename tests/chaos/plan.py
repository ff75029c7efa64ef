"""What a trial does: drawn from its seed, all of it, before anything starts. Pure."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal[
    "kill desktop",
    "kill agent",
    "kill supervisor",
    "kill guard",
    "kill watchers",
    "kill task",
    "kill sshd",
    "cut link",
    "slow link",
    "lossy link",
    "reboot",
    "fill disk",
    "jump clock",
    "hold task",
    "hold agent",
    "stop run",
]
At = Literal["launched", "step", "closing"]

_KINDS: tuple[tuple[Kind, int], ...] = (
    ("kill desktop", 3),
    ("kill agent", 2),
    ("kill supervisor", 2),
    ("kill guard", 1),
    ("kill watchers", 1),
    ("kill task", 4),
    ("kill sshd", 2),
    ("cut link", 3),
    ("slow link", 1),
    ("lossy link", 1),
    ("reboot", 1),
    ("fill disk", 2),
    ("jump clock", 1),
    ("hold task", 1),
    ("hold agent", 1),
)
DESKTOP = "desktop"
LONGEST_CUT_S = 60.0
UNTIL_OVER = -1.0
"""As ``for_s`` of a killed desktop: it comes back when the run is over on its nodes."""


@dataclass(frozen=True, kw_only=True)
class Moment:
    """When: all tasks have been started; a step is reached; the chief evaluates for the last time.

    Progress of the run and not the clock, so that a plan means the same on a slow machine.
    """

    at: At
    step: int = 0

    def __str__(self) -> str:
        return f"step {self.step}" if self.at == "step" else self.at


@dataclass(frozen=True, kw_only=True)
class Act:
    """One fault. ``target``: ``desktop``, or a task, which also stands for the node it is on.

    A task's watchers are its supervisor and the guard that would start a new one.

    ``for_s``: until it is taken back. ``value``: Mbit/s of a slow or lossy link, seconds that a
    clock jumps.
    """

    when: Moment
    kind: Kind
    target: str
    for_s: float = 0.0
    value: float = 0.0

    def __str__(self) -> str:
        words = f"at {self.when}: {self.kind} of {self.target}"
        if self.value:
            words += f" ({self.value:g} {'s' if self.kind == 'jump clock' else 'Mbit/s'})"
        if self.for_s == UNTIL_OVER:
            return f"{words} until the run is over"
        return f"{words} for {self.for_s:.1f} s" if self.for_s else words


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All that a seed decides."""

    seed: int
    nodes: int
    ps: int
    workers: int
    update: str
    replication: str
    placement: str
    program: Literal["tensorflow", "script"]
    """What trains: Clew's own trainer, or a small program of the user's that only reports steps."""
    steps: int
    acts: tuple[Act, ...]

    def __str__(self) -> str:
        shape = (
            f"{self.nodes} nodes, {self.ps} ps {self.placement}, {self.workers} workers, "
            f"{self.update}, {self.replication}, {self.steps} steps of {self.program}"
        )
        return f"seed {self.seed}: {shape}; " + "; ".join(map(str, self.acts))

    @property
    def tasks(self) -> tuple[str, ...]:
        return (
            *(f"ps:{i}" for i in range(self.ps)),
            *(f"worker:{i}" for i in range(self.workers)),
        )

    @property
    def faults_s(self) -> float:
        """So long at most things are broken, one after the other."""
        return sum(max(0.0, act.for_s) for act in self.acts)

    @property
    def patience_s(self) -> float:
        """So long tasks wait for each other: longer than what is broken, no longer than needed.

        Where a chief is lost and no desktop is there, the trial takes as long as that.
        """
        return min(120.0, max(60.0, self.faults_s + 30.0))


def make_plan(seed: int, *, light: bool = False) -> Plan:
    """The plan of ``seed``: the same one on every machine and at every time.

    ``light``: with a program that only reports steps, whatever was drawn.
    """
    draw = random.Random(seed)
    nodes, ps, workers = draw.choice((3, 3, 4, 5)), draw.choice((1, 1, 2)), draw.choice((2, 2, 3))
    update = draw.choice(("async", "sync"))
    replication = draw.choice(("between-graph", "between-graph", "in-graph"))
    dedicated = nodes > ps and draw.random() < 0.3
    steps = draw.randrange(150, 300) if update == "async" else draw.randrange(60, 120)
    tasks = [f"ps:{i}" for i in range(ps)] + ["worker:0", *(f"worker:{i}" for i in range(workers))]
    count = draw.choices((1, 2, 3), (2, 3, 2))[0]
    acts = [_act(draw, tasks, steps) for _ in range(count)]
    if count > 1 and draw.random() < 0.3:  # two at once, of the same part
        acts[1] = replace(acts[1], when=acts[0].when, target=_same(acts[1], acts[0]))
    script = draw.random() < 0.25
    if draw.random() < 0.12:  # in the middle of it all, the user has had enough
        step = draw.randrange(steps // 2, int(steps * 0.9))
        acts.append(Act(when=Moment(at="step", step=step), kind="stop run", target=DESKTOP))
    return Plan(
        seed=seed,
        nodes=nodes,
        ps=ps,
        workers=workers,
        update=update,
        replication=replication,
        placement="dedicated" if dedicated else "alongside",
        program="script" if light or script else "tensorflow",
        steps=steps,
        acts=tuple(sorted(acts, key=_order)),
    )


def _same(act: Act, other: Act) -> str:
    return act.target if DESKTOP in (act.target, other.target) else other.target


def _order(act: Act) -> tuple[int, int]:
    return ("launched", "step", "closing").index(act.when.at), act.when.step


def _act(draw: random.Random, tasks: list[str], steps: int) -> Act:
    kind = draw.choices([k for k, _ in _KINDS], [weight for _, weight in _KINDS])[0]
    at: At = draw.choices(("launched", "step", "closing"), (2, 7, 1))[0]
    step = draw.randrange(1, int(steps * 0.9)) if at == "step" else 0
    target = draw.choice(tasks)
    for_s, value = _extent(draw, kind)
    either = kind in ("cut link", "slow link", "lossy link", "fill disk")
    if kind == "kill desktop" or (either and draw.random() < 0.35):
        target = DESKTOP
    return Act(
        when=Moment(at=at, step=step), kind=kind, target=target, for_s=round(for_s, 1), value=value
    )


def _extent(draw: random.Random, kind: Kind) -> tuple[float, float]:
    """How long, and how much."""
    if kind == "kill desktop":
        return (UNTIL_OVER if draw.random() < 0.4 else draw.uniform(0.2, 6.0)), 0.0
    if kind == "cut link":
        return LONGEST_CUT_S ** draw.random(), 0.0  # 1 to 60 s, short ones as often as long ones
    if kind in ("slow link", "lossy link"):
        return draw.uniform(3.0, 12.0), draw.choice((1.0, 2.0, 5.0))
    if kind == "jump clock":
        return 0.0, draw.choice((-1, 1)) * draw.choice((2.0, 90.0, 3600.0, 86_400.0))
    if kind in ("kill sshd", "reboot"):
        return draw.uniform(0.5, 6.0), 0.0
    if kind in ("fill disk", "hold task", "hold agent"):
        return draw.uniform(1.0, 8.0), 0.0
    return 0.0, 0.0
