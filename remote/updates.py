"""What a session tells whoever watches: the items of the one outward queue.

Plain immutable data, safe to hand between threads. The window and the command line read the same
items. All times are UTC epoch seconds on the desktop's clock.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Union

from remote.checks import CheckEnd, CheckStep, Finding, HelloDevice, Pair
from remote.facts import NodeFacts
from trainer.events import Level
from trainer.spec import TaskId

NodeState = Literal["disconnected", "connecting", "checking", "ready", "unusable", "unreachable"]
TaskState = Literal[
    "pending",
    "preparing",
    "starting",
    "waiting",
    "training",
    "stalled",
    "restarting",
    "finished",
    "failed",
    "stopped",
]
RunState = Literal[
    "preparing",
    "queued",
    "starting",
    "training",
    "stopping",
    "finished",
    "failed",
    "stopped",
]
"""``queued``: a scheduler has the run, and gives it nodes when it comes to its turn."""
StopDepth = Literal["checkpoint", "now", "force"]
"""TERM and time for the last checkpoint; TERM and a few seconds; KILL at once."""
DEPTHS: tuple[StopDepth, ...] = ("checkpoint", "now", "force")
"""Each deeper than the one before."""
END_STATES = frozenset({"finished", "failed", "stopped"})


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeUpdate:
    """A node's state, one sentence about it, and when it last answered (None: never)."""

    node: str
    state: NodeState
    detail: str = ""
    remedy: str = ""
    last_heard: float | None = None
    facts: NodeFacts | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """A step of a longer action on one node: ``done`` of ``total``, at ``rate`` a second."""

    node: str
    action: str
    done: int
    total: int
    rate: float | None = None
    unit: Literal["bytes", "steps"] = "bytes"

    @property
    def eta_s(self) -> float | None:
        """Seconds to its end at this rate; None: cannot be told."""
        return (self.total - self.done) / self.rate if self.rate else None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunUpdate:
    run_id: str
    state: RunState
    detail: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class QueueUpdate:
    """How a run's job stands with the scheduler that gives it its nodes."""

    run_id: str
    job: str
    """The job's id there; empty: it has none (yet)."""
    cluster: str = ""
    state: str = "waiting"
    """``waiting``, ``held``, ``running``, ``ending``, ``finished``, ``unknown`` and so on."""
    words: str = ""
    """Why it waits, or what became of it, as one sentence."""
    will_start: bool | None = None
    """False: not without somebody's doing; None: cannot be told."""
    position: int | None = None
    """Its place among those that wait for the same, from 1; None: not known."""
    start_at: float | None = None
    """When the scheduler means to start it, UTC epoch seconds; None: it does not say."""
    time_left_s: float | None = None
    """Until the job's time limit, while it runs; None: not known, or no limit."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ControlUpdate:
    """``holder`` is the other desktop that controls the run; empty: this one does."""

    run_id: str
    holder: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskUpdate:
    """A task's state, from evidence only; ``unknown_since`` is set while its node is silent."""

    run_id: str
    task: TaskId
    node: str
    state: TaskState
    detail: str = ""
    attempt: int = 1
    last_heard: float | None = None
    unknown_since: float | None = None
    total_steps: int | None = None
    """The step at which the run ends, as the chief says; None: it has not said."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """Where the time of a window of steps went, in seconds of the worker."""

    window_s: float = 0.0
    input_s: float = 0.0
    compute_s: float = 0.0
    exchange_s: float = 0.0
    """Push and pull."""
    wait_s: float = 0.0
    """For other workers, in synchronous training."""

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            window_s=self.window_s + other.window_s,
            input_s=self.input_s + other.input_s,
            compute_s=self.compute_s + other.compute_s,
            exchange_s=self.exchange_s + other.exchange_s,
            wait_s=self.wait_s + other.wait_s,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class StepsUpdate:
    """Steps of one worker; parallel sequences, times corrected to the desktop's clock."""

    run_id: str
    task: TaskId
    steps: tuple[int, ...]
    losses: tuple[float, ...]
    times: tuple[float, ...]
    spent: Spent = Spent()


