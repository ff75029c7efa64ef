"""Tasks that are alive and heard from, and make no step for much longer than they usually do. Pure.

Evaluating, waiting for a peer that is named, and whatever comes before the first step are no
stalls: the task itself says what it does then, or it is said for it. A task of which nothing is
heard is unknown, not stalled; nor is one whose disk takes no data, for its steps are not recorded.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from remote.session.tasks import Task
from remote.updates import NoticeUpdate
from trainer.events import Steps
from trainer.spec import TaskId

FLOOR_S = 30.0
"""No shorter pause is a stall."""
TIMES = 10.0
"""So many times its usual step time a task may take for one."""
_PAUSES = 2.0
"""A program that pauses now and then, for an evaluation of its own, may do so twice as long."""
_WINDOWS = 64
_COMPILE_S = 5.0
_ASLEEP_S = 5.0
"""Who did not look for so long cannot say that nothing came."""
FIRST_STEP = "before its first step: the model is being compiled"


def limit_s(usual_s: float, longest_s: float = 0.0) -> float:
    """Seconds without a step after which a task is stalled.

    Args:
        usual_s: what a step usually takes.
        longest_s: the longest pause after which it went on so far.
    """
    return max(FLOOR_S, TIMES * usual_s, _PAUSES * longest_s)


@dataclass(slots=True)
class _Pace:
    attempt: int
    steps_s: deque[float] = field(default_factory=lambda: deque(maxlen=_WINDOWS))
    longest_s: float = 0.0
    came: bool = False
    since: float | None = None
    """Monotonic time of the last look that found a new step."""


class StallWatch:
    """Watches the steps of one run's tasks; used by the run's thread only."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._paces: dict[TaskId, _Pace] = {}
        self._training_since: dict[TaskId, tuple[int, float]] = {}
        self._looked_at: float | None = None

    def steps(self, task: TaskId, attempt: int, body: Steps) -> None:
        """Steps of a task have come."""
        pace = self._paces.get(task)
        if pace is None or pace.attempt != attempt:
            pace = self._paces[task] = _Pace(attempt)
        if body.steps:
            pace.steps_s.append(body.window_s / len(body.steps))
            pace.longest_s = max(pace.longest_s, *gaps(body.times), 0.0)
            pace.came = True

    def look(self, tasks: Iterable[Task], now: float) -> list[NoticeUpdate]:
        """Set the tasks' ``stalled_since`` and ``remark``; ``now`` is monotonic.

        Gives one notice when a stall begins, and one when it ends.
        """
        listed = list(tasks)
        asleep = self._looked_at is not None and now - self._looked_at > _ASLEEP_S
        self._looked_at = now
        notices = []
        for task in listed:
            was = task.stalled_since
            task.stalled_since, task.remark = None, ""
            pace = self._paces.get(task.task)
            heard = task.unknown_since is None and not task.disk
            steady = task.state == "training" and heard
            if pace is not None and pace.attempt == task.attempt:
                if pace.came or asleep or not steady or not task.just_trains or pace.since is None:
                    pace.came, pace.since = False, now
                else:
                    self._judge(task, pace, now, was, listed)
                if was is not None and task.stalled_since is None and steady:
                    notices.append(self._again(task, was))
                elif was is None and task.stalled_since is not None:
                    notices.append(self._begins(task))
            elif steady:
                self._before_first(task, now)
        return notices

    def _judge(
        self, task: Task, pace: _Pace, now: float, was: float | None, tasks: list[Task]
    ) -> None:
        assert pace.since is not None
        silent_s = now - pace.since
        if silent_s < limit_s(median(pace.steps_s), pace.longest_s):
            return
        away = missing_peers(task, tasks)
        if away:
            task.remark = f"no step while {away}"
        else:
            task.stalled_since = was if was is not None else time.time() - silent_s
            task.remark = stall_words(task.stalled_since, median(pace.steps_s))

    def _before_first(self, task: Task, now: float) -> None:
        """Only the chief certainly makes steps of its own."""
        attempt, since = self._training_since.get(task.task, (0, 0.0))
        if attempt != task.attempt:
            self._training_since[task.task] = (task.attempt, now)
        elif (
            task.task.is_chief
            and task.just_trains
            and not task.detail
            and now - since >= _COMPILE_S
        ):
            task.remark = FIRST_STEP

    def _begins(self, task: Task) -> NoticeUpdate:
        text = f"{task.task} on {task.node} is stalled: {task.remark}"
        return self._notice(
            "warning", task, text, "Look at its log, and at what else uses its node."
        )

    def _again(self, task: Task, since: float) -> NoticeUpdate:
        paused = round(time.time() - since)
        text = f"{task.task} on {task.node} makes steps again, after {paused} s without one"
        return self._notice("info", task, text, "")

    def _notice(self, level: str, task: Task, text: str, remedy: str) -> NoticeUpdate:
        return NoticeUpdate(
            level=level,  # type: ignore[arg-type]
            text=text,
            remedy=remedy,
            node=task.node,
            run_id=self._run_id,
            task=task.task,
            topic=f"stall of {task.task} in {self._run_id}",
        )


def missing_peers(task: Task, tasks: Iterable[Task]) -> str:
    """Which other tasks are not at work, as ``ps:0 on gpu001 is restarting``; empty: none."""
    words = []
    for other in tasks:
        if other is task:
            continue
        if other.unknown_since is not None and not other.ended:
            words.append(f"{other.task} on {other.node} is not heard from")
        elif other.state in ("restarting", "starting", "failed"):
            words.append(f"{other.task} on {other.node} is {other.state}")
    more = f" and {len(words) - 1} more" if len(words) > 1 else ""
    return f"{words[0]}{more}" if words else ""


def stall_words(since: float, usual_s: float) -> str:
    """``no step since 14:02:31, usually one every 0.2 s``."""
    at = time.strftime("%H:%M:%S", time.localtime(since))
    return f"no step since {at}, usually one every {usual_s:.2g} s"


def gaps(times: tuple[float, ...]) -> tuple[float, ...]:
    """Seconds between steps that follow each other; a clock that was set back gives none."""
    return tuple(max(0.0, later - earlier) for earlier, later in pairwise(times))
