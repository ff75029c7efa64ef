"""Training jobs that a bench compares: the trainer itself, and the programs of ``peers``."""

from __future__ import annotations

import os
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from tests.bench import progress
from tests.bench.peers.common import PeerTask
from tests.bench.peers.plain import OWN_MODELS
from tests.support.ports import free_ports
from tests.trainer.cluster import REPOSITORY, Cluster
from trainer.events import Steps, decode
from trainer.spec import DatasetSpec, OptimizerSpec, TaskId, TrainingSpec

FOREVER = 10**9
"""Steps of a run that is ended by the bench."""
A_MONTH_S = 86400.0 * 30
A_DAY_S = 80_000
"""No task gives up on another because the whole job was held."""


class Contender(Protocol):
    """A job of processes that trains until it is stopped."""

    name: str
    batch: int

    def start(self) -> None:
        """Start its processes."""

    def processes(self) -> Sequence[subprocess.Popen[bytes]]:
        """All of them."""

    def stamps(self, since: float) -> list[progress.Stamps]:
        """What its processes noted after ``since``, one list for each that notes."""

    def log(self) -> str:
        """What they wrote; for whoever looks for why it does not train."""

    def stop(self) -> None:
        """Kill them."""


class Trainer:
    """``python -m trainer``: 1 ps and 2 workers on the synthetic examples, as users run it."""

    def __init__(self, name: str, folder: Path, model: str, batch: int, **choices: Any) -> None:
        self.name = name
        self.batch = batch
        own = model == "classic"
        image_size = choices.pop("image_size", None)
        self.cluster = Cluster(
            folder / name,
            TrainingSpec(
                model="classic:build" if own else model,
                dataset=DatasetSpec(name="synthetic", image_size=image_size),
                batch_size=batch,
                steps=FOREVER,
                optimizer=OptimizerSpec(name="momentum", learning_rate=0.01),
                checkpoint_every_s=A_MONTH_S,
                **choices,
            ),
            code=Path(OWN_MODELS) if own else None,
        )
        self._times: dict[TaskId, list[float]] = {}
        self._offsets: dict[TaskId, int] = {}

    def start(self) -> None:
        self.cluster.start(CLEW_PATIENCE_S=str(A_DAY_S))

    def processes(self) -> Sequence[subprocess.Popen[bytes]]:
        return list(self.cluster.processes.values())

    def stamps(self, since: float) -> list[progress.Stamps]:
        """From its own events: each step's time, counted up."""
        found = []
        for task in self.cluster.spec.tasks():
            if task.role == "worker":
                times = self._times.setdefault(task, [])
                times += self._new_times(task)
                counted = enumerate(times[bisect_right(times, since) :])
                found.append([(t, float(number)) for number, t in counted])
        return found

    def _new_times(self, task: TaskId) -> list[float]:
        """Of the steps in whole lines that were written since the last call."""
        path = self.cluster.task_dir(task) / "events.jsonl"
        if not path.exists():
            return []
        with path.open("rb") as file:
            file.seek(self._offsets.get(task, 0))
            content = file.read()
        whole = content[: content.rfind(b"\n") + 1]
        self._offsets[task] = self._offsets.get(task, 0) + len(whole)
        bodies = [decode(line).body for line in whole.splitlines()]
        return [t for body in bodies if isinstance(body, Steps) for t in body.times]

    def log(self) -> str:
        return "\n".join(self.cluster.log(task)[-2000:] for task in self.cluster.processes)

    def stop(self) -> None:
        self.cluster.__exit__()


class Untold(Trainer):
    """The same without its event stream: it notes its steps as the compared programs do."""

    def __init__(self, name: str, folder: Path, model: str, batch: int) -> None:
        super().__init__(name, folder, model, batch)
        self.cluster.program = "tests.bench.peers.without_events"

    def stamps(self, since: float) -> list[progress.Stamps]:
        files = sorted(self.cluster.folder.glob("worker-*/steps.progress"))
        return [[pair for pair in progress.read(file) if pair[0] > since] for file in files]


class Peer:
    """The tasks of one program of ``peers``; ``roles`` names them, none for a single process."""

    def __init__(
        self,
        name: str,
        folder: Path,
        program: str,
        model: str,
        batch: int,
        roles: Sequence[str] = (),
        image_size: int | None = None,
    ) -> None:
        self.name = name
        self.batch = batch
        self._module = f"tests.bench.peers.{program}"
        self._folder = folder / name
        self._model = model
        self._roles = roles
        self._image_size = image_size
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        ports = free_ports(len(self._roles))
        cluster: dict[str, list[str]] = {}
        for role, port in zip(self._roles, ports, strict=True):
            cluster.setdefault(role, []).append(f"127.0.0.1:{port}")
        for role, index in self._tasks():
            task = PeerTask(
                model=self._model,
                batch=self.batch,
                progress=str(self._folder / f"{role}-{index}.progress"),
                image_size=self._image_size,
                cluster=cluster,
                role=role,
                index=index,
            )
            with self._log_of(role, index).open("wb") as log:
                self._processes.append(
                    subprocess.Popen(
                        [sys.executable, "-m", self._module, task.to_json()],
                        cwd=REPOSITORY,
                        env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"},
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=log,
                    )
                )

    def processes(self) -> Sequence[subprocess.Popen[bytes]]:
        return self._processes

    def stamps(self, since: float) -> list[progress.Stamps]:
        files = sorted(self._folder.glob("*.progress"))
        return [[pair for pair in progress.read(file) if pair[0] > since] for file in files]

    def log(self) -> str:
        texts = [self._log_of(*task).read_text("utf-8", "replace") for task in self._tasks()]
        return "\n".join(text[-2000:] for text in texts)

    def stop(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()

    def _tasks(self) -> Iterator[tuple[str, int]]:
        if not self._roles:
            yield "worker", 0
        for role in dict.fromkeys(self._roles):
            yield from ((role, index) for index in range(self._roles.count(role)))

    def _log_of(self, role: str, index: int) -> Path:
        return self._folder / f"{role}-{index}.log"


V1 = ("ps", "worker", "worker")
STRATEGY = ("chief", "ps", "worker", "worker")
MIRRORED = ("worker", "worker")
"""Roles of the compared programs; each has as many workers as the trainer."""
