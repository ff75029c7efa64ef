"""A cluster of real trainer processes on 127.0.0.1, for tests and benches."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.ports import free_ports
from trainer.events import Body, Event, Steps, decode
from trainer.spec import CHIEF, ClusterSpec, TaskId, TaskSpec, TrainingSpec, to_json

REPOSITORY = Path(__file__).parents[2]
LIMIT_S = 400.0
"""Every wait is given so long: three processes that load TensorFlow on a machine full of others."""


class Cluster:
    """The tasks of one run. Use as a context manager: leaving it kills what still lives."""

    def __init__(
        self,
        folder: Path,
        training: TrainingSpec,
        *,
        ps: int = 1,
        workers: int = 2,
        run_id: str = "run é '1'",
        checkpoints: Path | None = None,
        code: Path | None = None,
    ) -> None:
        self.program = "trainer"
        """The module that runs a task, for benches that measure a changed one."""
        self.folder = folder
        self.training = training
        self.checkpoints = checkpoints or folder / "checkpoints"
        ports = [f"127.0.0.1:{port}" for port in free_ports(ps + workers)]
        self.spec = ClusterSpec(ps=tuple(ports[:ps]), worker=tuple(ports[ps:]))
        self.processes: dict[TaskId, subprocess.Popen[bytes]] = {}
        self._attempts: dict[TaskId, int] = {}
        for task in self.spec.tasks():
            spec = TaskSpec(
                run_id=run_id,
                task=task,
                cluster=self.spec,
                training=training,
                data_dir=training.dataset.path,
                checkpoint_dir=str(self.checkpoints),
                code_dir=None if code is None else str(code),
            )
            self.task_dir(task).mkdir(parents=True, exist_ok=True)
            self._rewrite(task, to_json(spec))

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()

    def task_dir(self, task: TaskId) -> Path:
        return self.folder / str(task).replace(":", "-")

    def start(self, *tasks: TaskId, **environment: str) -> None:
        """Start the tasks, or all; a task that was started before makes its next attempt."""
        for task in tasks or self.spec.tasks():
            attempt = self._attempts[task] = self._attempts.get(task, 0) + 1
            with (self.task_dir(task) / "log.txt").open("ab") as log:
                self.processes[task] = subprocess.Popen(
                    [sys.executable, "-m", self.program, str(self.task_dir(task))],
                    cwd=REPOSITORY,
                    env={
                        **os.environ,
                        "CUDA_VISIBLE_DEVICES": "-1",
                        "CLEW_ATTEMPT": str(attempt),
                        **environment,
                    },
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )

    @contextmanager
    def held(self, task: TaskId) -> Iterator[None]:
        """A task stands still meanwhile, so that the run cannot be over before the test is."""
        self.processes[task].send_signal(signal.SIGSTOP)
        yield
        self.processes[task].send_signal(signal.SIGCONT)

    def kill(self, task: TaskId) -> None:
        """End a task as a crash of its machine would."""
        self.processes[task].send_signal(signal.SIGKILL)
        self.processes[task].wait()

    def wait(self, limit_s: float = LIMIT_S) -> dict[TaskId, int]:
        """Wait for all started tasks to end by themselves; their exit statuses."""
        running = self.processes.values()
        self.wait_until(lambda: all(each.poll() is not None for each in running), limit_s)
        return {task: process.returncode for task, process in self.processes.items()}

    def status_of(self, task: TaskId) -> int:
        """Wait for the task to end by itself; its exit status."""
        self.wait_until(lambda: self.processes[task].poll() is not None)
        return self.processes[task].returncode

    def events_of(self, task: TaskId) -> list[Event]:
        """What the task has written so far, whole lines only."""
        path = self.task_dir(task) / "events.jsonl"
        content = path.read_bytes() if path.exists() else b""
        return [decode(line) for line in content.splitlines(keepends=True) if line.endswith(b"\n")]

    def events(self) -> dict[TaskId, list[Event]]:
        return {task: self.events_of(task) for task in self.spec.tasks()}

    def bodies(self, task: TaskId, *kinds: type[Body]) -> list[Body]:
        """The bodies of the task's events, of the given kinds only if there are any given."""
        return [e.body for e in self.events_of(task) if not kinds or isinstance(e.body, kinds)]

    def steps(self, task: TaskId | None = None) -> list[int]:
        """All step numbers that the task reported, or all tasks together, in file order."""
        tasks = [task] if task is not None else self.spec.tasks()
        return [
            step
            for each in tasks
            for body in self.bodies(each, Steps)
            if isinstance(body, Steps)
            for step in body.steps
        ]

    def log(self, task: TaskId) -> str:
        return (self.task_dir(task) / "log.txt").read_text("utf-8", "replace")

    def wait_until(self, holds: Callable[[], bool], limit_s: float = LIMIT_S) -> None:
        """Wait for a condition; fail with the logs when it does not come true."""
        until = time.monotonic() + limit_s
        while not holds():
            if time.monotonic() > until:
                logs = {str(t): (self.log(t)[-2000:], self.bodies(t)[-5:]) for t in self.processes}
                raise AssertionError(f"did not happen in {limit_s} s: {logs}")
            time.sleep(0.05)

    def wait_for_step(self, step: int, limit_s: float = LIMIT_S) -> None:
        """Wait until some worker has reported ``step`` or a later one."""
        self.wait_until(lambda: max(self.steps(), default=0) >= step, limit_s)

    def change(self, task: TaskId, *, index: int) -> None:
        """Tell a task that it is another one of its role."""
        spec = self._spec_of(task)
        spec["task"] = str(TaskId(task.role, index))
        self._rewrite(task, spec)

    def use_ps_of(self, other: Cluster, task: TaskId) -> None:
        """Tell a task that its ps are where another cluster's are."""
        spec = self._spec_of(task)
        spec["cluster"]["ps"] = list(other.spec.ps)
        self._rewrite(task, spec)

    def _spec_of(self, task: TaskId) -> dict[str, Any]:
        spec: dict[str, Any] = json.loads((self.task_dir(task) / "spec.json").read_bytes())
        return spec

    def _rewrite(self, task: TaskId, spec: dict[str, Any]) -> None:
        (self.task_dir(task) / "spec.json").write_text(json.dumps(spec), encoding="utf-8")


WORKER_1 = TaskId("worker", 1)
PS_0 = TaskId("ps", 0)
__all__ = ["CHIEF", "LIMIT_S", "PS_0", "WORKER_1", "Cluster"]
