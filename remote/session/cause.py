"""Why a run failed: the first real cause among all that broke after it. Pure.

When a task dies, the others lose it and fail too, some before its supervisor has given up. What
the user needs is the first; a task that ended because another did not answer is never it. How a
process ended is known from its supervisor alone; a log only says more about an end that is on
record. Where nothing on record is a cause, that is the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from remote.causes import LogScan, Sighting
from remote.session.suspects import Suspect, suspects_of
from remote.session.tasks import Task
from remote.updates import Cause, Consequence
from trainer.spec import TaskId

_RECENT_S = 180.0
"""What broke longer before the failure, and was overcome, is not its cause."""
_NAMED = re.compile(r"\b(?:ps|worker):\d+")
NOT_FOUND = "cause not found"


def first_cause(
    tasks: Iterable[Task],
    failed_events: Mapping[tuple[TaskId, int], str],
    shifts: Mapping[str, float],
    scans: Mapping[TaskId, LogScan] | None = None,
) -> Cause | None:
    """The first real cause and what followed from it; None: nothing broke.

    Args:
        tasks: all tasks of the run.
        failed_events: the text of each ``failed`` event by task and attempt.
        shifts: what to add to a node's times for this computer's clock.
        scans: what the tasks' logs say.
    """
    listed = {task.task: task for task in tasks}
    suspects = [
        suspect
        for task in listed.values()
        for suspect in suspects_of(
            task, failed_events, shifts.get(task.node, 0.0), _sightings(scans, task.task)
        )
    ]
    if not suspects:
        return None
    last = max(s.at for s in suspects)
    recent = [s for s in suspects if s.at >= last - _RECENT_S] or suspects
    first = min(recent, key=lambda s: (s.secondary, s.overcome, s.at))
    if first.secondary:
        return _not_found(first, recent, listed)
    return Cause(
        found=True,
        task=first.task,
        node=first.node,
        t=first.at or None,
        kind=first.kind,
        text=f"{first.task} on {first.node}: {first.text}",
        meaning=first.meaning,
        remedy=first.remedy,
        place=first.place,
        row=first.row,
        consequences=_consequences(first, recent),
    )


def _sightings(scans: Mapping[TaskId, LogScan] | None, task: TaskId) -> Sequence[Sighting]:
    scan = scans.get(task) if scans is not None else None
    return scan.sightings() if scan is not None else ()


def _consequences(first: Suspect, suspects: Iterable[Suspect]) -> tuple[Consequence, ...]:
    """What broke because of ``first``, each task once; and where the same happened by itself."""
    found: dict[TaskId, Consequence] = {}
    for s in sorted(suspects, key=lambda s: s.at):
        if s is first or s.task == first.task:
            continue
        same = bool(s.kind) and (s.kind, s.quote) == (first.kind, first.quote)
        if s.secondary or same:
            found.setdefault(
                s.task, Consequence(task=s.task, node=s.node, text=s.text, same=same, row=s.row)
            )
    return tuple(found.values())


def _not_found(first: Suspect, suspects: Iterable[Suspect], tasks: Mapping[TaskId, Task]) -> Cause:
    """All that broke had lost somebody else, and nothing is known to have happened to that one."""
    named = _NAMED.search(first.text)
    peer = tasks.get(TaskId.parse(named[0])) if named else None
    what = f"{first.task} on {first.node}: {first.text}"
    if peer is not None and peer.unknown_since is not None:
        why = f"{peer.node}, where {peer.task} ran, does not answer"
    elif peer is not None and peer.lost:
        why = f"{peer.task} on {peer.node}: {peer.reason}"
    elif peer is not None:
        why = f"nothing on record says what happened to {peer.task} on {peer.node}"
    else:
        why = "nothing on record says which task it was"
    return Cause(
        found=False,
        task=first.task,
        node=first.node,
        t=first.at or None,
        kind="",
        text=f"{what} ({NOT_FOUND}: {why})",
        row=first.row,
        consequences=_consequences(first, suspects),
    )
