"""Updates as flat JSON objects, one a line: the contract of ``--json``.

Every object has ``type``; times are UTC epoch seconds, a value that is not there or not finite
is null. ``result`` is always the last.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from remote.checks import CheckEnd, CheckStep, Finding, HelloDevice, Pair
from remote.cli.checklines import check_object
from remote.facts import NodeFacts
from remote.updates import (
    Cause,
    CauseUpdate,
    ControlUpdate,
    EvalUpdate,
    LogUpdate,
    MarkUpdate,
    NodeSample,
    NodeUpdate,
    NoticeUpdate,
    Progress,
    QueueUpdate,
    RateUpdate,
    ResultUpdate,
    RunUpdate,
    StepsUpdate,
    TaskUpdate,
    Update,
)

Object = dict[str, Any]


def dump(data: Object) -> str:
    """One line of strict JSON."""
    return json.dumps({k: _strict(v) for k, v in data.items()}, allow_nan=False, ensure_ascii=False)


def objects(update: Update) -> Iterator[Object]:
    """The objects that tell one update; some updates are several, logs are none."""
    if isinstance(update, StepsUpdate):
        yield from _steps(update)
    elif isinstance(update, NodeSample):
        yield from _sample(update)
    elif isinstance(update, NodeUpdate):
        yield node(update)
    elif isinstance(update, TaskUpdate):
        yield _task(update)
    elif isinstance(update, ResultUpdate):
        yield result(update)
    elif isinstance(update, (Finding, Pair, HelloDevice, CheckStep)):
        yield check_object(update)
    elif isinstance(update, CauseUpdate):
        found = cause(update.cause) if update.cause is not None else None
        yield {"type": "cause", "run": update.run_id, "cause": found}
    elif not isinstance(update, (LogUpdate, CheckEnd)):
        yield _small(update)


def result(update: ResultUpdate) -> Object:
    """The run's last object; ``reason`` only where it did not finish."""
    data: Object = {
        "type": "result",
        "run": update.run_id,
        "state": update.state,
        "global_step": update.global_step,
        "final_loss": update.final_loss,
        "accuracy": update.accuracy,
        "examples": update.examples,
        "examples_per_second": update.examples_per_second,
        "time_to_first_step_s": update.time_to_first_step_s,
        "left_behind": [f"{item.node}: {item.what}" for item in update.left_behind],
    }
    if update.state != "finished":
        data["reason"] = update.reason
    if update.cause is not None:
        data["cause"] = cause(update.cause)
    return data


def cause(found: Cause) -> Object:
    """The first real cause, and the tasks that broke because of it (or in the same way)."""
    return {
        "found": found.found,
        "task": str(found.task),
        "node": found.node,
        "t": found.t,
        "kind": found.kind,
        "text": found.text,
        "meaning": found.meaning,
        "remedy": found.remedy,
        "place": found.place,
        "line": None if found.row is None else found.row + 1,
        "consequences": [
            {"task": str(c.task), "node": c.node, "text": c.text, "same": c.same}
            for c in found.consequences
        ],
    }


def standing(run_id: str, state: str) -> Object:
    """The last object about a run that goes on: the keys of a result, as far as they are known."""
    return {
        "type": "result",
        "run": run_id,
        "state": state,
        "global_step": 0,
        "final_loss": None,
        "accuracy": None,
        "examples": None,
        "examples_per_second": None,
        "time_to_first_step_s": None,
        "left_behind": [],
    }


def queue(update: QueueUpdate) -> Object:
    """How a run's job stands with the scheduler."""
    return {
        "type": "queue",
        "run": update.run_id,
        "job": update.job,
        "cluster": update.cluster,
        "state": update.state,
        "words": update.words,
        "will_start": update.will_start,
        "position": update.position,
        "start_at": update.start_at,
        "time_left_s": update.time_left_s,
    }


def node(update: NodeUpdate) -> Object:
    """A node as it stands, with what it has once that is known."""
    data: Object = {
        "type": "node",
        "node": update.node,
        "state": update.state,
        "detail": update.detail,
        "remedy": update.remedy,
        "last_heard": update.last_heard,
    }
    return data | (_facts(update.facts) if update.facts is not None else {})


