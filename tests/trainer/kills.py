"""Kills tasks of real runs at random moments and looks at what becomes of the run.

``python -m tests.trainer.kills [--seed N] [--trials K] [--mode WORDS] [--keep FOLDER]``: every
trial picks a way to train, one or two victims, a moment and a pause from its seed; a victim dies
by SIGKILL and is started again as the supervisor would. The run must come to its end by itself.
Prints one line a trial and ends with 1 if any failed; the same seed makes the same choices.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.trainer.cluster import CHIEF, Cluster
from tests.trainer.recovery import USUAL_START_S, Complaint, check_curves, check_end, check_recovery
from trainer.events import CheckpointSaved, Started, Steps
from trainer.spec import FINAL_EXITS, TaskId, TrainingSpec

LIMIT_S = 240.0
"""For one trial; a run that is not disturbed takes 10 to 20 s of it."""
MOMENTS = ("start-up", "steps", "checkpoint", "evaluation", "end", "leaving")
MOST_RESTARTS = 6
"""A task that ends badly more often than that is stuck in a loop."""


@dataclass(frozen=True)
class Trial:
    """All that a seed decides."""

    seed: int
    update: str
    replication: str
    worker_per: str
    ps: int
    workers: int
    backups: int
    export: bool
    victims: tuple[TaskId, ...]
    moment: str
    fraction: float
    pauses: tuple[float, ...]

    def __str__(self) -> str:
        backups = f"+{self.backups}" if self.backups else ""
        return (
            f"{self.seed:>6} {self.update} {self.replication} per {self.worker_per} "
            f"{self.ps} ps {self.workers - self.backups}{backups} workers: "
            f"{' and '.join(map(str, self.victims))} at {self.moment} {self.fraction:.2f}, "
            f"back after {', '.join(f'{p:.1f}' for p in self.pauses)} s"
        )

    @property
    def steps(self) -> int:
        return 80 + int(120 * self.fraction)

    def training(self) -> TrainingSpec:
        choices: dict[str, Any] = {
            "update": self.update,
            "replication": self.replication,
            "worker_per": self.worker_per,
            "backup_workers": self.backups,
        }
        return TrainingSpec(
            **choices,
            steps=self.steps,
            batch_size=192,
            evaluate_every=40,
            checkpoint_every_s=1.0,
            export=self.export,
        )


def make_trial(seed: int) -> Trial:
    """The trial of ``seed``."""
    draw = random.Random(seed)
    update = draw.choice(("async", "sync"))
    backups = draw.choice((0, 0, 1)) if update == "sync" else 0
    ps, workers = draw.choice((1, 2)), 2 + backups
    tasks = [CHIEF, *(TaskId("ps", k) for k in range(ps))] * 2
    tasks += [TaskId("worker", i) for i in range(1, workers)]
    victims = {draw.choice(tasks)}
    if draw.random() < 0.25:
        victims.add(draw.choice(tasks))
    return Trial(
        seed=seed,
        update=update,
        replication=draw.choice(("between-graph", "in-graph")),
        worker_per=draw.choice(("gpu", "gpu", "node")),
        ps=ps,
        workers=workers,
        backups=backups,
        export=draw.random() < 0.2,
        victims=tuple(sorted(victims)),
        moment=draw.choice(MOMENTS),
        fraction=draw.random(),
        pauses=tuple(draw.uniform(0.0, 3.0) for _ in victims),
    )


def run_trial(trial: Trial, folder: Path) -> str:
    """What happened, in words. Raises :class:`Complaint` with what should not have."""
    with Cluster(folder, trial.training(), ps=trial.ps, workers=trial.workers) as cluster:
        supervision = _Supervision(cluster, trial)
        supervision.run()
        check_end(cluster, trial.steps)
        seconds = check_recovery(cluster, supervision.restarted_at, supervision.startup_s)
        check_curves(cluster, trial)
        return f"went on {seconds:.1f} s after the restart; start-up {supervision.startup_s:.1f} s"


class _Supervision:
    """Starts the tasks, kills the victims, and starts again what ended badly."""

    def __init__(self, cluster: Cluster, trial: Trial) -> None:
        self._cluster = cluster
        self._trial = trial
        self._restarts: dict[TaskId, int] = {}
        self.restarted_at: dict[TaskId, float] = {}
        self.startup_s = 0.0

    def run(self) -> None:
        """To the end of all tasks."""
        node = self._trial.worker_per == "node"
        self._environment = {"CLEW_VIRTUAL_DEVICES": "2"} if node else {}
        self._until = time.monotonic() + LIMIT_S
        self._cluster.start(**self._environment)
        self._wait_for_moment()
        due = {}
        for victim, pause in zip(self._trial.victims, self._trial.pauses, strict=True):
            process = self._cluster.processes[victim]
            if process.poll() is None:
                self._cluster.kill(victim)
                due[victim] = time.monotonic() + pause
        self._measure_startup()
        while due or any(p.poll() is None for p in self._cluster.processes.values()):
            self._restart_what_died(due)
            if time.monotonic() > self._until:
                running = [str(t) for t, p in self._cluster.processes.items() if p.poll() is None]
                raise Complaint(f"{', '.join(running)} still running")
            time.sleep(0.05)
            self._measure_startup()
            self._note_deaths(due)

    def _note_deaths(self, due: dict[TaskId, float]) -> None:
        for task, process in self._cluster.processes.items():
            status = process.poll()
            if status is None or status == 0 or task in due:
                continue
            if status in FINAL_EXITS:
                raise Complaint(f"{task} ended with {status}: {self._cluster.bodies(task)[-1]}")
            self._restarts[task] = self._restarts.get(task, 0) + 1
            if self._restarts[task] > MOST_RESTARTS:
                raise Complaint(f"{task} ended with {status} again and again")
            due[task] = time.monotonic() + 0.5

    def _restart_what_died(self, due: dict[TaskId, float]) -> None:
        for task in [t for t, when in due.items() if time.monotonic() >= when]:
            del due[task]
            self._cluster.start(task, **self._environment)
            self.restarted_at[task] = time.time()

    def _measure_startup(self) -> None:
        """Seconds from the chief's start to its first step: how fast this machine is now."""
        if not self.startup_s:
            self.startup_s = next(_first_steps(self._cluster), 0.0)
            self._until += LIMIT_S * max(0.0, self.startup_s / USUAL_START_S - 1.0) / 4

    def _wait_for_moment(self) -> None:
        trial, cluster = self._trial, self._cluster
        if trial.moment == "start-up":
            time.sleep(8.0 * trial.fraction)
            return
        reached: dict[str, Callable[[], bool]] = {
            "steps": lambda: _last_step(cluster) >= trial.fraction * trial.steps,
            "checkpoint": lambda: any(cluster.checkpoints.glob(".step-*.part")),
            "evaluation": lambda: _last_step(cluster) >= 40,
            "end": lambda: _last_step(cluster) >= trial.steps,
            "leaving": lambda: any(p.poll() is not None for p in cluster.processes.values()),
        }
        while not reached[trial.moment]():
            if time.monotonic() > self._until:
                raise Complaint(f"the moment {trial.moment} never came")
            if all(p.poll() is not None for p in cluster.processes.values()):
                return
            if trial.moment == "checkpoint" and _saved(cluster) >= 3:
                return  # too short a moment to be seen: at least between two
            time.sleep(0.002 if trial.moment == "checkpoint" else 0.02)
        if trial.moment in ("evaluation", "end"):
            time.sleep(1.5 * trial.fraction)


