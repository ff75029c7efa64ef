"""Why a run failed: the first real cause among all that broke after it. Pure.

When a task dies, the others lose it and fail too, some before its supervisor has given up. What
the user needs is the first; a task that ended because another did not answer is never it, if
there is a better one.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from remote.session.tasks import Attempt, Task
from trainer.events import LOG_SAYS_MORE
from trainer.spec import EXIT_LOST_PEER, TaskId

_RECENT_S = 180.0
"""What broke longer before the failure, and was overcome, is not its cause."""
_REMARK = re.compile(r"[IW]\d{4} [\d:.]+ |\d{4}-\d\d-\d\d [\d:.]+: [IW] ")


@dataclass(frozen=True, slots=True)
class _Suspect:
    secondary: bool
    overcome: bool
    at: float
    text: str


def first_cause(
    tasks: Iterable[Task],
    failed_events: Mapping[tuple[TaskId, int], str],
    shifts: Mapping[str, float],
) -> str:
    """One sentence that names task and node; empty when nothing broke.

    Args:
        tasks: all tasks of the run.
        failed_events: the text of each ``failed`` event by task and attempt.
        shifts: what to add to a node's times for this computer's clock.
    """
    suspects = [s for task in tasks for s in _suspects(task, failed_events, shifts)]
    if not suspects:
        return ""
    last = max(s.at for s in suspects)
    recent = [s for s in suspects if s.at >= last - _RECENT_S] or suspects
    return min(recent, key=lambda s: (s.secondary, s.overcome, s.at)).text


def _suspects(
    task: Task, failed_events: Mapping[tuple[TaskId, int], str], shifts: Mapping[str, float]
) -> Iterable[_Suspect]:
    where = f"{task.task} on {task.node}"
    failed = task.state == "failed"
    final = max((a.number for a in task.attempts), default=0)
    shift = shifts.get(task.node, 0.0)
    for attempt in task.attempts:
        said = failed_events.get((task.task, attempt.number), "")
        if not attempt.broke and not (said and failed):
            continue
        if attempt.signal in (signal.SIGTERM, signal.SIGINT) and not failed:
            continue  # it was told to stop
        secondary = attempt.exit_code == EXIT_LOST_PEER
        is_final = failed and attempt.number == final
        ended = (attempt.ended_at or attempt.started_at or 0.0) + shift
        yield _Suspect(secondary, not is_final, ended, f"{where}: {_why(task, attempt, said)}")
    if failed and not any(a.broke for a in task.attempts):
        yield _Suspect(False, False, task.last_heard or 0.0, f"{where}: {task.reason or 'failed'}")


def _why(task: Task, attempt: Attempt, said: str) -> str:
    words = _last_words(attempt.last_lines)
    last = f"; its last words: {words}" if words else ""
    if said:
        short = said.removesuffix(LOG_SAYS_MORE)
        return short + last if last and short != said else said
    if attempt.oom:
        return (
            "was killed by the node because memory ran out; "
            "use a smaller batch, or a node with more memory"
        )
    if attempt.signal == signal.SIGKILL:
        return f"was killed by the node (signal 9), probably out of memory{last}"
    if attempt.signal is not None:
        return f"was ended by {_signal_name(attempt.signal)}{last}"
    if task.reason and attempt is task.attempts[-1]:
        return f"{task.reason}{last}" if last and last[2:] not in task.reason else task.reason
    return f"ended with exit status {attempt.exit_code}{last}"


def _last_words(lines: Sequence[str]) -> str:
    """The last line that is not one of TensorFlow's remarks, which say nothing about an end."""
    telling = (line.strip() for line in reversed(lines) if not _REMARK.match(line.strip()))
    return next((line for line in telling if line), "")[:300]


def _signal_name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"
