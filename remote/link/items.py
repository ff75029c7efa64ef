"""What an agent sends without being asked, and what it is told to start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Union

from remote.bundle import TreeId
from remote.updates import NodeSample
from trainer.events import Level
from trainer.spec import FINAL_EXITS, TaskId, TaskSpec, TrainingSpec

StreamFile = Literal["events", "log"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Hello:
    """Who the agent is. ``noise``: the account's shell prints text on login."""

    hostname: str
    boot_id: str
    network_namespace: str
    user: str
    home: str
    python: str
    python_version: str
    pid: int
    noise: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class FileData:
    """Bytes of a followed file from byte ``offset`` on, any cut, undecoded.

    ``reset``: the file was cut or replaced; what was had of it before is void, and it starts anew
    at ``offset`` (0).
    """

    run_id: str
    task: TaskId
    file: StreamFile
    offset: int
    data: bytes
    reset: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class StateData:
    """A task's ``state.json`` (see :mod:`remote.node.record`; its times are the node's clock).

    ``alive``: its process or its supervisor runs, checked by boot id, pid and start time. A state
    that ends the task comes after everything that was in its files.
    """

    run_id: str
    task: TaskId
    state: dict[str, Any]
    alive: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class DrainedData:
    """All that was there of a run's tasks on a node at one moment after it was asked has come."""

    run_id: str
    node: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SampleData:
    """Telemetry; its time is corrected to the desktop's clock."""

    sample: NodeSample


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptSamples:
    """Samples that a node has kept of a run, in order; ``number`` is that of the last."""

    run_id: str
    node: str
    samples: tuple[NodeSample, ...]
    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class NoteData:
    """One sentence for the user."""

    level: Level
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Desk:
    """A desktop: an id that stays, a name to show, the program's pid."""

    id: str
    name: str
    pid: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ControlData:
    """The desktop that controls a run now: its id and its name."""

    run_id: str
    desk: str
    name: str


StreamItem = Union[FileData, StateData, DrainedData, SampleData, NoteData, ControlData]


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskLaunch:
    """One task to start on a node."""

    root: str
    """Absolute storage root on the node (``NodeFacts.root``)."""
    app: TreeId
    """The trainer, already on the node."""
    spec: TaskSpec
    python: str
    """The Python to run it with (``NodeFacts.python``)."""
    setup: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    """The profile's variables."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """The plan's variables (``CUDA_VISIBLE_DEVICES``, ...); they win over the profile's."""
    ports: tuple[int, ...] = ()
    """The ports it listens on, which must be free again after a stop."""
    arguments: tuple[str, ...] = ("-m", "trainer")
    """What Python is told to run; the task's folder is added as the last argument."""
    grace_s: float = 10.0
    """Time to end by itself after SIGTERM, where a stop names no other."""
    restart_max: int | None = None
    """How often it is started again; None: as the spec's training says."""
    backoff_s: float | None = None
    """First pause before a restart; None: as the spec's training says."""
    final_exits: frozenset[int] = FINAL_EXITS
    """Exit statuses after which it is not started again."""
    name: str = ""
    """What the user calls the run, for whoever finds it on the node."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskOnNode:
    """One entry of :meth:`AgentLink.runs`: a task's record, and what of it really runs."""

    run_id: str
    task: TaskId
    state: dict[str, Any]
    alive: bool
    task_alive: bool
    supervisor_alive: bool
    latest: tuple[bytes, ...] = ()
    """Its newest lines of ``events.jsonl`` (what it does, its steps), undecoded, in order."""
    root: str = ""
    """The storage root that it lies below; empty: the one that was asked for."""
    name: str = ""
    """What its run was called when it was launched; empty: another task of the run says it."""
    training: TrainingSpec | None = None
    """What the run was launched with; None: another task says it, or it cannot be read."""
