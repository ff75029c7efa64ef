"""Taking up a run that was started earlier: here, elsewhere, or by a process that was killed."""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping

from remote.errors import ClewError, NodeError
from remote.history import History, RunRecord, StoredEvent, by_time
from remote.link import TaskOnNode
from remote.session.found import FoundRun, collect
from remote.session.node import Node
from remote.session.parallel import on_all
from remote.session.picture import RunPicture
from remote.session.run import Run
from remote.session.tasks import Task
from remote.updates import NoticeUpdate, Update
from trainer.spec import TaskId

SETTLE_S = 60.0
"""How long to wait for nodes that are still connecting."""
_BUSY = frozenset({"disconnected", "connecting", "checking"})
_POLL_S = 0.1
LAUNCH_MAY_TAKE_S = 180.0
"""So long after its start, a run may still have tasks that somebody is about to start."""


class Attachment:
    """The opening of a run that is known to the history or to its nodes.

    Args:
        adopt: takes a run that only its nodes know into the history.
    """

    def __init__(self, adopt: Callable[[FoundRun], None]) -> None:
        self._adopt = adopt

    def __call__(self, run: Run) -> None:
        """Tell what is recorded, then follow on all nodes that are there. Raises ClewError."""
        run.taken_up = True
        history = run.home.history
        record = history.run(run.run_id)
        if record is None:
            record = self._find(run)
        for update in past(history, run.picture):
            run.home.tell(update)
        if record.result is not None:
            run.conclude(record.result)
            return
        # What the history knows is not taken back while the nodes are asked.
        trained = run.state == "training" or run.picture.totals.global_step > 0
        run.set_state("training" if trained else "starting", "looking for the run on its nodes")
        run.started = True
        wait_s = record.started_at + LAUNCH_MAY_TAKE_S - time.time()
        run.never_started_at = time.monotonic() + min(max(0.0, wait_s), LAUNCH_MAY_TAKE_S)
        for name in run.roots:
            node = run.home.nodes.get(name)
            if node is None:
                what = f"run {run.run_id} has tasks on {name}, which is not in this profile"
                raise ClewError(what, remedy="Attach with the profile that it was started with.")
            if node.connected:
                run.ask_node(name)

    def _find(self, run: Run) -> RunRecord:
        """Look for the run on the nodes, and make it known to the history."""
        deadline = time.monotonic() + SETTLE_S
        while any(node.update.state in _BUSY for node in run.home.nodes.values()):
            if run.let_go.wait(_POLL_S) or time.monotonic() > deadline:
                break
        found = next((f for f in find_on_nodes(run.home.nodes) if f.run_id == run.run_id), None)
        if found is None:
            raise NodeError(
                f"no connected node has a run {run.run_id} on record",
                remedy="Check that all its nodes are connected, or list the runs: clew runs",
            )
        self._adopt(found)
        tasks = known_tasks(run.home.history, run.run_id)
        run.show(RunPicture(run.run_id, tasks, found.started_at))
        record = run.home.history.run(run.run_id)
        assert record is not None
        return record


def known_tasks(history: History, run_id: str) -> list[Task]:
    """The run's tasks as the history has them; empty: it does not have the run."""
    return [
        Task(
            task=r.task,
            node=r.node,
            root=r.root,
            address=r.address,
            gpus=r.gpus,
            recorded=r.state,
            recorded_attempt=r.attempt,
        )
        for r in history.tasks(run_id)
    ]


def find_on_nodes(nodes: Mapping[str, Node]) -> list[FoundRun]:
    """Ask the connected nodes for their runs; those that do not answer are left out."""
    roots = {
        name: node.facts.root
        for name, node in nodes.items()
        if node.connected and node.facts is not None
    }

    def ask(name: str) -> list[TaskOnNode]:
        node = nodes[name]
        return node.link().runs(root=roots[name], wanted=node.wanted_root)

    outcome = on_all(roots, ask)
    offsets = {name: nodes[name].facts for name in roots}
    shifts = {name: -facts.clock_offset_s for name, facts in offsets.items() if facts is not None}
    return collect(outcome.succeeded, roots, shifts)


def past(history: History, picture: RunPicture) -> Iterator[Update]:
    """All recorded events of a run as updates, in order of time; ``picture`` is filled by it.

    Alerts and notices of the past are left out. Rates come as they were.
    """
    tasks = list(picture.tasks)
    streams = [_labelled(history, picture.run_id, task) for task in tasks]
    for at, _, task, stored in heapq.merge(*streams, key=lambda item: item[0]):
        yield from _without_notices(picture.event(task, stored, at))
        yield from _without_notices(picture.rates(at))
    yield from picture.rates(math.inf)
    for task in tasks:
        start, data = history.log_bytes(picture.run_id, task)
        times = history.log_times(picture.run_id, task) if data else ()
        for offset, piece, read_at in by_time(start, data, times):
            yield from picture.log(task, offset, piece, reset=False, read_at=read_at)
    yield from history.samples(picture.run_id)
    for mark in history.marks(picture.run_id):
        if mark.kind in ("restart", "failure"):
            yield mark


def _labelled(
    history: History, run_id: str, task: TaskId
) -> Iterator[tuple[float, int, TaskId, StoredEvent]]:
    for number, stored in enumerate(history.events(run_id, task)):
        yield stored.t, number, task, stored


def _without_notices(updates: Iterable[Update]) -> Iterator[Update]:
    return (u for u in updates if not isinstance(u, NoticeUpdate))
