"""Measures training jobs against each other in one run, in short turns.

Every job is started once, warmed up and then held (``SIGSTOP``). A turn lets one job go on alone
for a moment (``SIGCONT``) and counts its batches, so that whatever else the machine does meets all
alike. A ratio is that of two turns of the same round; the order changes with every round.
"""

from __future__ import annotations

import os
import signal
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.contenders import Contender
from tests.bench.progress import Stamps
from tests.bench.report import Report, Row

WARM_UP_BATCHES = 20.0
START_S = 240.0
SETTLE_S = 0.3
"""After it may go on, a job takes this long to be at speed."""
LEAST_STAMPS = 4
"""Of each process that notes: a turn that saw fewer is made longer."""
LONGEST = 8.0
"""So many times its length at most."""


class BenchError(Exception):
    """A job does not train; the text says which, and ends with its logs."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One row: the rate of ``ours`` over that of ``other`` must reach ``bound``."""

    ours: str
    other: str
    what: str
    bound: float


@dataclass(frozen=True, kw_only=True)
class Turns:
    """How long a bench measures: ``rounds`` turns of ``seconds`` for every job."""

    rounds: int = 8
    seconds: float = 1.2
    warm_up_batches: float = WARM_UP_BATCHES


def run(
    title: str,
    make: Callable[[Path], Sequence[Contender]],
    pairs: Sequence[Pair],
    turns: Turns = Turns(),
) -> int:
    """Measure the jobs that ``make`` makes in a folder; print the table. The exit status."""
    report = Report(title)
    with tempfile.TemporaryDirectory(prefix="clew bench ") as folder:
        contenders = make(Path(folder))
        with started(contenders, turns):
            rates = measure(contenders, turns)
    report.begin()
    for name, found in rates.items():
        print(f"  {name:<56} {statistics.median(found):9.0f} examples/s")
    for pair in pairs:
        ratios = [a / b for a, b in zip(rates[pair.ours], rates[pair.other], strict=True)]
        report.add(Row(what=pair.what, samples=ratios, bound=pair.bound, at_most=False))
    return report.finish()


@contextmanager
def started(contenders: Sequence[Contender], turns: Turns) -> Iterator[None]:
    """All jobs are warm, and held. One is started at a time: they would only share the cores."""
    try:
        for contender in contenders:
            begun = time.monotonic()
            contender.start()
            _warm_up(contender, turns)
            _signal(contender, signal.SIGSTOP)
            print(f"  {contender.name}: warm in {time.monotonic() - begun:.0f} s", flush=True)
        yield
    finally:
        for contender in contenders:
            contender.stop()


def measure(contenders: Sequence[Contender], turns: Turns) -> dict[str, list[float]]:
    """Examples per second of every job in every round."""
    rates: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    for number in range(turns.rounds):
        begin = number % len(contenders)
        for contender in [*contenders[begin:], *contenders[:begin]]:
            rates[contender.name].append(_turn(contender, turns.seconds))
    return rates


def rate(stamps: Sequence[Stamps], batch: int) -> float:
    """Examples per second: each process' batches between its first and its last note."""
    total = 0.0
    for each in stamps:
        (begun, first), (ended, last) = each[0], each[-1]
        total += (last - first) / (ended - begun)
    return batch * total


def _turn(contender: Contender, seconds: float) -> float:
    _signal(contender, signal.SIGCONT)
    try:
        time.sleep(SETTLE_S)
        begun = time.time()
        until = begun + LONGEST * seconds
        time.sleep(seconds)
        while True:
            stamps = [each for each in contender.stamps(begun) if each]
            if stamps and min(map(len, stamps)) >= LEAST_STAMPS:
                return rate(stamps, contender.batch)
            _check(contender, until)
            time.sleep(seconds / 4)
    finally:
        _signal(contender, signal.SIGSTOP)


def _warm_up(contender: Contender, turns: Turns) -> None:
    until = time.time() + START_S
    while True:
        stamps = contender.stamps(0.0)
        if stamps and sum(each[-1][1] for each in stamps if each) >= turns.warm_up_batches:
            return
        _check(contender, until)
        time.sleep(0.2)


def _check(contender: Contender, until: float) -> None:
    """Raise ``BenchError`` if the job cannot be measured any more."""
    dead = [p.returncode for p in contender.processes() if p.poll() is not None]
    if dead or time.time() > until:
        why = f"ended with {dead}" if dead else "does not train"
        raise BenchError(f"{contender.name} {why}:\n{contender.log()}")


def _signal(contender: Contender, number: signal.Signals) -> None:
    for process in contender.processes():
        if process.poll() is None:
            os.kill(process.pid, number)
