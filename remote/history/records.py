"""What the history holds of a run, as plain immutable data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from remote.history.lines import PlacedEvent
from remote.updates import MarkUpdate, NodeSample, ResultUpdate, RunState, TaskState
from trainer.events import Event
from trainer.spec import TaskId

File = Literal["events", "log"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRecord:
    """One run. Times are UTC epoch seconds of this computer's clock."""

    run_id: str
    name: str
    started_at: float
    profile: str = ""
    """The profile as it was launched, YAML. Of a run that was found on its nodes: the profile that
    found it, with the training that the nodes have on record."""
    profile_path: str = ""
    training: str = ""
    """The training spec as JSON."""
    ended_at: float | None = None
    state: RunState = "preparing"
    result: ResultUpdate | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskRecord:
    """Where a task runs and the last that was known of it."""

    task: TaskId
    node: str
    root: str
    """The node's storage root, absolute: where the run's files are."""
    address: str = ""
    gpus: tuple[str, ...] = ()
    state: TaskState = "pending"
    detail: str = ""
    attempt: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """How far a run had come when it was last heard of; ``t`` on this computer's clock."""

    step: int
    loss: float
    t: float


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as it was read, and its time on this computer's clock."""

    offset: int
    t: float
    raw: bytes
    event: Event


@dataclass(frozen=True, kw_only=True, slots=True)
class FilePart:
    """What was read of one file since the last part; stored together with its new offset."""

    task: TaskId
    file: File
    generation: int
    """How often the file has been replaced so far."""
    offset: int
    """Where to go on: the end of the last whole line of events, or of the log's bytes."""
    events: Sequence[tuple[float, PlacedEvent]] = ()
    """Events with their time on this computer's clock."""
    log: Sequence[tuple[int, bytes]] = ()
    """Pieces of the log and where they start."""
    read_at: float | None = None
    """By when the pieces of the log had been read, on this computer's clock."""
    odd: int = 0
    """Lines in this part that were no events."""
    before: bytes = b""
    """The bytes that stand just before ``offset``: by them a file is known again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """All that one transaction writes for one run."""

    files: Sequence[FilePart] = ()
    samples: Sequence[NodeSample] = ()
    marks: Sequence[MarkUpdate] = ()
    tasks: Sequence[TaskRecord] = ()
    recorded: Sequence[NodeSample] = ()
    """Samples that a node has kept: stored where none is of about the same moment."""
    sampled: Mapping[str, int] = field(default_factory=dict)
    """Per node: the number of the last sample it has kept that is stored from now on."""

    def __bool__(self) -> bool:
        live = self.files or self.samples or self.marks or self.tasks
        return bool(live or self.recorded or self.sampled)


@dataclass(frozen=True, kw_only=True, slots=True)
class Resume:
    """Where following one task goes on, per file, and which events are known already."""

    offsets: dict[File, int] = field(default_factory=dict)
    generations: dict[File, int] = field(default_factory=dict)
    seen: dict[int, int] = field(default_factory=dict)
    """Greatest ``seq`` per attempt."""
    before: dict[File, bytes] = field(default_factory=dict)
    """Per file, the bytes just before its offset; none: they are not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Oddities:
    """What was wrong with a task's event file: lines that are no events, and replacements."""

    odd_lines: int = 0
    replaced: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class StepSeries:
    """All steps of one worker, in the order they were written; parallel sequences."""

    steps: Sequence[int]
    losses: Sequence[float]
    times: Sequence[float]
