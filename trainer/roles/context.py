"""What every role is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from trainer.events import Phase, PhaseChanged
from trainer.sink import EventSink
from trainer.spec import TaskSpec
from trainer.stopping import StopSignal


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """One attempt of one task: its orders, where it reports, how it is stopped, its server."""

    spec: TaskSpec
    sink: EventSink
    stop: StopSignal
    server: Any

    def phase(self, phase: Phase, detail: str = "") -> None:
        """Report what the task does now."""
        self.sink.emit(PhaseChanged(phase=phase, detail=detail))
