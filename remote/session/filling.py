"""What a node that was away at the end of a run has of it: fetched once it is back."""

from __future__ import annotations

import threading
import time
from queue import Empty, SimpleQueue

from remote.history import History
from remote.link import ControlData, FileData, StateData, StreamItem
from remote.session.attaching import known_tasks
from remote.session.clock import ClockView
from remote.session.follow import Follower
from remote.session.node import Node
from remote.session.picture import RunPicture
from remote.session.tasks import ENDED
from remote.updates import Update

LIMIT_S = 60.0
"""For the last bytes of a node that is busy with much else."""
_LOOK_S = 0.1


class Fillings:
    """The ended runs of which nodes are asked for the rest; one at a time of each node and run."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._lock = threading.Lock()
        self._open: dict[tuple[str, str], _Filling] = {}

    def put(self, node: str, item: FileData | StateData | ControlData) -> None:
        """Something of a run that nobody follows; from any thread."""
        with self._lock:
            filling = self._open.get((item.run_id, node))
        if filling is not None:
            filling.inbox.put(item)

    def fill(self, node: Node, run_id: str, root: str) -> None:
        """Record what the history lacks of a run's tasks on a node. Blocks. Raises ClewError."""
        key = run_id, node.name
        filling = _Filling(self._history, node, run_id)
        with self._lock:
            other = self._open.get(key)
            if other is None:
                self._open[key] = filling
        if other is not None:
            other.done.wait(LIMIT_S)
            return
        try:
            filling.run(root)
        finally:
            with self._lock:
                del self._open[key]
            filling.done.set()


class _Filling:
    def __init__(self, history: History, node: Node, run_id: str) -> None:
        tasks = [task for task in known_tasks(history, run_id) if task.node == node.name]
        self.inbox: SimpleQueue[StreamItem] = SimpleQueue()
        self.done = threading.Event()
        self._node = node
        self._run_id = run_id
        self._picture = RunPicture(run_id, tasks, 0.0)
        self._open = set(self._picture.tasks)
        self._again = False
        self._clock = ClockView(self._offset)
        self._follower = Follower(history, self._picture, self._clock, self._ask, _nobody)

    def run(self, root: str) -> None:
        deadline = time.monotonic() + LIMIT_S
        link = self._node.link()
        self._again = True
        while self._open and time.monotonic() < deadline and self._node.connected:
            if self._again:
                self._again = False
                offsets, before = self._follower.places(self._node.name)
                link.follow(root=root, run_id=self._run_id, offsets=offsets, before=before)
            try:
                self._take(self.inbox.get(timeout=_LOOK_S))
            except Empty:
                self._follower.flush()
        self._follower.flush()
        link.unfollow(self._run_id)

    def _take(self, item: StreamItem) -> None:
        if isinstance(item, FileData):
            self._follower.take(item)
        elif isinstance(item, StateData) and item.task in self._picture.tasks:
            now, tick = time.time(), time.monotonic()
            self._picture.shifts[self._node.name] = self._clock.shift(self._node.name)
            updates = self._picture.record(item.task, item.state, item.alive, now, tick)
            self._follower.tell(updates)
            if self._picture.tasks[item.task].state in ENDED:
                self._open.discard(item.task)  # what ends a task comes after all of its bytes

    def _ask(self) -> None:
        self._again = True

    def _offset(self, name: str) -> float | None:
        return self._node.link().clock_offset_s if self._node.connected else None


def _nobody(update: Update) -> None:
    """Nobody watches a run that has ended."""
