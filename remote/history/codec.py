"""Updates as JSON in the history, and back. Only what was stored by this module is read."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

from remote.updates import Cause, Consequence, GpuSample, Leftover, NodeSample, ResultUpdate
from trainer.spec import TaskId


def sample_text(sample: NodeSample) -> str:
    """A sample without its node and times, which have columns of their own."""
    data = dataclasses.asdict(sample)
    for name in ("node", "t", "boot", "tick"):
        del data[name]
    return _dump(data)


def sample_of(node: str, t: float, text: str, boot: str, tick: float | None) -> NodeSample:
    data = json.loads(text)
    data["gpus"] = tuple(GpuSample(**gpu) for gpu in data["gpus"])
    return NodeSample(node=node, t=t, boot=boot, tick=tick, **data)


def result_text(result: ResultUpdate) -> str:
    return _dump(dataclasses.asdict(result) | {"cause": _cause_data(result.cause)})


def result_of(text: str | None) -> ResultUpdate | None:
    if text is None:
        return None
    data = json.loads(text)
    data["left_behind"] = tuple(Leftover(**item) for item in data["left_behind"])
    data["cause"] = _cause_of(data.get("cause"))
    return ResultUpdate(**data)


def _cause_data(cause: Cause | None) -> dict[str, Any] | None:
    if cause is None:
        return None
    followed = [dataclasses.asdict(c) | {"task": str(c.task)} for c in cause.consequences]
    return dataclasses.asdict(cause) | {"task": str(cause.task), "consequences": followed}


def _cause_of(data: dict[str, Any] | None) -> Cause | None:
    if data is None:
        return None
    followed = tuple(
        Consequence(**(item | {"task": TaskId.parse(item["task"])}))
        for item in data["consequences"]
    )
    return Cause(**(data | {"task": TaskId.parse(data["task"]), "consequences": followed}))


def _dump(data: dict[str, Any]) -> str:
    return json.dumps(_finite(data), separators=(",", ":"), allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(v) for v in value]
    return value
