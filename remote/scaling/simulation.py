"""Plays training steps over shared links: a discrete-event simulation.

Every machine has a link with two directions. A transfer is cut into pieces; each piece takes its
turn on the sender's way out and then on the receiver's way in, so transfers that meet on a link
share it evenly. Sending and receiving the same piece overlap, as with packets.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from remote.scaling.model import Links, StepCost

PIECES = 8
"""Of one transfer between a worker and a ps; more is finer and slower."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What a simulated run achieved after its first steps.

    Attributes:
        steps_per_s: steps of all workers together; a sync step of N workers counts N.
        efficiency: that, over what the workers would do if variables cost nothing to move.
        ps_busy: the share of time in which the busiest ps' link is full, one way.
    """

    steps_per_s: float
    efficiency: float
    ps_busy: float


def simulate(
    cost: StepCost,
    links: Links,
    workers: int,
    *,
    sync: bool,
    steps: int = 40,
    seed: int = 1,
) -> Outcome:
    """Let ``workers`` take ``steps`` steps each; the first quarter is not counted.

    Sync: a ps gives out its new variables when it has every worker's gradient of the step. Async:
    every worker goes on by itself. Raises ``ValueError`` for fewer than 1 worker or 4 steps.
    """
    if workers < 1 or steps < 4:
        raise ValueError("a simulation needs at least 1 worker and 4 steps")
    run = _Run(cost, links, workers, sync, steps, random.Random(seed))  # noqa: S311 - no secret
    return run.play()


@dataclass(slots=True)
class _Link:
    """Both directions of one machine: when each is free again, and how long it has been busy."""

    out_free: float = 0.0
    in_free: float = 0.0
    out_busy: float = 0.0
    in_busy: float = 0.0


@dataclass(slots=True)
class _Transfer:
    """Pieces from one machine to another; ``ready_at`` says when a piece may leave."""

    source: int
    target: int
    piece_s: float
    ready_at: Callable[[int], float]
    done: Callable[[float], None]
    sent: int = 0
    arrived: int = 0


@dataclass(slots=True)
class _Worker:
    """Where a worker is in its steps."""

    index: int
    pulled: int = 0
    pushed: int = 0
    steps: int = 0
    ends: list[float] = field(default_factory=list)


class _Run:
    """One simulated run: a queue of events in the order of their times."""

    def __init__(
        self,
        cost: StepCost,
        links: Links,
        workers: int,
        sync: bool,
        steps: int,
        chance: random.Random,
    ) -> None:
        self._cost = cost
        self._links = links
        self._sync = sync
        self._steps = steps
        self._chance = chance
        self._workers = [_Worker(index) for index in range(workers)]
        # A ps beyond the workers' machines has its own.
        first = 0 if links.alongside else workers
        self._ps_machines = [first + k for k in range(links.ps)]
        machines = max(workers, first + links.ps)
        self._machines = [_Link() for _ in range(machines)]
        self._gradients = [0] * links.ps
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        self._count = 0

    def play(self) -> Outcome:
        for worker in self._workers:
            # Async workers do not begin in step with each other.
            self._at(self._chance.random() * self._cost.compute_s * (not self._sync), worker)
        while self._events:
            now, _, happen = heapq.heappop(self._events)
            happen(now)
        return self._outcome()

    def _outcome(self) -> Outcome:
        skipped = self._steps // 4
        rates = [
            (len(w.ends) - skipped) / (w.ends[-1] - w.ends[skipped - 1]) for w in self._workers
        ]
        total = sum(rates)
        end = max(w.ends[-1] for w in self._workers)
        busy = max(
            max(self._machines[m].in_busy, self._machines[m].out_busy) for m in self._ps_machines
        )
        ideal = len(self._workers) / self._cost.compute_s
        return Outcome(steps_per_s=total, efficiency=total / ideal, ps_busy=busy / end)

    def _at(self, time: float, worker: _Worker) -> None:
        self._schedule(time, lambda now: self._pull(worker, now))

    def _schedule(self, time: float, happen: Callable[[float], None]) -> None:
        self._count += 1
        heapq.heappush(self._events, (time, self._count, happen))

    def _pull(self, worker: _Worker, now: float) -> None:
        for ps in range(self._links.ps):
            self._pull_from(worker, ps, now)

    def _pull_from(self, worker: _Worker, ps: int, now: float) -> None:
        self._send(
            self._ps_machines[ps],
            worker.index,
            self._cost.pull_bytes,
            lambda _: now,
            lambda time: self._pulled(worker, time),
        )

    def _pulled(self, worker: _Worker, now: float) -> None:
        worker.pulled += 1
        if worker.pulled < self._links.ps:
            return
        worker.pulled = 0
        compute_s = self._compute_s()
        begins = now + compute_s * (1 - self._cost.overlap)
        part_s = compute_s * self._cost.overlap / PIECES
        for ps in range(self._links.ps):
            self._push_to(worker, ps, begins, part_s)

    def _push_to(self, worker: _Worker, ps: int, begins: float, part_s: float) -> None:
        self._send(
            worker.index,
            self._ps_machines[ps],
            self._cost.push_bytes,
            lambda piece: begins + part_s * (piece + 1),
            lambda time: self._pushed(worker, ps, time),
        )

    def _pushed(self, worker: _Worker, ps: int, now: float) -> None:
        worker.pushed += 1
        if worker.pushed == self._links.ps:
            worker.pushed = 0
            worker.steps += 1
            worker.ends.append(now)
            if not self._sync and worker.steps < self._steps:
                self._at(now, worker)
        if self._sync:
            self._gather(ps, now)

    def _gather(self, ps: int, now: float) -> None:
        """Sync: give out new variables once every worker's gradient is there."""
        self._gradients[ps] += 1
        rounds, rest = divmod(self._gradients[ps], len(self._workers))
        if rest == 0 and rounds < self._steps:
            for worker in self._workers:
                self._pull_from(worker, ps, now)

    def _compute_s(self) -> float:
        """The time of one step; a gamma distribution, which is never negative."""
        if not self._cost.jitter:
            return self._cost.compute_s
        shape = self._cost.jitter**-2
        return self._chance.gammavariate(shape, self._cost.compute_s / shape)

    def _send(
        self,
        source: int,
        target: int,
        total_bytes: float,
        ready_at: Callable[[int], float],
        done: Callable[[float], None],
    ) -> None:
        """A ps' share of ``total_bytes``; nothing that stays on its machine takes time."""
        share_s = total_bytes / self._links.ps / self._links.bytes_per_s
        if source == target or not share_s:
            self._schedule(ready_at(PIECES - 1), done)
            return
        transfer = _Transfer(source, target, share_s / PIECES, ready_at, done)
        self._schedule(ready_at(0), lambda now: self._leave(transfer, now))

    def _leave(self, transfer: _Transfer, now: float) -> None:
        """The next piece waits for the sender's way out."""
        link = self._machines[transfer.source]
        begins = max(now, link.out_free)
        link.out_free = begins + transfer.piece_s
        link.out_busy += transfer.piece_s
        self._schedule(begins, lambda time: self._arrive(transfer, time))
        transfer.sent += 1
        if transfer.sent < PIECES:
            following = max(link.out_free, transfer.ready_at(transfer.sent))
            self._schedule(following, lambda time: self._leave(transfer, time))

    def _arrive(self, transfer: _Transfer, now: float) -> None:
        """A piece that begins to leave now waits for the receiver's way in."""
        link = self._machines[transfer.target]
        link.in_free = max(now, link.in_free) + transfer.piece_s
        link.in_busy += transfer.piece_s
        transfer.arrived += 1
        if transfer.arrived == PIECES:
            self._schedule(link.in_free, transfer.done)
