"""What there is to say about one run on record: for the runs page, a comparison and a report."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from remote.errors import HistoryError
from remote.export.redact import without_secrets
from remote.history import History, Remark, RunRecord, Standing, TaskRecord
from remote.history.overview import elapsed_s, is_going_on, model_of
from remote.updates import MarkUpdate
from trainer.events import Failed, Finished, Level, Notice, Started
from trainer.spec import TaskId, TrainingSpec, to_json

_SAYING = ("started", "notice", "failed", "finished")
MOST_NOTICES = 500


class Setting(NamedTuple):
    """One setting of the training, as text. ``own`` when it is not the default."""

    key: str
    value: str
    own: bool


class Attempt(NamedTuple):
    """One start of a task, as its own events tell it; times on this computer's clock."""

    number: int
    started_at: float | None
    ending: str
    """How it ended in its own words; empty: it did not say."""


class Said(NamedTuple):
    """A notice of a task."""

    t: float
    level: Level
    task: TaskId
    text: str


class TaskDetails(NamedTuple):
    """A task and its attempts, the first one first."""

    record: TaskRecord
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunDetails:
    """Everything about a run but its curves and logs."""

    record: RunRecord
    remark: Remark
    standing: Standing | None = None
    settings: tuple[Setting, ...] = ()
    tasks: tuple[TaskDetails, ...] = ()
    notices: tuple[Said, ...] = ()
    marks: tuple[MarkUpdate, ...] = ()
    stops_on: tuple[str, ...] = ()
    """Nodes on which it is to be stopped as soon as they are heard again."""
    missing_from: tuple[str, ...] = ()
    """Nodes whose last lines of it may be missing here."""

    @property
    def model(self) -> str:
        return model_of(self.record.training)

    @property
    def elapsed_s(self) -> float | None:
        """From the launch to the end, or to when it was last heard of."""
        return elapsed_s(self.record, self.standing)

    @property
    def first_failure(self) -> str:
        """The first real cause of a failed run; empty: it did not fail, or nobody knows."""
        result = self.record.result
        return result.reason if result is not None and result.state == "failed" else ""

    @property
    def step(self) -> int | None:
        result = self.record.result
        if result is not None:
            return result.global_step
        return self.standing.step if self.standing is not None else None

    @property
    def loss(self) -> float | None:
        result = self.record.result
        if result is not None:
            return result.final_loss
        return self.standing.loss if self.standing is not None else None

    @property
    def shape(self) -> str:
        """``2 workers, 1 ps``."""
        counts = Counter(task.record.task.role for task in self.tasks)
        workers, ps = counts["worker"], counts["ps"]
        words = [f"{workers} worker{'s' if workers != 1 else ''}" if workers else ""]
        words.append(f"{ps} ps" if ps else "")
        return ", ".join(word for word in words if word)

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(task.record.node for task in self.tasks))


def load_details(history: History, run_id: str) -> RunDetails:
    """Read them. Takes a while for long runs. Raises HistoryError: there is no such run."""
    record = history.run(run_id)
    if record is None:
        raise HistoryError(
            f"there is no run {run_id} in the history", remedy="List them: clew runs"
        )
    notices: list[Said] = []
    tasks = []
    for task in history.tasks(run_id):
        attempts: dict[int, Attempt] = {}
        for kind in _SAYING:
            for stored in history.events(run_id, task.task, kind):
                body, number = stored.event.body, stored.event.attempt
                before = attempts.get(number, Attempt(number, None, ""))
                if isinstance(body, Notice):
                    notices.append(Said(stored.t, body.level, task.task, body.text))
                elif isinstance(body, Started):
                    attempts[number] = before._replace(started_at=stored.t)
                elif isinstance(body, Failed):
                    attempts[number] = before._replace(ending=f"failed: {body.reason}")
                elif isinstance(body, Finished):
                    attempts[number] = before._replace(ending=f"finished at step {body.step:,}")
        tasks.append(TaskDetails(task, tuple(attempts[n] for n in sorted(attempts))))
    notices.sort(key=lambda said: said.t)
    return RunDetails(
        record=record,
        remark=history.remark(run_id),
        standing=history.standing(run_id) if is_going_on(record) else None,
        settings=settings_of(record.training),
        tasks=tuple(tasks),
        notices=tuple(notices[-MOST_NOTICES:]),
        marks=tuple(history.marks(run_id)),
        stops_on=tuple(order.node for order in history.stop_orders.of_run(run_id)),
        missing_from=tuple(gap.node for gap in history.gaps.of_run(run_id)),
    )


def settings_of(training: str) -> tuple[Setting, ...]:
    """The settings of a recorded spec, with dotted keys, in the spec's order."""
    try:
        data = json.loads(without_secrets(training))
    except ValueError:
        return ()
    if not isinstance(data, dict):
        return ()
    default = dict(_flat(to_json(TrainingSpec()), ""))
    return tuple(
        Setting(key, setting_text(value), setting_text(value) != setting_text(default.get(key)))
        for key, value in _flat(data, "")
    )


def setting_text(value: object) -> str:
    """A value as a profile would show it; a dash where there is none."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False) if value else "–"
    return str(value)


def _flat(data: Mapping[str, Any], above: str) -> Iterable[tuple[str, Any]]:
    for key, value in data.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value
