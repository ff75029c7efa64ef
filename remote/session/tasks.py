"""What a task does, from evidence only: its supervisor's record and its own events. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from remote.updates import TaskState, TaskUpdate
from trainer.events import Finished, Phase, PhaseChanged, Started, Steps
from trainer.spec import TaskId

ENDED: frozenset[TaskState] = frozenset({"finished", "failed", "stopped"})
_PHASES: dict[Phase, tuple[TaskState, str]] = {
    "starting": ("starting", ""),
    "waiting": ("waiting", ""),
    "training": ("training", ""),
    "evaluating": ("training", "evaluating"),
    "finished": ("training", "finishing"),
}
_UNDER_WAY: frozenset[TaskState] = frozenset(
    {"starting", "waiting", "training", "stalled", "restarting"}
)
GONE_S = 3.0
"""How long a supervisor that is gone may leave an unfinished record before the task is lost."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One start of a task's process, as its supervisor recorded it; times on the node's clock."""

    number: int
    started_at: float | None
    ended_at: float | None
    exit_code: int | None
    signal: int | None
    oom: bool
    last_lines: tuple[str, ...]
    oom_evidence: str = ""
    """What on its node says that memory ran out, or might have."""
    oom_counted: bool = False
    """Whether the node would have known of a kill for memory."""
    peak_bytes: int | None = None
    ended_by_us: bool = False
    """Its supervisor ended it, as it was ordered to."""

    @classmethod
    def read(cls, data: Mapping[str, Any], number: int) -> Attempt:
        """From a ``state.json``, of which nothing is taken for granted."""
        lines = data.get("last_lines")
        return cls(
            number=_whole(data.get("attempt")) or number,
            started_at=_number(data.get("started_at")),
            ended_at=_number(data.get("ended_at")),
            exit_code=_whole(data.get("exit_code")),
            signal=_whole(data.get("signal")),
            oom=data.get("oom") is True,
            last_lines=tuple(str(line) for line in lines) if isinstance(lines, list) else (),
            oom_evidence=str(data.get("oom_evidence") or ""),
            oom_counted=data.get("oom_counted") is True,
            peak_bytes=_whole(data.get("peak_bytes")),
            ended_by_us=data.get("ended_by_us") is True,
        )

    @property
    def broke(self) -> bool:
        """Whether it ended otherwise than by doing its work."""
        ended = self.ended_at is not None and not self.ended_by_us
        return ended and (bool(self.exit_code) or self.signal is not None)

    @property
    def ending(self) -> str:
        """How it ended, as the end of a sentence: ``was killed (signal 9)``."""
        if self.signal is not None:
            why = ", memory ran out" if self.oom else ""
            return f"was killed (signal {self.signal}{why})"
        if self.exit_code is not None:
            return f"ended with exit status {self.exit_code}"
        return "was cut off"  # its node was restarted


