"""Turns what a node sent into typed values; a node may send anything."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast, get_args

from remote.errors import LinkLost, NodeError
from remote.facts import BasePython, EnvironmentState, Gpu, NodeFacts, PortHolder, Problem
from remote.link.items import ControlData, FileData, Hello, StateData, StreamFile, TaskOnNode
from remote.updates import GpuSample, NodeSample
from trainer.spec import SpecError, TaskId, TrainingSpec, from_json

T = TypeVar("T")
_MAX_NAME = 200


class Reader:
    """Reads keys of one object from ``node``; raises :class:`LinkLost` for nonsense."""

    def __init__(self, data: object, node: str) -> None:
        self.node = node
        if not isinstance(data, dict):
            raise nonsense(node, "an object was expected")
        self._data: dict[str, Any] = data

    def text(self, key: str, limit: int = 4096) -> str:
        value = self._data.get(key)
        if not isinstance(value, str):
            raise nonsense(self.node, f"{key} is not a text")
        # Lone surrogates (names that are not UTF-8) can be neither shown nor stored.
        return value[:limit].encode("utf-8", "replace").decode("utf-8")

    def whole(self, key: str) -> int:
        value = self._data.get(key)
        if type(value) is not int or not -(1 << 63) <= value < 1 << 63:
            raise nonsense(self.node, f"{key} is not a whole number")
        return value

    def number(self, key: str) -> float:
        value = self._data.get(key)
        if type(value) not in (int, float) or not math.isfinite(value or 0):
            raise nonsense(self.node, f"{key} is not a number")
        try:
            return float(value)  # type: ignore[arg-type]
        except OverflowError:
            raise nonsense(self.node, f"{key} is too large") from None

    def flag(self, key: str) -> bool:
        value = self._data.get(key)
        if not isinstance(value, bool):
            raise nonsense(self.node, f"{key} is not true or false")
        return value

    def optional(self, key: str, read: Callable[[str], T]) -> T | None:
        return None if self._data.get(key) is None else read(key)

    def has(self, key: str) -> bool:
        return self._data.get(key) is not None

    def items(self, key: str, limit: int = 100_000) -> list[Any]:
        value = self._data.get(key)
        if not isinstance(value, list) or len(value) > limit:
            raise nonsense(self.node, f"{key} is not a list")
        return value

    def mapping(self, key: str) -> dict[str, Any]:
        value = self._data.get(key)
        if not isinstance(value, dict):
            raise nonsense(self.node, f"{key} is not an object")
        return value

    def line(self, item: object) -> bytes:
        """One entry of a list of texts, as bytes."""
        if not isinstance(item, str):
            raise nonsense(self.node, "a line is not a text")
        return item.encode("utf-8", "replace")

    def objects(self, key: str) -> list[Reader]:
        return [Reader(item, self.node) for item in self.items(key)]

    def task(self, key: str) -> TaskId:
        try:
            return TaskId.parse(self.text(key))
        except SpecError:
            raise nonsense(self.node, f"{key} is not a task") from None

    def record(self, key: str) -> dict[str, Any]:
        """A task's ``state.json``, whose shape readers may rely on."""
        value = self._data.get(key)
        inner = Reader(value, self.node)
        inner.text("state")
        inner.text("reason")
        for attempt in inner.objects("attempts"):
            attempt.whole("attempt")
            attempt.number("started_at")
            attempt.optional("ended_at", attempt.number)
            attempt.optional("exit_code", attempt.whole)
            attempt.optional("signal", attempt.whole)
            if not all(isinstance(line, str) for line in attempt.items("last_lines")):
                raise nonsense(self.node, "last_lines are not texts")
        assert isinstance(value, dict)
        return value


def nonsense(node: str, why: str) -> LinkLost:
    """The error for an answer that no agent of ours gives."""
    remedy = "Connect again; if it stays so, look at what runs on that node."
    return LinkLost(f"the node answered nonsense ({why})", node=node, remedy=remedy)


def hello(data: Reader, noise: bool) -> Hello:
    return Hello(
        hostname=data.text("hostname"),
        boot_id=data.text("boot_id"),
        network_namespace=data.text("network_namespace"),
        user=data.text("user"),
        home=data.text("home"),
        python=data.text("python"),
        python_version=data.text("python_version"),
        pid=data.whole("pid"),
        noise=noise,
    )


def file_data(data: Reader, payload: bytes) -> FileData:
    name = data.text("file")
    if name not in ("events", "log"):
        raise nonsense(data.node, "an unknown file")
    file: StreamFile = "events" if name == "events" else "log"
    offset = data.whole("offset")
    if offset < 0:
        raise nonsense(data.node, "a negative offset")
    return FileData(
        run_id=data.text("run"),
        task=data.task("task"),
        file=file,
        offset=offset,
        data=payload,
        reset=data.flag("reset"),
    )


def state_data(data: Reader) -> StateData:
    return StateData(
        run_id=data.text("run"),
        task=data.task("task"),
        state=data.record("record"),
        alive=data.flag("alive"),
    )


def task_on_node(data: Reader) -> TaskOnNode:
    told = data.mapping("told")
    name = told.get("name")
    return TaskOnNode(
        run_id=data.text("run_id"),
        task=data.task("task"),
        state=data.record("state"),
        alive=data.flag("alive"),
        task_alive=data.flag("task_alive"),
        supervisor_alive=data.flag("supervisor_alive"),
        latest=tuple(data.line(item) for item in data.items("latest", 8)),
        root=data.text("root"),
        name=shown(name[:_MAX_NAME]) if isinstance(name, str) else "",
        training=training(told.get("training")),
    )


