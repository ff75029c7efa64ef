"""Measures training jobs against each other in one run, in short turns.

Every job is started once, warmed up and then held (``SIGSTOP``). A turn lets one job go on alone
for a moment (``SIGCONT``) and counts its batches, so that whatever else the machine does meets all
alike. A ratio is that of two turns of the same round; the order changes with every round.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
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
START_S = 900.0
SETTLE_S = 0.3
"""After it may go on, a job takes this long to be at speed."""
LEAST_STAMPS = 4
"""Of each process that notes: a turn that saw fewer is repeated, longer."""


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
class Turn:
    """What one job did in one turn.

    Attributes:
        rate: examples per second.
        cores: processor seconds per second. On a machine that others use too it says how far the
            rate can be believed: more threads get more of the cores.
    """

    rate: float
    cores: float


Measured = dict[str, list[Turn]]
"""By the job's name, one turn for each round."""


@dataclass(frozen=True, kw_only=True)
class Turns:
    """How long a bench measures: ``rounds`` turns of ``seconds`` for every job."""

    rounds: int = 6
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
        measured = measured_or_told(make(Path(folder)), turns)
    if measured is None:
        return 1
    report.begin()
    print_rates(measured)
    for pair in pairs:
        report.add(ratio_row(pair, measured))
    return report.finish()


def measured_or_told(contenders: Sequence[Contender], turns: Turns) -> Measured | None:
    """None, with a line that says why, when a job could not be measured."""
    try:
        with started(contenders, turns):
            return measure(contenders, turns)
    except BenchError as error:
        print(f"bench: {error}", flush=True)
        return None


def print_rates(measured: Measured) -> None:
    """Medians of every job."""
    for name, found in measured.items():
        rate_ = statistics.median(turn.rate for turn in found)
        cores = statistics.median(turn.cores for turn in found)
        each = statistics.median(turn.rate / turn.cores for turn in found if turn.cores)
        print(f"  {name:<20} {rate_:9.0f} examples/s on {cores:.2f} cores, {each:.0f} for each")


def ratio_row(pair: Pair, measured: Measured) -> Row:
    """Round by round, ours over the other's."""
    both = zip(measured[pair.ours], measured[pair.other], strict=True)
    ratios = [ours.rate / other.rate for ours, other in both]
    return Row(what=pair.what, samples=ratios, bound=pair.bound, at_most=False)


@contextmanager
def started(contenders: Sequence[Contender], turns: Turns) -> Iterator[None]:
    """All jobs are warm, and held. One is started at a time: they would only share the cores."""
    # A held process does not notice that the bench was ended, and would stay for ever.
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        for contender in contenders:
            begun = time.monotonic()
            contender.start()
            _warm_up(contender, turns)
            _hold(contender)
            print(f"  {contender.name}: warm in {time.monotonic() - begun:.0f} s", flush=True)
        yield
    finally:
        for contender in contenders:
            contender.stop()
        signal.signal(signal.SIGTERM, before)


def measure(contenders: Sequence[Contender], turns: Turns) -> Measured:
    """Every job in every round."""
    measured: Measured = {contender.name: [] for contender in contenders}
    for number in range(turns.rounds):
        begin = number % len(contenders)
        for contender in [*contenders[begin:], *contenders[:begin]]:
            measured[contender.name].append(_turn(contender, turns.seconds))
    return measured


def rate(stamps: Sequence[Stamps], batch: int) -> float:
    """Examples per second: each process' batches between its first and its last note."""
    total = 0.0
    for each in stamps:
        (begun, first), (ended, last) = each[0], each[-1]
        total += (last - first) / (ended - begun)
    return batch * total


def _turn(contender: Contender, seconds: float) -> Turn:
    """One turn; it is repeated, longer, if it saw too few steps to tell a rate."""
    until = time.time() + START_S
    while True:
        _go_on(contender)
        time.sleep(SETTLE_S)
        begun, used = time.time(), _processor_s(contender)
        time.sleep(seconds)
        cores = (_processor_s(contender) - used) / (time.time() - begun)
        _hold(contender)
        stamps = contender.stamps(begun)  # read while nobody runs: reading takes a core
        if stamps and min(map(len, stamps)) >= LEAST_STAMPS:
            return Turn(rate=rate(stamps, contender.batch), cores=cores)
        _check(contender, until)
        seconds *= 2


def _processor_s(contender: Contender) -> float:
    """User and system time of all its processes: fields 14 and 15 of proc(5)."""
    ticks = 0
    for process in contender.processes():
        fields = _stat(process)
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


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


def _go_on(contender: Contender) -> None:
    for process in contender.processes():
        process.send_signal(signal.SIGCONT)


def _hold(contender: Contender) -> None:
    """Return when every process stands still, so that two jobs never run at the same time."""
    for process in contender.processes():
        process.send_signal(signal.SIGSTOP)
    for process in contender.processes():
        while process.poll() is None and _stat(process)[0] != "T":
            time.sleep(0.001)


def _stat(process: subprocess.Popen[bytes]) -> list[str]:
    """Fields 3 and following of proc(5)'s ``stat``: the state is first."""
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
