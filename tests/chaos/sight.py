"""What can be seen of a run on its nodes, from outside: files, records, processes.

Nothing here asks the program under test.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.chaos.nodes import ChaosNodes
from tests.support.node_processes import inner_pid

FINAL = frozenset({"finished", "failed", "stopped"})


@dataclass
class TaskFiles:
    """One task's folder on its node, and how far its events were read."""

    task: str
    node: int
    folder: Path
    read: int = 0
    step: int = 0
    phase: str = ""
    said_finished: bool = False
    lines: list[dict[str, Any]] = field(default_factory=list)

    def look(self) -> None:
        """Read the events that were written since the last look."""
        try:
            with (self.folder / "events.jsonl").open("rb") as file:
                file.seek(self.read)
                data = file.read()
        except OSError:
            return
        end = data.rfind(b"\n") + 1
        self.read += end
        for line in data[:end].splitlines():
            event = _parsed(line)
            if event is not None:
                self._take(event)

    def record(self) -> dict[str, Any]:
        """The supervisor's record; empty while there is none."""
        try:
            found = json.loads((self.folder / "state.json").read_bytes())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _take(self, event: dict[str, Any]) -> None:
        if event.get("type") == "steps":
            self.step = max([self.step, *event["steps"]])
        elif event.get("type") == "phase":
            self.phase = str(event["phase"])
        elif event.get("type") == "finished":
            self.said_finished = True


class Sight:
    """The one run that the nodes have, as its files and processes show it."""

    def __init__(self, nodes: ChaosNodes, tasks: tuple[str, ...]) -> None:
        self._nodes = nodes
        self._wanted = tasks
        self.tasks: dict[str, TaskFiles] = {}

    @property
    def launched(self) -> bool:
        """Whether every task has been started."""
        started = [t for t in self.tasks.values() if t.record().get("attempts")]
        return len(started) == len(self._wanted)

    @property
    def step(self) -> int:
        """The greatest step that any worker has written down."""
        return max((task.step for task in self.tasks.values()), default=0)

    @property
    def closing(self) -> bool:
        """Whether the chief has made its last step."""
        chief = self.tasks.get("worker:0")
        return chief is not None and chief.phase in ("evaluating", "finished")

    def is_over(self) -> bool:
        """Whether every task's record is final, or nothing of it runs any more."""
        if len(self.tasks) < len(self._wanted):
            return False
        unended = [n for n, t in self.tasks.items() if t.record().get("state") not in FINAL]
        return not any(self._of_task(name) for name in unended)

    @property
    def signs(self) -> tuple[int, ...]:
        """Something that changes with everything that a task does."""
        found = []
        for task in self.tasks.values():
            with contextlib.suppress(OSError):
                found += [task.read, os.stat(task.folder / "state.json").st_mtime_ns]
        return tuple(found)

    def look(self) -> None:
        """Find tasks and read what is new."""
        if len(self.tasks) < len(self._wanted):
            self._find()
        for task in self.tasks.values():
            task.look()

    def node_of(self, task: str) -> int | None:
        found = self.tasks.get(task)
        return None if found is None else found.node

    def task_processes(self, task: str) -> list[int]:
        """The task's own process, without its supervisor, and what it started."""
        return [
            pid
            for pid, command in self._of_task(task).items()
            if not any("remote.node" in word for word in command)
        ]

    def watchers(self, task: str) -> list[int]:
        """The task's supervisor, and the guard that would start a new one."""
        return [
            pid
            for pid, command in self._of_task(task).items()
            if any("remote.node" in word for word in command)
        ]

    def supervisor(self, task: str) -> list[int]:
        """The one of them that its record names; empty: it does not run now."""
        files = self.tasks.get(task)
        named = files.record().get("supervisor", {}).get("pid") if files else None
        return [pid for pid in self.watchers(task) if inner_pid(pid) == named]

    def agents(self, index: int) -> list[int]:
        """What a desktop has started on a node and carries no run's token."""
        programs = self._nodes.programs(index)
        return [pid for pid in programs if b"CLEW_RUN" not in environment(pid)]

    def _of_task(self, task: str) -> dict[int, tuple[str, ...]]:
        index = self.node_of(task)
        if index is None:
            return {}
        programs = self._nodes.programs(index)
        wanted = task.encode()
        return {p: c for p, c in programs.items() if environment(p).get(b"CLEW_TASK") == wanted}

    def _find(self) -> None:
        for index, node in enumerate(self._nodes.nodes):
            for state in node.home.glob(".clew/runs/*/*/*/state.json"):
                task = state.parent.name.replace("-", ":")
                if task in self._wanted and task not in self.tasks:
                    self.tasks[task] = TaskFiles(task, index, state.parent)


def environment(pid: int) -> dict[bytes, bytes]:
    """What a process was started with; empty for one that is gone."""
    try:
        data = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return {}
    pairs = (item.partition(b"=") for item in data.split(b"\0"))
    return {key: value for key, _, value in pairs}


def parent(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0
    return int(text[text.rfind(")") + 2 :].split()[1])


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line[max(0, line.rfind(b'{"v":')) :])
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
