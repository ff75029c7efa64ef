"""What every role is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from trainer.earlier import Earlier
from trainer.events import Phase, PhaseChanged
from trainer.sink import EventSink
from trainer.spec import TaskSpec
from trainer.stopping import StopSignal


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """One attempt of one task: its orders, where it reports, how it is stopped, its server.

    A single process has no server.
    """

    spec: TaskSpec
    sink: EventSink
    stop: StopSignal
    server: Any
    earlier: Earlier = field(default_factory=Earlier)
    """What the attempts before this one have left."""

    @property
    def ps_count(self) -> int:
        """How many ps the run has; none in a single process."""
        return 0 if self.spec.training.is_single else len(self.spec.cluster.ps)

    @property
    def worker_count(self) -> int:
        """How many workers share the examples."""
        return 1 if self.spec.training.is_single else len(self.spec.cluster.worker)

    def phase(self, phase: Phase, detail: str = "", total_steps: int | None = None) -> None:
        """Report what the task does now."""
        self.sink.emit(PhaseChanged(phase=phase, detail=detail, total_steps=total_steps))
