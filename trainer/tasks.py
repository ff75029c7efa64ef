"""The tasks of a job, and where each of them listens. Pure standard library."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Role = Literal["ps", "worker"]
_TASK = re.compile(r"(ps|worker):(0|[1-9][0-9]{0,5})")


class SpecError(ValueError):
    """Raised when JSON does not describe a usable spec; says every problem in one sentence."""


@dataclass(frozen=True, order=True, slots=True)
class TaskId:
    """One task of the job, written ``worker:0``. ``worker:0`` is the chief."""

    role: Role
    index: int

    @classmethod
    def parse(cls, text: str) -> TaskId:
        """Read ``ps:1`` or ``worker:0``. Raises :class:`SpecError` for anything else."""
        match = _TASK.fullmatch(text)
        if match is None:
            raise SpecError(f"{text!r} is not a task: write ps:0 or worker:0")
        role: Role = "ps" if match[1] == "ps" else "worker"
        return cls(role, int(match[2]))

    @property
    def is_chief(self) -> bool:
        return self.role == "worker" and self.index == 0

    def __str__(self) -> str:
        return f"{self.role}:{self.index}"


CHIEF = TaskId("worker", 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class ClusterSpec:
    """Where each task listens: ``host:port`` in index order, as TensorFlow wants it."""

    ps: tuple[str, ...]
    worker: tuple[str, ...]

    def addresses(self, role: Role) -> tuple[str, ...]:
        return self.ps if role == "ps" else self.worker

    def tasks(self) -> list[TaskId]:
        """All tasks, ps first."""
        servers = [TaskId("ps", i) for i in range(len(self.ps))]
        return servers + [TaskId("worker", i) for i in range(len(self.worker))]

    def as_dict(self) -> dict[str, list[str]]:
        """The mapping that ``tf.train.ClusterSpec`` and ``TF_CONFIG`` take."""
        jobs = {"ps": list(self.ps), "worker": list(self.worker)}
        return {job: addresses for job, addresses in jobs.items() if addresses}
