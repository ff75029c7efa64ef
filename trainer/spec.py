"""What to train and where each task listens: the contract between the desktop and a task.

Pure standard library: the desktop imports this module, so nothing here may import TensorFlow.
Every dataclass field carries ``help`` and, where they apply, ``choices``, ``min`` and ``max`` in
its metadata (:mod:`trainer.choices`); the launch form, the profile checker and the command line
all read them from here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, get_args, get_type_hints

from trainer.choices import (
    CROSS_ENTROPY,
    DATASETS,
    DATASETS_WITHOUT_FILES,
    LOSSES,
    MODELS,
    OPTIMIZERS,
    SIZED_DATASETS,
    DatasetSpec,
    EarlyStopSpec,
    OptimizerSpec,
    RestartSpec,
    SpecProblem,
    is_own,
    limit_problems,
)
from trainer.choices import choice as _choice
from trainer.choices import number as _number
from trainer.choices import yes_no as _yes_no
from trainer.tasks import CHIEF, ClusterSpec, Role, SpecError, TaskId

__all__ = [
    "CHIEF",
    "CROSS_ENTROPY",
    "DATASETS",
    "DATASETS_WITHOUT_FILES",
    "DEFAULT_STEPS",
    "EXIT_BAD_DATA",
    "EXIT_BAD_SPEC",
    "EXIT_FINISHED",
    "EXIT_LOST_PEER",
    "EXIT_UNAVAILABLE",
    "FINAL_EXITS",
    "LOSSES",
    "MODELS",
    "OPTIMIZERS",
    "RETRIED_EXITS",
    "SIZED_DATASETS",
    "ClusterSpec",
    "DatasetSpec",
    "EarlyStopSpec",
    "OptimizerSpec",
    "RestartSpec",
    "Role",
    "SpecError",
    "SpecProblem",
    "TaskId",
    "TaskSpec",
    "TrainingSpec",
    "from_json",
    "is_own",
    "to_json",
    "too_many_backups",
]

EXIT_FINISHED = 0
"""The task did all its work."""
EXIT_BAD_DATA = 65
"""The data set is missing, damaged or of another kind (``EX_DATAERR``). Restarting cannot help."""
EXIT_UNAVAILABLE = 69
"""Something the task needs is not there: TensorFlow, its port (``EX_UNAVAILABLE``). Final."""
EXIT_LOST_PEER = 75
"""Another task did not answer in time (``EX_TEMPFAIL``). A restart may help."""
EXIT_BAD_SPEC = 78
"""The spec or a checkpoint cannot be used (``EX_CONFIG``). Restarting cannot help."""
FINAL_EXITS = frozenset({EXIT_BAD_DATA, EXIT_UNAVAILABLE, EXIT_BAD_SPEC})
"""Exit statuses after which a supervisor must not restart the task."""
RETRIED_EXITS = frozenset({EXIT_LOST_PEER})
"""Exit statuses that ask for a restart, also where a policy takes low statuses for final."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainingSpec:
    """Every choice of a training run. Defaults are what a profile may leave out."""

    model: str = _choice(
        "mnist_cnn",
        MODELS,
        "The network to train, or your own as package.module:function.",
        own=True,
    )
    loss: str = _choice(
        CROSS_ENTROPY,
        LOSSES,
        "What training makes smaller. cross_entropy takes logits and class numbers; the others "
        "are Keras' functions of that name, given what the model returns.",
    )
    code: str | None = field(
        default=None,
        metadata={
            "help": "Folder with your own modules and scripts; it is sent to the nodes.",
            "folder": True,
            "empty": "none",
        },
    )
    command: tuple[str, ...] = field(
        default=(),
        metadata={
            "help": "A program of your own to run in every task, instead of a model: "
            "python train.py. It gets TF_CONFIG, and may report its steps.",
            "empty": "none",
        },
    )
    dataset: DatasetSpec = field(
        default_factory=DatasetSpec, metadata={"help": "The examples to train on."}
    )
    baseline: Literal["none", "single"] = field(
        default="none",
        metadata={
            "choices": ("none", "single"),
            "help": "single: the same model and data in one process without any ps, to compare "
            "with; the choices of distribution stay as they are and are not used.",
        },
    )
    update: Literal["async", "sync"] = field(
        default="async",
        metadata={
            "choices": ("async", "sync"),
            "help": "async: each gradient is applied as it comes; "
            "sync: one average of all workers' gradients is applied in each step.",
        },
    )
    backup_workers: int = _number(
        0, 0, 4095, "How many of the workers a sync step does not wait for; late ones are dropped."
    )
    calls_in_flight: int = _number(
        1,
        1,
        2,
        "How many steps an async worker has under way. 2: variables travel for one while the "
        "other computes. Faster where steps are short, but gradients are computed from older "
        "variables, which may need a lower learning rate or momentum.",
    )
    replication: Literal["between-graph", "in-graph"] = field(
        default="between-graph",
        metadata={
            "choices": ("between-graph", "in-graph"),
            "help": "between-graph: every worker has its own client; "
            "in-graph: one client, on the chief, drives all workers.",
        },
    )
    worker_per: Literal["gpu", "node"] = field(
        default="gpu",
        metadata={
            "choices": ("gpu", "node"),
            "help": "gpu: one worker for each GPU; "
            "node: one worker for each node, which shares its batch among the node's GPUs.",
        },
    )
    workers: int | None = _number(
        None, 1, 4096, "How many workers; empty: as many as fit.", empty="as many as fit"
    )
    ps: int = _number(
        1, 0, 1024, "How many parameter servers hold the variables; a command may do without."
    )
    ps_placement: Literal["alongside", "dedicated"] = field(
        default="alongside",
        metadata={
            "choices": ("alongside", "dedicated"),
            "help": "alongside: ps share nodes with workers; dedicated: ps have their own nodes.",
        },
    )
    wire: Literal["float32", "bfloat16"] = field(
        default="float32",
        metadata={
            "choices": ("float32", "bfloat16"),
            "help": "How variables and gradients travel; bfloat16 halves the traffic and rounds "
            "to 8 bits of precision. The ps always hold float32.",
        },
    )
    batch_size: int = _number(64, 1, 1_000_000, "Examples in one step of one worker.")
    optimizer: OptimizerSpec = field(
        default_factory=OptimizerSpec, metadata={"help": "How gradients are applied."}
    )
    steps: int | None = _number(None, 1, 10**12, "Stop after this many global steps.")
    epochs: float | None = _number(None, 1e-6, 1e9, "Stop after this many passes over the data.")
    seed: int = _number(1, 0, 2**31 - 1, "Initial weights and shuffling follow from it.")
    checkpoint_every_s: float = _number(
        60.0, 1.0, 86400.0 * 30, "Time between checkpoints on the chief.", "s"
    )
    checkpoint_keep: int = _number(3, 1, 10_000, "How many checkpoints are kept, the newest.")
    resume_from: str | None = field(
        default=None,
        metadata={
            "help": "Earlier run, or folder of checkpoints on the chief's node, to go on from.",
            "empty": "begin anew",
        },
    )
    evaluate_every: int | None = _number(
        None,
        1,
        10**12,
        "Global steps between evaluations while training goes on.",
        empty="only at the end",
    )
    early_stop: EarlyStopSpec = field(
        default_factory=EarlyStopSpec, metadata={"help": "When to end before the last step."}
    )
    on_nan: Literal["stop", "continue"] = field(
        default="stop",
        metadata={
            "choices": ("stop", "continue"),
            "help": "When a loss is no number any more: stop the run, or go on and say so.",
        },
    )
    export: bool = _yes_no("Write the trained model as a .keras file beside the checkpoints.")
    tensorboard: bool = _yes_no("Write loss and accuracy for TensorBoard beside the checkpoints.")
    mixed_precision: bool = _yes_no(
        "Compute in bfloat16 where the GPU can; variables stay float32."
    )
    jit_compile: bool = _yes_no("Have XLA compile the steps.")
    restart: RestartSpec = field(
        default_factory=RestartSpec, metadata={"help": "What to do when a process dies."}
    )
    max_hours: float | None = _number(
        None,
        0.0001,
        24.0 * 365,
        "The nodes end the run after so long, with a checkpoint, whoever watches.",
        "h",
        empty="no limit",
    )

    @property
    def is_single(self) -> bool:
        """One process does it all: there is no ps, and the choices of distribution are not used."""
        return self.baseline == "single"

    @property
    def is_sync(self) -> bool:
        return self.update == "sync" and not self.is_single

    @property
    def is_in_graph(self) -> bool:
        return self.replication == "in-graph" and not self.is_single

    def problems(self) -> list[SpecProblem]:
        """Everything that is wrong with this spec, in field order; empty when it can run."""
        found = list(limit_problems(self, ""))
        if self.steps is not None and self.epochs is not None:
            found.append(SpecProblem("epochs", "give steps or epochs, not both"))
        if self.ps == 0 and not self.command and not self.is_single:
            found.append(SpecProblem("ps", "must be between 1 and 1024, not 0, to train a model"))
        found += self.restart.problems()
        if self.command:
            if not self.command[0].strip():
                found.append(SpecProblem("command", "its first part is the program to run"))
            return found  # what follows is about models of ours
        found += self.dataset.problems()
        found += self.optimizer.problems()
        found += self._backup_problems()
        if self.is_sync and self.calls_in_flight > 1:
            message = "a sync step waits for the one before; leave it out or set update to async"
            found.append(SpecProblem("calls_in_flight", message))
        if self.early_stop.is_on and self.evaluate_every is None:
            message = "early_stop looks at evaluations; say how often, like 1000"
            found.append(SpecProblem("evaluate_every", message))
        return found

    def _backup_problems(self) -> list[SpecProblem]:
        if not self.backup_workers or self.is_single:
            return []
        if self.update != "sync":
            message = "only a sync update has backup workers; set it to 0 or update to sync"
            return [SpecProblem("backup_workers", message)]
        if self.workers is not None and self.backup_workers >= self.workers:
            return [SpecProblem("backup_workers", too_many_backups(self, self.workers))]
        return []


