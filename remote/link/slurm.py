"""What is asked of an agent on a login node of Slurm: the cluster, and one run's job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from remote.link import decode
from remote.link.decode import Reader, nonsense
from remote.link.items import TaskOnNode
from remote.link.wires import Wires
from trainer.spec import TaskId, TrainingSpec

_ASK_LIMIT_S = 90.0
"""For several commands of Slurm's one after another, each with a limit of its own."""
_MOST_WORDS = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class Partition:
    """One partition. None: no limit, or not known."""

    name: str
    default: bool
    up: bool
    time_limit_s: float | None
    nodes: int
    nodes_free: int
    cpus_per_node: int
    memory_mb: int
    gpus: Mapping[str, int]
    """GPUs by type, in the whole partition."""
    gpus_free: Mapping[str, int]
    gpus_per_node: Mapping[str, int]
    """The most of each type that one node has."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SlurmLook:
    """The cluster as its login node sees it."""

    version: str
    cluster: str
    partitions: tuple[Partition, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Submitted:
    """The job of a run; ``already``: it was there before."""

    job: str
    cluster: str
    already: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class SlurmJob:
    """How the job of a run stands. Times are UTC epoch seconds of the node's clock."""

    job: str = ""
    """Its id; empty: there is none."""
    cluster: str = ""
    state: str = "unknown"
    """``waiting``, ``running``, ``ending``, ``finished`` and so on; ``none``: Slurm has no such
    job (any more); ``unknown``: Slurm does not answer."""
    raw: str = ""
    reason: str = ""
    words: str = ""
    will_start: bool | None = None
    position: int | None = None
    start_at: float | None = None
    time_left_s: float | None = None
    nodes: tuple[str, ...] = ()
    restarts: int | None = None
    """How often it was begun again; None: not known now."""
    exit: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class LentNode:
    """One node of an allocation."""

    node: str
    hostname: str = ""
    address: str = ""
    cpus: int = 0
    gpus: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class LentTask:
    """Where one task runs in an allocation."""

    task: TaskId
    node: str
    address: str
    port: int
    gpus: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Allocation:
    """What the job of a run was given, and where the tasks are there."""

    job: str = ""
    cluster: str = ""
    restart: int = 0
    nodes: tuple[LentNode, ...] = ()
    tasks: tuple[LentTask, ...] = ()
    """Empty: they are not placed yet."""
    failed: str = ""
    """Why they cannot be placed; empty: nothing is in the way."""
    remedy: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class SlurmRun:
    """A run that was handed in, as the shared disk has it."""

    run_id: str
    root: str
    name: str
    training: TrainingSpec | None
    job: str
    cluster: str
    submitted_at: float | None
    tasks: tuple[tuple[str, TaskOnNode], ...]
    """Each with its node; whether a process of it lives cannot be told from there."""