def _last_step(cluster: Cluster) -> int:
    return max(cluster.steps(), default=0)


def _saved(cluster: Cluster) -> int:
    return len(cluster.bodies(CHIEF, CheckpointSaved))


def _first_steps(cluster: Cluster) -> Iterator[float]:
    """Seconds from its attempt's start to a first step, for attempts of the chief that had one."""
    started = None
    for event in cluster.events_of(CHIEF):
        if isinstance(event.body, Started):
            started = event.t
        elif isinstance(event.body, Steps) and started is not None:
            yield event.t - started
            started = None


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.trainer.kills")
    parser.add_argument("--seed", type=int, default=1, help="of the first trial")
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--mode", default="", help="only trials whose line has all these words")
    parser.add_argument("--keep", type=Path, help="folder where the files of failed trials stay")
    wanted = parser.parse_args(arguments)
    failed, seed, made = [], wanted.seed, 0
    while made < wanted.trials:
        trial = make_trial(seed)
        seed += 1
        if not all(word in str(trial) for word in wanted.mode.split()):
            continue
        made += 1
        if not _report(trial, wanted.keep):
            failed.append(trial.seed)
    text = f"{len(failed)} of {made} trials failed: seeds {failed}" if failed else "passed"
    print(f"kills: {text}")
    return 1 if failed else 0


def _report(trial: Trial, keep: Path | None) -> bool:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="clew-kills-") as name:
        folder = Path(name) if keep is None else keep / str(trial.seed)
        try:
            said, good = run_trial(trial, folder), True
        except Complaint as complaint:
            said, good = str(complaint), False
    seconds = time.monotonic() - began
    print(f"{'ok    ' if good else 'FAILED'} {trial} [{seconds:.0f} s]: {said}", flush=True)
    return good


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
