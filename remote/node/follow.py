"""Sends what tasks append to their files, from the offsets that the desktop asks for.

One thread looks at every followed file by ``stat`` a few times a second, which costs next to
nothing and also works on network file systems, where change notices do not.
"""

import os
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Tuple

from remote.node import layout, record, storage, wire
from remote.node.tail import Tail

if TYPE_CHECKING:
    from remote.node.agent import Agent

_BUSY_S, _IDLE_S = 0.04, 0.1
"""Pause between two looks while bytes arrive, and while nothing has for a while."""
_BUSY_FOR_S = 5.0
_LIVENESS_S = 1.0
_SPACE_S = 5.0
_FULL_BYTES = 64 * 1024
Send = Callable[[wire.Message, bytes], None]


def follow(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> None:
    """Follow a run's tasks on this node; replaces an earlier request for the same run."""
    paths = layout.Layout(args["root"], agent.node)
    places = {
        (task, file): (int(offset), bytes.fromhex(before))
        for task, file, offset, before in args["offsets"]
    }
    _follower(agent).add(_Run(paths, args["run_id"], number, places, agent.send))


def unfollow(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> None:
    """Send nothing more of a run."""
    _follower(agent).remove(args["run_id"])


def _follower(agent: "Agent") -> "Follower":
    made: Follower = agent.service("follower", lambda: Follower(agent.background))
    agent.took = made.took
    return made


class Follower:
    """Looks after every followed run, in one thread."""

    def __init__(self, background: Callable[[Callable[[], None]], None]) -> None:
        self._background = background
        self._lock = threading.Lock()
        self._runs: Dict[str, _Run] = {}
        self._started = False
        self._wake = threading.Event()

    def add(self, run: "_Run") -> None:
        with self._lock:
            old = self._runs.pop(run.run_id, None)
            self._runs[run.run_id] = run
            if not self._started:
                self._started = True
                self._background(self._loop)
        if old is not None:
            old.close()
        self._wake.set()

    def remove(self, run_id: str) -> None:
        with self._lock:
            old = self._runs.pop(run_id, None)
        if old is not None:
            old.close()

    def took(self, message: wire.Message) -> None:
        """The desktop has taken bytes, so that more may be sent."""
        with self._lock:
            runs = list(self._runs.values())
        for run in runs:
            if run.number == message["took"]:
                run.took(message["task"], message["file"], message["offset"])
                self._wake.set()

    def _loop(self) -> None:
        last_change = time.monotonic()
        while True:
            with self._lock:
                runs = list(self._runs.values())
            # Every run is looked at, whatever the first has found.
            if max([run.look() for run in runs], default=False):
                last_change = time.monotonic()
            busy = time.monotonic() - last_change < _BUSY_FOR_S
            self._wake.wait((_BUSY_S if busy else _IDLE_S) if runs else None)
            self._wake.clear()


class _Run:
    """The tasks of one followed run; new ones are found as they appear."""

    def __init__(
        self,
        paths: layout.Layout,
        run_id: str,
        number: int,
        places: Dict[Tuple[str, str], Tuple[int, bytes]],
        send: Send,
    ) -> None:
        self.run_id = run_id
        self.number = number
        self._paths = paths
        self._places = places
        self._send = send
        self._tasks: Dict[str, _Task] = {}
        self._next_search = self._next_space = 0.0
        self._said_full = self._said_all = False
        # Held while the run is looked at, so that nothing is sent once it has been closed.
        self._lock = threading.Lock()
        self._closed = False

    def look(self) -> bool:
        """Send what is new; True: there was something."""
        with self._lock:
            if self._closed:
                return False
            now = time.monotonic()
            if now >= self._next_search:
                self._next_search = now + _LIVENESS_S / 2
                self._search()
            if now >= self._next_space:
                self._next_space = now + _SPACE_S
                self._look_at_space()
            changed = max([task.look(now) for task in self._tasks.values()], default=False)
            self._say_when_all_is_sent()
            return changed

    def _say_when_all_is_sent(self) -> None:
        """Say once that all that was there has been sent: whoever waits for the rest has it."""
        if self._said_all or not all(task.is_drained() for task in self._tasks.values()):
            return
        self._said_all = True
        self.send({"drained": self.number})

    def took(self, task: str, file: str, offset: int) -> None:
        known = self._tasks.get(task)
        if known is not None:
            known.took(file, offset)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for task in self._tasks.values():
                task.close()

    def _search(self) -> None:
        for name in self._paths.task_names(self.run_id):
            if name not in self._tasks:
                self._tasks[name] = _Task(self, name, self._paths.task(self.run_id, name))

    def _look_at_space(self) -> None:
        """Say once that the disk is full: from then on, metrics and logs are lost."""
        if not self._tasks:
            return
        free = storage.free_bytes(self._paths.root)
        if free < _FULL_BYTES and not self._said_full:
            text = "the disk of %s is full: metrics and logs may be lost" % self._paths.root
            self._send({"note": text, "level": "warning"}, b"")
        self._said_full = free < _FULL_BYTES

    def place(self, task: str, file: str) -> Tuple[int, bytes]:
        """Where the desktop goes on, and what stood just before."""
        return self._places.get((task, file), (0, b""))

    def send(self, message: wire.Message, payload: bytes = b"") -> None:
        self._send(dict(message, run=self.run_id), payload)


class _Task:
    """The files and the record of one followed task."""

    def __init__(self, run: _Run, name: str, folder: str) -> None:
        self._run = run
        self._name = name
        self._folder = folder
        self._tails = {
            file: Tail(os.path.join(folder, path), *run.place(name, file))
            for file, path in sorted(layout.STREAMS.items())
        }
        self._state_path = os.path.join(folder, layout.STATE)
        self._stamp: Optional[Tuple[int, int, int]] = None
        self._known: Optional[record.Record] = None
        self._alive = False
        self._pending = False
        self._next_liveness = 0.0

    def look(self, now: float) -> bool:
        """Send new bytes, then a changed record; a record that ends the task waits for them."""
        changed = self._look_at_state(now)
        for file, tail in self._tails.items():
            for offset, reset, data in tail.pieces():
                head = {"data": self._run.number, "task": self._name, "file": file}
                self._run.send(dict(head, offset=offset, reset=reset), data)
                changed = True
        if self._pending and self._may_send_state():
            self._pending = False
            head = {"state": self._run.number, "task": self._name, "record": self._known}
            self._run.send(dict(head, alive=self._alive))
        return changed

    def took(self, file: str, offset: int) -> None:
        if file in self._tails:
            self._tails[file].took(offset)

    def close(self) -> None:
        for tail in self._tails.values():
            tail.close()

    def is_drained(self) -> bool:
        """Whether its files and its record have been sent as far as they go now."""
        return not self._pending and all(tail.is_drained() for tail in self._tails.values())

    def _look_at_state(self, now: float) -> bool:
        try:
            found = os.stat(self._state_path)
        except OSError:
            return False
        stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
        if stamp == self._stamp and now < self._next_liveness:
            return False
        self._next_liveness = now + _LIVENESS_S
        seen = record.observe(self._folder)
        if seen is None:
            return False
        if seen.record != self._known or seen.alive != self._alive:
            self._known, self._alive, self._pending = seen.record, seen.alive, True
        self._stamp = stamp
        return self._pending

    def _may_send_state(self) -> bool:
        assert self._known is not None
        if self._alive and self._known["state"] not in record.FINAL:
            return True
        return all(tail.is_drained() for tail in self._tails.values())