def too_many_backups(training: TrainingSpec, workers: int) -> str:
    """Why so many backup workers leave none to wait for."""
    return (
        f"must be below the number of workers: {training.backup_workers} of {workers} would leave "
        "none to wait for"
    )


DEFAULT_STEPS = 2000
"""Global steps of a run that names neither ``steps`` nor ``epochs``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskSpec:
    """All that one task process is told: the content of its ``spec.json``."""

    run_id: str
    task: TaskId
    cluster: ClusterSpec
    training: TrainingSpec
    data_dir: str | None
    """Absolute folder with the data set's files on this node; None: the data set needs none."""
    checkpoint_dir: str
    """Absolute folder for checkpoints; only the chief writes there."""
    code_dir: str | None = None
    """Absolute folder with the user's own modules on this node; None: there are none."""

    @property
    def sharing_workers(self) -> int:
        """How many workers share the examples; a single process has one."""
        return 1 if self.training.is_single else len(self.cluster.worker)


Spec = TypeVar("Spec", TrainingSpec, ClusterSpec, TaskSpec)


def to_json(spec: TrainingSpec | ClusterSpec | TaskSpec) -> dict[str, Any]:
    """A JSON-ready dict of the whole spec, defaults included."""
    return {f.name: _plain(getattr(spec, f.name)) for f in dataclasses.fields(spec)}


