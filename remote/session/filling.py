"""What a node has of a run that has ended and is not followed any more: fetched, and counted."""

from __future__ import annotations

import threading
import time
from queue import Empty, SimpleQueue

from remote.history import History
from remote.link import ControlData, DrainedData, FileData, StateData, StreamItem
from remote.session.attaching import known_tasks
from remote.session.clock import ClockView
from remote.session.follow import Follower
from remote.session.node import Node
from remote.session.picture import RunPicture
from remote.session.recount import recount
from remote.session.tasks import ENDED
from remote.updates import Update
from trainer.spec import TaskId

LIMIT_S = 60.0
"""So long a node that is busy with much else may send nothing."""
_LOOK_S = 0.1


class Fillings:
    """The ended runs of which nodes are asked for the rest; one at a time of each node and run."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._lock = threading.Lock()
        self._open: dict[tuple[str, str], _Filling] = {}

    def put(self, node: str, item: FileData | StateData | DrainedData | ControlData) -> None:
        """Something of a run that nobody follows; from any thread."""
        with self._lock:
            filling = self._open.get((item.run_id, node))
        if filling is not None:
            filling.inbox.put(item)

    def fill(self, node: Node, run_id: str, root: str) -> bool:
        """Record what the history lacks of a run's tasks on a node, and correct its result. Blocks.

        Returns:
            Whether all is there now, so that the history has no gap any more.

        Raises:
            ClewError: the node does not answer, or the history cannot be written.
        """
        key = run_id, node.name
        filling = _Filling(self._history, node, run_id)
        with self._lock:
            other = self._open.get(key)
            if other is None:
                self._open[key] = filling
        if other is not None:
            other.done.wait(LIMIT_S)
            return other.whole
        try:
            filling.run(root)
            if filling.whole:
                self._history.gaps.remove(run_id, node.name)
            recount(self._history, run_id)
        finally:
            with self._lock:
                del self._open[key]
            filling.done.set()
        return filling.whole


class _Filling:
    def __init__(self, history: History, node: Node, run_id: str) -> None:
        tasks = [task for task in known_tasks(history, run_id) if task.node == node.name]
        self.inbox: SimpleQueue[StreamItem] = SimpleQueue()
        self.done = threading.Event()
        self._node = node
        self._run_id = run_id
        self._picture = RunPicture(run_id, tasks, 0.0)
        self.whole = False
        """All that the node has is in the history, and nothing writes there any more."""
        self._drained = False
        self._alive: set[TaskId] = set()
        self._again = True
        self._clock = ClockView(self._offset)
        self._follower = Follower(history, self._picture, self._clock, self._ask, _nobody)
        self._follower.hurry()

    def run(self, root: str) -> None:
        deadline = time.monotonic() + LIMIT_S
        link = self._node.link()
        while not self._is_over() and time.monotonic() < deadline and self._node.connected:
            if self._again:
                self._again = self._drained = False
                offsets, before = self._follower.places(self._node.name)
                link.follow(root=root, run_id=self._run_id, offsets=offsets, before=before)
            try:
                self._take(self.inbox.get(timeout=_LOOK_S))
                deadline = time.monotonic() + LIMIT_S
            except Empty:
                self._follower.flush()
        self.whole = self._is_over() and not self._alive
        link.unfollow(self._run_id)

    def _is_over(self) -> bool:
        """Whether all that was there is recorded."""
        if self._drained:
            self._follower.flush()
        return self._drained and not self._again and not self._follower.behind

    def _take(self, item: StreamItem) -> None:
        if isinstance(item, FileData):
            self._follower.take(item)
        elif isinstance(item, DrainedData):
            self._drained = True
        elif isinstance(item, StateData) and item.task in self._picture.tasks:
            now, tick = time.time(), time.monotonic()
            self._picture.shifts[self._node.name] = self._clock.shift(self._node.name)
            updates = self._picture.record(item.task, item.state, item.alive, now, tick)
            self._follower.tell(updates)
            if item.alive and self._picture.tasks[item.task].state not in ENDED:
                self._alive.add(item.task)
            else:
                self._alive.discard(item.task)

    def _ask(self) -> None:
        self._again = True

    def _offset(self, name: str) -> float | None:
        return self._node.link().clock_offset_s if self._node.connected else None


def _nobody(update: Update) -> None:
    """Nobody watches a run that has ended."""