@dataclass(frozen=True, kw_only=True, slots=True)
class RateUpdate:
    """Examples per second over the last window at ``t``: the job's, and each worker's."""

    run_id: str
    t: float
    total: float
    per_worker: dict[TaskId, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class EvalUpdate:
    run_id: str
    t: float
    step: int
    loss: float
    accuracy: float


@dataclass(frozen=True, kw_only=True, slots=True)
class MarkUpdate:
    """A moment worth a mark on the charts: checkpoint, restart, failure."""

    run_id: str
    t: float
    kind: Literal["checkpoint", "restored", "restart", "failure"]
    text: str
    task: TaskId | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class GpuSample:
    """One GPU at one moment. None: the GPU gave no value, which is not zero."""

    uuid: str
    index: int
    name: str
    utilization_percent: float | None
    memory_used_bytes: int | None
    memory_total_bytes: int | None
    temperature_c: float | None
    power_watts: float | None
    warning: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeSample:
    """CPU, memory and GPUs of a node at one moment; ``gpu_note`` says why GPUs are missing."""

    node: str
    t: float
    cpu_percent: float | None
    memory_used_bytes: int | None
    memory_total_bytes: int | None
    gpus: tuple[GpuSample, ...] = ()
    gpu_note: str = ""
    boot: str = ""
    """The node's boot id; with ``tick`` it names the moment whatever the clocks were set to."""
    tick: float | None = None
    """Seconds since that boot; None: not told."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LogUpdate:
    """Raw text of one task's log from byte ``offset`` on, undecodable bytes replaced."""

    run_id: str
    task: TaskId
    offset: int
    text: str
    read_at: float | None = None
    """By when it had been read from the node; None: not known."""
    shift_s: float = 0.0
    """What to add to times in the text for this computer's clock."""
    begun: float | None = None
    """When the task's first attempt began, on this computer's clock; None: not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NoticeUpdate:
    """One sentence for the user. ``node`` and ``task`` say where it comes from, if anywhere."""

    level: Level
    text: str
    remedy: str = ""
    node: str = ""
    run_id: str = ""
    task: TaskId | None = None
    topic: str = ""
    """A later notice of the same topic takes the place of this one; empty: it stands for itself."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Leftover:
    """A process or port of a run that is still there after its end."""

    node: str
    what: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Consequence:
    """A task that broke as well: because of the cause, or by ``same`` thing happening to it."""

    task: TaskId
    node: str
    text: str
    same: bool = False
    row: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Cause:
    """The first real cause of a failure, as far as what is on record says it."""

    found: bool
    """False: all that broke had lost another task, and nothing says what happened there."""
    task: TaskId
    node: str
    t: float | None
    kind: str
    """A short name of what happened; empty: none fits."""
    text: str
    """One sentence that names task and node."""
    meaning: str = ""
    """What it usually means; empty: nobody can say, or the text says it."""
    remedy: str = ""
    place: str = ""
    """The user's own file and line, where it happened in their code."""
    row: int | None = None
    """The line of the task's log that says it, counted from 0."""
    consequences: tuple[Consequence, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class CauseUpdate:
    """What is wrong with a run now; ``cause`` None: nothing any more."""

    run_id: str
    cause: Cause | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultUpdate:
    """The last item of a run. None: that number was never reported."""

    run_id: str
    state: RunState
    global_step: int
    final_loss: float | None
    accuracy: float | None
    examples: int
    examples_per_second: float | None
    """Whole-run average: examples over wall-clock seconds from first to last step."""
    time_to_first_step_s: float | None
    left_behind: tuple[Leftover, ...] = ()
    reason: str = ""
    cause: Cause | None = None
    """Of a run that failed; None: it did not, or nothing of it broke."""


Update = Union[
    NodeUpdate,
    Progress,
    RunUpdate,
    QueueUpdate,
    ControlUpdate,
    TaskUpdate,
    StepsUpdate,
    RateUpdate,
    EvalUpdate,
    MarkUpdate,
    NodeSample,
    LogUpdate,
    NoticeUpdate,
    CauseUpdate,
    ResultUpdate,
    CheckStep,
    Finding,
    Pair,
    HelloDevice,
    CheckEnd,
]
