"""A session with somebody who watches it, for tests."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TypeVar

from remote.history import History
from remote.profile import Profile, load, override
from remote.session import ClusterSession
from remote.ssh import NoPrompter
from remote.updates import TaskUpdate, Update
from tests.support.waiting import PATIENCE_S, until
from trainer.spec import TaskId

U = TypeVar("U")


@dataclass
class Watched:
    """A session, and every update it has told, in order."""

    session: ClusterSession
    history: History
    queue: SimpleQueue[Update]
    seen: list[Update] = field(default_factory=list)

    def drain(self) -> list[Update]:
        while True:
            try:
                self.seen.append(self.queue.get_nowait())
            except Empty:
                return self.seen

    def of(self, kind: type[U]) -> list[U]:
        """All updates of one kind so far."""
        return [update for update in self.drain() if isinstance(update, kind)]

    def wait_for(self, holds: Callable[[Watched], bool], limit_s: float = PATIENCE_S) -> None:
        """Wait until ``holds``; an AssertionError tells the last updates."""
        until(lambda: holds(self), limit_s, what=lambda: self.seen[-12:], pause_s=0.02)

    def states(self, task: str) -> list[str]:
        """The states that a task went through."""
        wanted, found = TaskId.parse(task), list[str]()
        for update in self.of(TaskUpdate):
            if update.task == wanted and (not found or found[-1] != update.state):
                found.append(update.state)
        return found


@contextmanager
def watched(
    profile: Profile, data: Path, *, known_hosts: Sequence[Path] = (), ready: bool = True
) -> Iterator[Watched]:
    """A connected session whose history lies in ``data``."""
    history = History(data / "history.db")
    queue: SimpleQueue[Update] = SimpleQueue()
    session = ClusterSession(
        profile, history=history, prompter=NoPrompter(), updates=queue, known_hosts=known_hosts
    )
    try:
        session.connect()
        if ready:
            assert session.wait_ready(PATIENCE_S), session.node_updates()
        yield Watched(session, history, queue)
    finally:
        session.close()
        history.close()


def practice_profile(path: Path, **training: object) -> Profile:
    """The practice cluster's profile with other values of ``training``."""
    # Other suites on this machine may hold the default ports.
    changes = [f"ports.first={random.randrange(20_000, 30_000, 20)}"]
    changes += [f"training.{key}={value}" for key, value in training.items()]
    return override(load(path).profile, changes)


def file_of(home: Path, run_id: str, task: str, name: str = "events.jsonl") -> Path:
    """A task's file in the home of its node."""
    pattern = f".clew/runs/{run_id}/*/{task.replace(':', '-')}/{name}"
    found = list(home.glob(pattern))
    assert len(found) == 1, (home, pattern, found)
    return found[0]


def recorded(history: History, run_id: str, task: str) -> bytes:
    """A task's events as the history has them, as they stood in the file."""
    return b"".join(e.raw + b"\n" for e in history.events(run_id, TaskId.parse(task)))


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