@dataclass(slots=True)
class SlurmClient:
    """Every method blocks, and raises NodeError where Slurm or the node says no, and LinkLost."""

    _wires: Wires = field(repr=False)
    _node: str

    def look(self, setup: Sequence[str] = ()) -> SlurmLook:
        """The version and the partitions of the cluster; ``setup`` may bring Slurm's commands."""
        data = self._ask("slurm_look", {"setup": list(setup)})
        return SlurmLook(
            version=data.text("version", 100),
            cluster=data.text("cluster", 100),
            partitions=tuple(map(_partition, data.objects("partitions"))),
        )

    def submit(self, *, root: str, run_id: str, order: Mapping[str, Any]) -> Submitted:
        """Hand the run's job in, unless that was done before."""
        data = self._ask("slurm_submit", {"root": root, "run_id": run_id, "order": dict(order)})
        return Submitted(
            job=data.text("job", 100),
            cluster=data.text("cluster", 100),
            already=data.flag("already"),
        )

    def job(self, *, root: str, run_id: str) -> SlurmJob:
        """How the run's job stands."""
        data = self._ask("slurm_job", {"root": root, "run_id": run_id})
        return SlurmJob(
            job=data.text("job", 100),
            cluster=data.text("cluster", 100),
            state=data.text("state", 100),
            raw=data.text("raw", 100),
            reason=data.text("reason", _MOST_WORDS),
            words=data.text("words", _MOST_WORDS),
            will_start=data.optional("will_start", data.flag),
            position=data.optional("position", data.whole),
            start_at=data.optional("start_at", data.number),
            time_left_s=data.optional("time_left_s", data.number),
            nodes=tuple(str(name)[:200] for name in data.items("nodes")),
            restarts=data.optional("restarts", data.whole),
            exit=data.text("exit", 100),
        )

    def cancel(self, *, root: str, run_id: str) -> None:
        """Have the run's job cancelled; one that has ended stays as it is."""
        self._wires.call("slurm_cancel", {"root": root, "run_id": run_id}, timeout_s=_ASK_LIMIT_S)

    def allocation(self, *, root: str, run_id: str) -> Allocation:
        """What the newest start of the job was given."""
        data = self._ask("slurm_allocation", {"root": root, "run_id": run_id})
        failed = Reader(data.mapping("failed"), self._node) if data.has("failed") else None
        plan = Reader(data.mapping("plan"), self._node) if data.has("plan") else None
        return Allocation(
            job=data.text("job", 100),
            cluster=data.text("cluster", 100),
            restart=data.whole("restart"),
            nodes=tuple(map(_lent_node, data.objects("nodes"))),
            tasks=tuple(map(_lent_task, plan.objects("tasks"))) if plan is not None else (),
            failed=(failed.text("what", _MOST_WORDS) or "?") if failed is not None else "",
            remedy=failed.text("remedy", _MOST_WORDS) if failed is not None else "",
        )

    def runs(self, *, root: str, wanted: str) -> list[SlurmRun]:
        """Every run that was handed in from an account's root, the newest first."""
        answer = self._wires.call(
            "slurm_runs", {"root": root, "wanted": wanted}, timeout_s=_ASK_LIMIT_S
        )
        return list(map(_run, Reader({"runs": answer}, self._node).objects("runs")))

    def _ask(self, op: str, args: dict[str, Any]) -> Reader:
        return Reader(self._wires.call(op, args, timeout_s=_ASK_LIMIT_S), self._node)


def _partition(data: Reader) -> Partition:
    return Partition(
        name=data.text("name", 200),
        default=data.flag("default"),
        up=data.flag("up"),
        time_limit_s=data.optional("time_limit_s", data.number),
        nodes=data.whole("nodes"),
        nodes_free=data.whole("nodes_free"),
        cpus_per_node=data.whole("cpus_per_node"),
        memory_mb=data.whole("memory_mb"),
        gpus=_counts(data, "gpus"),
        gpus_free=_counts(data, "gpus_free"),
        gpus_per_node=_counts(data, "gpus_per_node"),
    )


def _counts(data: Reader, key: str) -> dict[str, int]:
    inner = Reader(data.mapping(key), data.node)
    return {str(name)[:200]: inner.whole(name) for name in data.mapping(key)}


def _lent_node(data: Reader) -> LentNode:
    return LentNode(
        node=data.text("node", 200),
        hostname=data.text("hostname", 200),
        address=data.text("address", 200),
        cpus=data.whole("cpus"),
        gpus=_texts(data, "gpus"),
    )


def _lent_task(data: Reader) -> LentTask:
    return LentTask(
        task=data.task("task"),
        node=data.text("node", 200),
        address=data.text("address", 200),
        port=data.whole("port"),
        gpus=_texts(data, "gpus"),
    )


def _run(data: Reader) -> SlurmRun:
    tasks = data.objects("tasks")
    return SlurmRun(
        run_id=data.text("run_id", 200),
        root=data.text("root"),
        name=decode.shown(data.text("name", 200)),
        training=decode.training(data.mapping("training")) if data.has("training") else None,
        job=data.text("job", 100),
        cluster=data.text("cluster", 100),
        submitted_at=data.optional("submitted_at", data.number),
        tasks=tuple((one.text("node", 200), decode.task_on_node(one)) for one in tasks),
    )


def _texts(data: Reader, key: str) -> tuple[str, ...]:
    found = data.items(key)
    if not all(isinstance(item, str) for item in found):
        raise nonsense(data.node, f"{key} are not texts")
    return tuple(item[:200] for item in found)
