"""Nodes that are played: files in memory, and a link that sends them to a run or a filling.

Only for what real nodes cannot be made to do at the very moment that a test is about.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from remote.errors import LinkLost
from remote.history import History, RunRecord, TaskRecord
from remote.link import ControlData, Desk, DrainedData, FileData, StateData, StreamItem
from remote.session.picture import RunPicture
from remote.session.run import Opening, Run
from remote.session.tasks import Task
from remote.updates import Leftover, Update
from trainer.events import Event, Steps, encode
from trainer.spec import TaskId

RUN, ROOT = "20261130-1502-k3f9", "/home/ana's ü/.clew"


def lines(first: int, last: int) -> bytes:
    """Events ``first`` to ``last`` of a worker; each is a step of 64 examples."""
    data = b""
    for n in range(first, last + 1):
        body = Steps(steps=(n,), losses=(1 / (n + 1),), times=(n / 10,), examples=64, window_s=0.1)
        data += encode(Event(t=n / 10, seq=n, attempt=1, body=body))
    return data


@dataclass
class PlayedNode:
    """One node with one task. Change its fields; it sends them when it is asked to."""

    name: str
    task: TaskId
    give: Callable[[str, StreamItem], None]
    """Gets what the node sends, with the node's name."""
    connected: bool = True
    events: bytes = b""
    log: bytes = b""
    state: str = "stopped"
    alive: bool = False
    keeps_back: int = 0
    """So many times it says nothing though it is asked, as if the answer was lost."""
    asked: list[int] = field(default_factory=list)
    """From which byte of its events it was asked to send them, each time."""
    let_go: int = 0
    """How often it was told to send no more."""
    stopped: int = 0
    """How often it was told to stop the run."""
    clock_offset_s: float = 0.0
    facts: Any = None

    @property
    def place(self) -> str:
        return f"ana@{self.name}:22"

    def link(self) -> PlayedNode:
        if not self.connected:
            raise LinkLost("the connection broke", node=self.name)
        return self

    def follow(
        self,
        *,
        root: str,
        run_id: str,
        offsets: Mapping[tuple[str, str], int],
        before: Mapping[tuple[str, str], bytes] | None = None,
    ) -> None:
        assert root == ROOT
        at = offsets[str(self.task), "events"]
        self.asked.append(at)
        if self.keeps_back:
            self.keeps_back -= 1
            return
        if self.events[at:]:
            self._file(run_id, "events", at, self.events[at:])
        at = offsets[str(self.task), "log"]
        if self.log[at:]:
            self._file(run_id, "log", at, self.log[at:])
        record = {"state": self.state, "reason": "", "attempts": [{"attempt": 1}]}
        state = StateData(run_id=run_id, task=self.task, state=record, alive=self.alive)
        self.give(self.name, state)
        self.give(self.name, DrainedData(run_id=run_id, node=self.name))

    def stop_run(self, **asked: object) -> list[Leftover]:
        self.link()
        self.stopped += 1
        return []

    def unfollow(self, run_id: str) -> None:
        self.let_go += 1

    def kept_samples(self, **asked: object) -> list[Any]:
        return []

    def control(self, *, root: str, run_id: str, desk: Desk, take: bool) -> ControlData:
        return ControlData(run_id=run_id, desk=desk.id, name=desk.name)

    def release_control(self, run_id: str) -> None:
        """Nobody else wants it."""

    def refresh(self) -> None:
        """Nothing was taken, nothing is free again."""

    def _file(self, run_id: str, file: Any, offset: int, data: bytes) -> None:
        piece = FileData(
            run_id=run_id, task=self.task, file=file, offset=offset, data=data, reset=False
        )
        self.give(self.name, piece)


class PlayedHome:
    """What a run needs of its session; ``told`` are its updates."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.nodes: Any = {}
        self.told: list[Update] = []
        self.run: Run | None = None
        self.ended = threading.Event()

    def add(self, name: str, task: TaskId) -> PlayedNode:
        node = PlayedNode(name, task, self.give)
        self.nodes[name] = node
        return node

    def give(self, name: str, item: StreamItem) -> None:
        """To the run, if there is one."""
        if self.run is not None:
            self.run.put(item)

    def tell(self, update: Update) -> None:
        self.told.append(update)

    def run_ended(self, run: Run) -> None:
        self.ended.set()

    def follows(self, run_id: str) -> bool:
        return self.run is not None and not self.ended.is_set()

    def begin(self, opening: Opening) -> Run:
        """A run with a task on each node, recorded and started."""
        add_run(self.history, {node.task: node.name for node in self.nodes.values()})
        tasks = [Task(task=n.task, node=n.name, root=ROOT) for n in self.nodes.values()]
        self.run = Run(self, RunPicture(RUN, tasks, 0.0), opening)
        self.run.start()
        return self.run


def add_run(history: History, tasks: Mapping[TaskId, str]) -> None:
    """Record the run with its tasks, each on the node that is named."""
    records = [TaskRecord(task=task, node=node, root=ROOT) for task, node in tasks.items()]
    history.add_run(RunRecord(run_id=RUN, name="lab", started_at=0.0), records)
