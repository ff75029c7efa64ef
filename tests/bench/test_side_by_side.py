"""Jobs that are compared go on one at a time, and their rates are told right."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from tests.bench import progress
from tests.bench.progress import Progress, Stamps
from tests.bench.side_by_side import (
    BenchError,
    Pair,
    Turn,
    Turns,
    measure,
    rate,
    ratio_row,
    started,
)
from tests.trainer.cluster import REPOSITORY

TURNS = Turns(rounds=2, seconds=0.1, warm_up_batches=3)
STEADY = "while True: time.sleep(0.002); p.step()"
DYING = "sys.exit('no memory')"


class Job:
    """A program that notes batches."""

    def __init__(self, folder: Path, name: str, code: str) -> None:
        self.name = name
        self.batch = 10
        self.file = folder / f"{name}.progress"
        self._code = (
            "import sys, time\nfrom pathlib import Path\n"
            "from tests.bench.progress import Progress\n"
            f"p = Progress(Path(sys.argv[1]))\n{code}"
        )
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        command = [sys.executable, "-c", self._code, str(self.file)]
        self._processes.append(subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.DEVNULL))

    def processes(self) -> Sequence[subprocess.Popen[bytes]]:
        return self._processes

    def stamps(self, since: float) -> list[Stamps]:
        return [[pair for pair in progress.read(self.file) if pair[0] > since]]

    def log(self) -> str:
        return "its last words"

    def stop(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()


@pytest.fixture
def jobs(tmp_path: Path) -> list[Job]:
    return [Job(tmp_path, "one", STEADY), Job(tmp_path, "other", STEADY)]


def test_that_notes_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "a b.progress"
    assert progress.read(file) == []
    writer = Progress(file)
    assert progress.read(file) == []
    before = time.time()
    writer.step()
    writer.step(2)
    writer.reach(10)
    times, batches = zip(*progress.read(file), strict=True)
    assert batches == (1.0, 3.0, 10.0)
    assert before <= times[0] <= times[1] <= times[2] <= time.time()


def test_that_a_rate_is_that_of_all_processes_between_their_own_first_and_last_note() -> None:
    first = [(100.0, 5.0), (101.0, 7.0), (102.0, 9.0)]
    second = [(100.5, 0.0), (101.5, 1.0)]
    assert rate([first, second], batch=64) == pytest.approx(64 * (2 + 1))


def test_that_jobs_take_turns_and_are_held_meanwhile(jobs: list[Job]) -> None:
    with started(jobs, TURNS):
        held = [progress.read(job.file) for job in jobs]
        time.sleep(0.05)
        assert [progress.read(job.file) for job in jobs] == held
        measured = measure(jobs, TURNS)
        assert [len(measured[job.name]) for job in jobs] == [2, 2]
        assert all(turn.rate > 0 for turns in measured.values() for turn in turns)
        notes = [[t for t, _ in progress.read(job.file)] for job in jobs]
    # Nobody's notes lie between two notes of the other that are close to each other.
    gaps = [(a, b) for a, b in pairwise(notes[0]) if b - a < 0.05]
    assert not any(a < t < b for a, b in gaps for t in notes[1])
    assert all(process.poll() is not None for job in jobs for process in job.processes())


def test_that_a_job_that_dies_ends_the_bench_with_its_words(tmp_path: Path) -> None:
    jobs = [Job(tmp_path, "one", STEADY), Job(tmp_path, "broken", DYING)]
    with (
        pytest.raises(BenchError, match=r"broken ended with \[1\]:\nits last words"),
        started(jobs, TURNS),
    ):
        pass
    assert all(process.poll() is not None for job in jobs for process in job.processes())


def test_that_a_row_compares_turns_of_the_same_round() -> None:
    measured = {
        "ours": [Turn(rate=10, cores=1), Turn(rate=30, cores=1), Turn(rate=8, cores=1)],
        "other": [Turn(rate=5, cores=1), Turn(rate=10, cores=1), Turn(rate=8, cores=1)],
    }
    row = ratio_row(Pair(ours="ours", other="other", what="x", bound=2.0), measured)
    assert list(row.samples) == [2, 3, 1]
    assert row.value == 2
    assert row.holds