@dataclass(slots=True)
class Task:
    """One task as it stands. ``last_heard`` is on this computer's clock."""

    task: TaskId
    node: str
    root: str
    address: str = ""
    gpus: tuple[str, ...] = ()
    supervised: str = ""
    """The state in the supervisor's record; empty: none has come yet."""
    reason: str = ""
    attempts: tuple[Attempt, ...] = ()
    recorded: TaskState = "pending"
    """How the history knows it; shown until its supervisor's record has come."""
    recorded_attempt: int = 1
    preparing: bool = False
    launched: bool = False
    phase: tuple[int, Phase, str] | None = None
    """Attempt, phase and detail of the newest phase event."""
    total_steps: int | None = None
    last_heard: float | None = None
    unknown_since: float | None = None
    gone_since: float | None = None
    """Since when (monotonic) the supervisor is gone though its record is not final."""
    lost: bool = False
    unstarted: bool = False
    """The launch ended before it was started."""
    finished_attempts: set[int] = field(default_factory=set)
    """Attempts whose ``finished`` event has come."""
    stalled_since: float | None = None
    """Since when (this computer's clock) it has made no step though it should; None: it does."""
    remark: str = ""
    """What is to be said of a task that trains."""
    disk: str = ""
    """Why its folder takes no data now: what it does may not be recorded; empty: it takes them."""

    @property
    def attempt(self) -> int:
        return self.attempts[-1].number if self.attempts else self.recorded_attempt

    @property
    def ended(self) -> bool:
        return self.state in ENDED

    @property
    def state(self) -> TaskState:
        if self.lost:
            return "failed"
        if self.supervised in ENDED:
            return self.supervised
        if self.unstarted:
            return "stopped"
        if self.supervised == "restarting":
            return "restarting"
        if self.supervised == "running":
            state = self._phase()[0]
            return "stalled" if state == "training" and self.stalled_since is not None else state
        if self.supervised or self.launched:
            return "starting"
        if self.recorded in _UNDER_WAY:
            return self.recorded
        return "preparing" if self.preparing else "pending"

    @property
    def detail(self) -> str:
        if self.lost:
            return self.reason
        if self.unstarted and not self.supervised:
            return "" if self.launched else "was not started"
        if self.state == "restarting" or self.state in ENDED:
            return self.reason
        if self.supervised != "running":
            return ""
        if self.disk:
            return f"may do more than is recorded: {self.disk}"
        return self.remark or self._phase()[1]

    @property
    def just_trains(self) -> bool:
        """Whether it is in the middle of training: it neither evaluates nor comes to its end."""
        known = self.phase is not None and self.phase[0] == self.attempt
        return known and self.phase is not None and self.phase[1] == "training"

    def take_record(self, record: Mapping[str, Any], alive: bool, now: float, tick: float) -> None:
        """The supervisor's record, and whether it is alive; ``now`` epoch, ``tick`` monotonic."""
        self.supervised = str(record.get("state") or "")
        self.reason = str(record.get("reason") or "")
        self.disk = str(record.get("disk") or "")
        listed = record.get("attempts")
        attempts = [a for a in listed if isinstance(a, dict)] if isinstance(listed, list) else []
        self.attempts = tuple(Attempt.read(a, i) for i, a in enumerate(attempts, start=1))
        self.last_heard, self.launched = now, True
        if alive or self.supervised in ENDED:
            self.gone_since, self.lost = None, False
        elif self.gone_since is None:
            self.gone_since = tick

    def never_started(self) -> None:
        """Nobody started it: whoever launched the run was interrupted."""
        self.lost = True
        self.reason = "was never started: the launch was interrupted"

    def give_up_start(self) -> None:
        """The launch has ended; without a record of it, the task was not started."""
        self.unstarted = self.preparing and not self.supervised

    def take_event(self, attempt: int, body: object) -> None:
        if isinstance(body, Started):
            self.phase = (attempt, "starting", "")
        elif isinstance(body, PhaseChanged):
            self.phase = (attempt, body.phase, body.detail)
            self.total_steps = body.total_steps or self.total_steps
        elif isinstance(body, Steps) and (self.phase is None or self.phase[0] < attempt):
            self.phase = (attempt, "training", "")  # whoever makes steps trains
        elif isinstance(body, Finished):
            self.finished_attempts.add(attempt)

    def check_gone(self, tick: float) -> None:
        """Give up a task whose supervisor went away without a last word."""
        if self.gone_since is None or tick - self.gone_since < GONE_S or self.lost:
            return
        if self.attempt in self.finished_attempts:
            self.supervised = "finished"  # only the supervisor was killed, the work was done
        else:
            self.lost = True
            self.reason = (
                "its supervisor is gone without a last word: "
                "the node was restarted, or somebody killed it"
            )

    def update(self, run_id: str) -> TaskUpdate:
        return TaskUpdate(
            run_id=run_id,
            task=self.task,
            node=self.node,
            state=self.state,
            detail=self.detail,
            attempt=self.attempt,
            last_heard=self.last_heard,
            unknown_since=None if self.ended else self.unknown_since,
            total_steps=self.total_steps,
        )

    def _phase(self) -> tuple[TaskState, str]:
        if self.phase is None or self.phase[0] < self.attempt:
            return "starting", ""
        state, words = _PHASES[self.phase[1]]
        return state, self.phase[2] or words


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and value is not True else None


def _whole(value: object) -> int | None:
    return value if type(value) is int else None
