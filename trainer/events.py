"""The closed set of events that a task writes, one JSON line each.

Pure standard library: the desktop imports this module. A line is
``{"v": 1, "type": "step", "t": 1700000000.5, "seq": 7, "attempt": 1, ...}``: ``t`` is UTC epoch
seconds on the node's clock, ``seq`` counts lines of one attempt from 0, ``attempt`` counts starts
of the task's process from 1. Numbers that are not finite travel as the texts ``"nan"``, ``"inf"``
and ``"-inf"``, so that a line is always strict JSON.
"""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_type_hints

VERSION = 1
MAX_LINE_BYTES = 1 << 20
LOG_SAYS_MORE = "; its log says more"
"""The end of a ``failed`` event's reason that only the task's log tells."""
"""A longer line is not an event; writers stay far below."""

Phase = Literal["starting", "waiting", "training", "evaluating", "finished"]
Level = Literal["info", "warning", "error"]


class EventError(ValueError):
    """Raised when a line is not an event of this version; says why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Started:
    """The process is up. Written first in every attempt."""

    task: str
    pid: int
    host: str
    python: str
    tensorflow: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseChanged:
    """What the task does now; ``detail`` says for whom it waits, in words.

    The chief says with phase ``training`` at which step the run ends: an epoch's steps are known
    where the data are.
    """

    phase: Phase
    detail: str = ""
    total_steps: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Steps:
    """The steps that this worker completed in one window of its own clock.

    ``steps``, ``losses`` and ``times`` are parallel: global step after the update, mean loss of
    the batch, UTC epoch seconds. ``examples`` entered the model in the ``window_s`` seconds that
    end at the last of ``times``; windows follow each other without a gap while training goes on.

    ``input_s``, ``compute_s``, ``exchange_s`` and ``wait_s`` are sums over the window: waiting for
    a batch, the model on this worker's devices, variables and gradients under way, and waiting for
    other workers. ``dropped`` gradients came too late for their step; their examples do not count.
    """

    steps: tuple[int, ...]
    losses: tuple[float, ...]
    times: tuple[float, ...]
    examples: int
    window_s: float
    input_s: float = 0.0
    compute_s: float = 0.0
    exchange_s: float = 0.0
    wait_s: float = 0.0
    dropped: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Evaluated:
    """Mean loss and accuracy (0 to 1) over ``examples`` of the test split at ``step``."""

    step: int
    loss: float
    accuracy: float
    examples: int
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckpointSaved:
    step: int
    path: str
    bytes: int
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Restored:
    """Training goes on from a checkpoint at ``step``."""

    step: int
    path: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Notice:
    """One sentence for the user."""

    level: Level
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Failed:
    """Why this attempt ends, in one sentence with what to do; written last."""

    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """The task did all its work; written last. ``examples`` is this task's own count."""

    step: int
    examples: int
    train_seconds: float
    first_step_seconds: float | None
    """Seconds from process start to the end of the first step; None for a ps."""


Body = Union[
    Started, PhaseChanged, Steps, Evaluated, CheckpointSaved, Restored, Notice, Failed, Finished
]
_TYPES: dict[str, type[Body]] = {
    "started": Started,
    "phase": PhaseChanged,
    "steps": Steps,
    "eval": Evaluated,
    "checkpoint": CheckpointSaved,
    "restored": Restored,
    "notice": Notice,
    "failed": Failed,
    "finished": Finished,
}
_NAMES = {kind: name for name, kind in _TYPES.items()}
_HINTS = {kind: get_type_hints(kind) for kind in _NAMES}
_ENVELOPE = ("v", "type", "t", "seq", "attempt")


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """A body with its envelope."""

    t: float
    seq: int
    attempt: int
    body: Body

    @property
    def type(self) -> str:
        """The name of the event on the wire."""
        return _NAMES[type(self.body)]


def encode(event: Event) -> bytes:
    """One line with its line end, pure ASCII."""
    data: dict[str, Any] = {
        "v": VERSION,
        "type": event.type,
        "t": round(event.t, 6),
        "seq": event.seq,
        "attempt": event.attempt,
    }
    for f in dataclasses.fields(event.body):
        data[f.name] = _to_wire(getattr(event.body, f.name))
    return json.dumps(data, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def decode(line: bytes) -> Event:
    """Read one line.

    Raises:
        EventError: not JSON, not an object, another version, an unknown type, a missing or
            unexpected key, or a value of the wrong kind.
    """
    if len(line) > MAX_LINE_BYTES:
        raise EventError(f"line of {len(line)} bytes is too long")
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise EventError(f"not JSON: {error}") from None
    if not isinstance(data, dict):
        raise EventError("not an object")
    if data.get("v") != VERSION:
        raise EventError(f"version {data.get('v')!r} is not {VERSION}")
    kind = _TYPES.get(str(data.get("type")))
    if kind is None:
        raise EventError(f"unknown type {data.get('type')!r}")
    t = _from_wire(float, data.get("t"), "t")
    if not math.isfinite(t):
        raise EventError("t is not finite")
    seq = _from_wire(int, data.get("seq"), "seq")
    attempt = _from_wire(int, data.get("attempt"), "attempt")
    return Event(t=t, seq=seq, attempt=attempt, body=_body(kind, data))


def _body(kind: type[Body], data: dict[str, Any]) -> Body:
    hints = _HINTS[kind]
    extra = set(data) - set(hints) - set(_ENVELOPE)
    if extra:
        raise EventError(f"unexpected key {sorted(extra)[0]!r}")
    values = {k: _from_wire(hints[k], data[k], k) for k in hints if k in data}
    try:
        body: Body = kind(**values)
    except TypeError as error:
        raise EventError(str(error)) from None
    if isinstance(body, Steps) and not len(body.steps) == len(body.losses) == len(body.times):
        raise EventError("steps, losses and times differ in length")
    return body


def _to_wire(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, tuple):
        return [_to_wire(item) for item in value]
    return value


def _from_wire(hint: Any, value: Any, key: str) -> Any:
    arguments = get_args(hint)
    if hint is float:
        return _number(value, key)
    if hint is int:
        if type(value) is int and abs(value) < 1 << 63:
            return value
        raise EventError(f"{key} is not a whole number: {value!r}")
    if hint is str:
        if isinstance(value, str):
            return value
        raise EventError(f"{key} is not a text")
    if arguments and arguments[-1] is Ellipsis:  # tuple of one kind
        if not isinstance(value, list):
            raise EventError(f"{key} is not a list")
        return tuple(_from_wire(arguments[0], item, key) for item in value)
    if type(None) in arguments:
        return None if value is None else _from_wire(arguments[0], value, key)
    if value not in arguments:  # Literal
        raise EventError(f"{key} must be one of {', '.join(arguments)}")
    return value


def _number(value: Any, key: str) -> float:
    if type(value) in (int, float):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    if isinstance(value, str) and len(value) < 64:
        try:
            return float(value)
        except ValueError:
            pass
    raise EventError(f"{key} is not a number: {value!r}")