def training(told: object) -> TrainingSpec | None:
    """What a run was launched with; None: another version's, or nonsense."""
    if not isinstance(told, dict):
        return None
    try:
        return from_json(TrainingSpec, told)
    except SpecError:
        return None


def shown(text: str) -> str:
    """``text`` without what steers a terminal or a label."""
    return "".join(c for c in text if c.isprintable())


def control_data(data: Reader, run_id: str) -> ControlData:
    name = shown(data.text("name", 100))
    return ControlData(run_id=run_id, desk=data.text("desk", 64), name=name or "another desktop")


def sample(data: Reader, clock_offset_s: float) -> NodeSample:
    return NodeSample(
        node=data.node,
        t=data.number("t") - clock_offset_s,
        cpu_percent=data.optional("cpu_percent", data.number),
        memory_used_bytes=data.optional("memory_used_bytes", data.whole),
        memory_total_bytes=data.optional("memory_total_bytes", data.whole),
        gpus=tuple(_gpu_sample(gpu) for gpu in data.objects("gpus")),
        gpu_note=data.text("gpu_note"),
        boot=data.text("boot"),
        tick=data.number("tick"),
    )


def _gpu_sample(gpu: Reader) -> GpuSample:
    return GpuSample(
        uuid=gpu.text("uuid"),
        index=gpu.whole("index"),
        name=gpu.text("name"),
        utilization_percent=gpu.optional("utilization_percent", gpu.number),
        memory_used_bytes=gpu.optional("memory_used_bytes", gpu.whole),
        memory_total_bytes=gpu.optional("memory_total_bytes", gpu.whole),
        temperature_c=gpu.optional("temperature_c", gpu.number),
        power_watts=gpu.optional("power_watts", gpu.number),
        warning=gpu.text("warning"),
    )


def facts(data: Reader, hello: Hello, seen_at: float, clock_offset_s: float) -> NodeFacts:
    problems = [
        Problem(
            what=item.text("what"),
            remedy=item.text("remedy"),
            fatal=item.flag("fatal"),
            asked=item.flag("asked"),
        )
        for item in data.objects("problems")
    ]
    return NodeFacts(
        node=data.node,
        seen_at=seen_at,
        hostname=hello.hostname,
        boot_id=data.text("boot_id"),
        network_namespace=data.text("network_namespace"),
        user=hello.user,
        home=hello.home,
        root=data.text("root"),
        python=data.text("python"),
        python_version=data.text("python_version"),
        tensorflow_version=data.optional("tensorflow_version", data.text),
        cpus=data.whole("cpus"),
        memory_bytes=data.whole("memory_bytes"),
        disk_free_bytes=data.whole("disk_free_bytes"),
        gpus=tuple(sorted(map(_gpu, data.objects("gpus")), key=lambda gpu: gpu.index)),
        gpu_note=data.text("gpu_note"),
        ports_in_use=tuple(_port(port) for port in data.objects("ports")),
        clock_offset_s=clock_offset_s,
        problems=tuple(problems),
        proxies={str(name): str(value) for name, value in data.mapping("proxies").items()},
        environment=_environment(data),
        base=_base(Reader(data.mapping("base"), data.node)) if data.has("base") else None,
    )


def _environment(data: Reader) -> EnvironmentState:
    state = data.text("environment")
    if state not in get_args(EnvironmentState):
        raise nonsense(data.node, "an unknown state of an environment")
    return cast(EnvironmentState, state)


def _base(data: Reader) -> BasePython:
    return BasePython(
        executable=data.text("executable"),
        version=data.text("version"),
        machine=data.text("machine"),
        libc=data.text("libc"),
        soabi=data.text("soabi"),
        free_threaded=data.flag("free_threaded"),
        ensurepip=data.flag("ensurepip"),
        markers={str(k)[:100]: str(v)[:500] for k, v in data.mapping("markers").items()},
    )


def no_facts(hello: Hello, error: NodeError, seen_at: float, clock_offset_s: float) -> NodeFacts:
    """The facts of a node that could not even be looked at; ``error`` is its problem."""
    return NodeFacts(
        node=error.node or hello.hostname,
        seen_at=seen_at,
        hostname=hello.hostname,
        boot_id=hello.boot_id,
        network_namespace=hello.network_namespace,
        user=hello.user,
        home=hello.home,
        root="",
        python="",
        python_version="",
        tensorflow_version=None,
        cpus=0,
        memory_bytes=0,
        disk_free_bytes=0,
        gpus=(),
        gpu_note="",
        ports_in_use=(),
        clock_offset_s=clock_offset_s,
        problems=(Problem(what=error.what, remedy=error.remedy),),
    )


def _gpu(gpu: Reader) -> Gpu:
    return Gpu(
        index=gpu.whole("index"),
        uuid=gpu.text("uuid"),
        name=gpu.text("name"),
        memory_total_bytes=gpu.optional("memory_total_bytes", gpu.whole),
        warning=gpu.text("warning"),
        lost=gpu.flag("lost"),
    )


def _port(port: Reader) -> PortHolder:
    return PortHolder(
        port=port.whole("port"),
        pid=port.optional("pid", port.whole),
        program=port.text("program"),
        run_id=port.text("run_id"),
        task=port.text("task"),
    )
