"""A node on this machine: an account's folder, and agents started through its shell."""

from __future__ import annotations

import dataclasses
import os
import secrets
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from remote.bundle import app_tree
from remote.errors import ClewError
from remote.link import COMMAND, AgentLink, FileData, SampleData, StateData, StreamItem, TaskLaunch
from remote.node import cgroups, procs, record
from tests.support.local_channel import LocalChannel
from tests.support.waiting import PATIENCE_S
from tests.support.waiting import until as until
from trainer.spec import ClusterSpec, TaskId, TaskSpec, TrainingSpec

PYTHONS = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
"""Where other versions of Python are, if this machine has some."""
BASE_PATH = "/usr/local/bin:/usr/bin:/bin"


class Connected:
    """A link and everything that it brought."""

    def __init__(self) -> None:
        self.link: AgentLink
        self.channel: LocalChannel
        self.items: list[StreamItem] = []
        self.arrived: list[float] = []
        self.ends: list[ClewError | None] = []
        self.closed = threading.Event()
        self.pause_s = 0.0
        """How long the desktop is busy with each item."""

    def on_stream(self, item: StreamItem) -> None:
        self.arrived.append(time.time())
        self.items.append(item)
        time.sleep(self.pause_s)

    def on_closed(self, error: ClewError | None) -> None:
        self.ends.append(error)
        self.closed.set()

    def bytes_of(self, task: str, file: str, start: int = 0) -> bytes:
        """What a reader of the stream knows of a file that it began at ``start``."""
        data, end = b"", start
        for item in list(self.items):
            if isinstance(item, FileData) and str(item.task) == task and item.file == file:
                if item.reset:
                    data, end = b"", item.offset
                assert item.offset == end, "bytes are missing or doubled"
                data, end = data + item.data, end + len(item.data)
        return data

    def states(self, task: str = "worker:0") -> list[StateData]:
        found = [item for item in list(self.items) if isinstance(item, StateData)]
        return [item for item in found if str(item.task) == task]

    def samples(self) -> list[SampleData]:
        return [item for item in list(self.items) if isinstance(item, SampleData)]


class LocalNode:
    """A node with a home of its own; ``close`` ends everything that was started."""

    def __init__(self, folder: Path, name: str = "", shell: Sequence[str] = ("/bin/sh",)):
        self.home = folder / "o'home \"ü"
        self.home.mkdir(parents=True)
        # Whoever runs the same tests beside these must not end our processes, nor we theirs.
        self.name = name or f"gpu 01/ü {secrets.token_hex(4)}"
        self.shell = list(shell)
        self.tools = folder / "tools"
        self.tools.mkdir()
        self.env = {
            "HOME": str(self.home),
            "PATH": f"{self.tools}:{BASE_PATH}",
            "LANG": "C.UTF-8",
            "USER": "ana",
        }
        self.root = str(self.home / ".clew")
        self.connected: list[Connected] = []
        self.run_ids: set[str] = set()

    def channel(self, command: str = COMMAND) -> LocalChannel:
        return LocalChannel(self.shell, command, self.env, str(self.home))

    def connect(self, timeout_s: float = PATIENCE_S, python: str | None = None) -> Connected:
        """Start an agent on this node."""
        found = Connected()
        found.channel = self.channel()
        self.connected.append(found)
        found.link = AgentLink.start(
            found.channel,
            node=self.name,
            python=python,
            on_stream=found.on_stream,
            on_closed=found.on_closed,
            timeout_s=timeout_s,
        )
        return found

    def deploy(self, link: AgentLink) -> None:
        link.put_tree(APP, root=self.root, progress=lambda d, t: None, cancelled=lambda: False)

    def launch(self, program: str, *, run_id: str = "r-1", task: str = "worker:0") -> TaskLaunch:
        """A task that runs a small Python program in place of the trainer."""
        self.run_ids.add(run_id)
        script = self.home / f"{task} program.py"
        script.write_text(program, encoding="utf-8")
        spec = TaskSpec(
            run_id=run_id,
            task=TaskId.parse(task),
            cluster=ClusterSpec(ps=("127.0.0.1:2220",), worker=("127.0.0.1:2221",)),
            training=TrainingSpec(),
            data_dir=None,
            checkpoint_dir="/nowhere",
        )
        return TaskLaunch(
            root=self.root,
            app=APP.id,
            spec=spec,
            python=sys.executable,
            arguments=(str(script),),
            restart_max=0,
            backoff_s=0.1,
            grace_s=3.0,
        )

    def task_dir(self, run_id: str = "r-1", task: str = "worker-0") -> Path:
        folder = Path(self.root, "runs", run_id)
        entries = (entry for entry in folder.iterdir() if entry.is_dir())
        (own,) = (entry for entry in entries if entry.name != "checkpoints")
        return own / task

    def processes(self, run_id: str = "r-1") -> list[int]:
        return procs.marked(run_id, self.name)

    def close(self) -> None:
        for found in self.connected:
            if hasattr(found, "link"):
                found.link.close()
            found.channel.close()
            found.channel.wait()
        for run_id in self.run_ids:
            until(lambda run_id=run_id: not self._kill(run_id))  # type: ignore[misc]
        for state in Path(self.root).glob("runs/*/*/*/state.json"):
            cgroups.remove_recorded(record.load(str(state.parent)) or {"attempts": []})

    def _kill(self, run_id: str) -> list[int]:
        left = self.processes(run_id)
        for pid in left:
            os.kill(pid, 9)
        return left


APP = app_tree()


def with_restarts(launch: TaskLaunch, most: int) -> TaskLaunch:
    """The same task, started again up to ``most`` times."""
    return dataclasses.replace(launch, restart_max=most)