def from_json(kind: type[Spec], data: Mapping[str, Any]) -> Spec:
    """Build ``kind`` from :func:`to_json`'s dict.

    Raises:
        SpecError: a key is unknown, missing or of the wrong type.
    """
    built: Spec = _build(kind, data, "")
    return built


def _plain(value: Any) -> Any:
    if isinstance(value, TaskId):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _build(kind: Any, data: Any, path: str) -> Any:
    if not isinstance(data, Mapping):
        raise SpecError(f"{path or 'the spec'} must be a mapping, not {type(data).__name__}")
    hints = get_type_hints(kind)
    unknown = sorted(set(data) - {f.name for f in dataclasses.fields(kind)})
    if unknown:
        raise SpecError(f"unknown key {path}{unknown[0]}")
    values = {k: _convert(hints[k], v, f"{path}{k}") for k, v in data.items()}
    try:
        return kind(**values)
    except TypeError as error:
        raise SpecError(f"{path or 'the spec'} is incomplete: {error}") from None


def _convert(hint: Any, value: Any, path: str) -> Any:
    if hint is TaskId:
        return TaskId.parse(str(value))
    if dataclasses.is_dataclass(hint):
        return _build(hint, value, f"{path}.")
    if hint == tuple[str, ...]:
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise SpecError(f"{path} must be a list of texts")
    arguments = get_args(hint)
    if arguments and str in map(type, arguments):  # Literal
        if value not in arguments:
            raise SpecError(f"{path} must be one of {', '.join(arguments)}, not {value!r}")
        return value
    allowed = arguments or (hint,)
    if float in allowed and type(value) is int and abs(value) < 1 << 63:
        return float(value)
    if type(value) not in allowed:
        raise SpecError(f"{path} has the wrong type: {value!r}")
    return value