def _facts(facts: NodeFacts) -> Object:
    return {
        "hostname": facts.hostname,
        "root": facts.root,
        "python": facts.python,
        "python_version": facts.python_version,
        "tensorflow_version": facts.tensorflow_version,
        "environment": facts.environment,
        "cpus": facts.cpus,
        "memory_bytes": facts.memory_bytes,
        "disk_free_bytes": facts.disk_free_bytes,
        "gpus": [gpu.name for gpu in facts.live_gpus],
        "lost_gpus": [gpu.index for gpu in facts.gpus if gpu.lost],
        "gpu_note": facts.gpu_note,
        "clock_offset_s": facts.clock_offset_s,
    }


def _steps(update: StepsUpdate) -> Iterator[Object]:
    for step, loss, t in zip(update.steps, update.losses, update.times, strict=True):
        yield {
            "type": "step",
            "run": update.run_id,
            "task": str(update.task),
            "step": step,
            "loss": loss,
            "t": t,
        }


def _sample(update: NodeSample) -> Iterator[Object]:
    yield {
        "type": "sample",
        "node": update.node,
        "t": update.t,
        "cpu_percent": update.cpu_percent,
        "memory_used_bytes": update.memory_used_bytes,
        "memory_total_bytes": update.memory_total_bytes,
        "gpu_note": update.gpu_note,
    }
    for gpu in update.gpus:
        yield {
            "type": "gpu",
            "node": update.node,
            "t": update.t,
            "uuid": gpu.uuid,
            "index": gpu.index,
            "name": gpu.name,
            "utilization_percent": gpu.utilization_percent,
            "memory_used_bytes": gpu.memory_used_bytes,
            "memory_total_bytes": gpu.memory_total_bytes,
            "temperature_c": gpu.temperature_c,
            "power_watts": gpu.power_watts,
            "warning": gpu.warning,
        }


def _task(update: TaskUpdate) -> Object:
    return {
        "type": "task",
        "run": update.run_id,
        "task": str(update.task),
        "node": update.node,
        "state": update.state,
        "detail": update.detail,
        "attempt": update.attempt,
        "last_heard": update.last_heard,
        "unknown_since": update.unknown_since,
        "total_steps": update.total_steps,
    }


def _small(update: Update) -> Object:
    if isinstance(update, RunUpdate):
        return {
            "type": "run",
            "run": update.run_id,
            "state": update.state,
            "detail": update.detail,
        }
    if isinstance(update, QueueUpdate):
        return queue(update)
    if isinstance(update, ControlUpdate):
        return {"type": "control", "run": update.run_id, "controlled_from": update.holder}
    if isinstance(update, Progress):
        return {
            "type": "progress",
            "node": update.node,
            "action": update.action,
            "done": update.done,
            "total": update.total,
            "unit": update.unit,
            "bytes_per_second": update.rate if update.unit == "bytes" else None,
            "eta_s": update.eta_s,
        }
    if isinstance(update, RateUpdate):
        return {
            "type": "rate",
            "run": update.run_id,
            "t": update.t,
            "examples_per_second": update.total,
            "per_worker": {str(task): rate for task, rate in update.per_worker.items()},
        }
    if isinstance(update, EvalUpdate):
        return {
            "type": "eval",
            "run": update.run_id,
            "step": update.step,
            "loss": update.loss,
            "accuracy": update.accuracy,
            "t": update.t,
        }
    if isinstance(update, MarkUpdate):
        return {
            "type": "mark",
            "run": update.run_id,
            "kind": update.kind,
            "text": update.text,
            "task": str(update.task) if update.task else None,
            "t": update.t,
        }
    assert isinstance(update, NoticeUpdate)
    return {
        "type": "notice",
        "level": update.level,
        "text": update.text,
        "remedy": update.remedy,
        "node": update.node,
        "run": update.run_id,
        "task": str(update.task) if update.task else None,
    }


def _strict(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {k: _strict(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(v) for v in value]
    # Names of files that are not UTF-8 hold lone surrogates, which no strict JSON has.
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
