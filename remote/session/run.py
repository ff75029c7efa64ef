"""One run on a thread of its own: open it, follow it, end it, say how it went."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Protocol

from remote.errors import Cancelled, ClewError, HistoryError
from remote.history import Gap, History
from remote.link import ControlData, FileData, KeptSamples, SampleData, StateData
from remote.session.clock import ClockView
from remote.session.control import Control
from remote.session.draining import Draining, gap_words
from remote.session.follow import Follower
from remote.session.messages import Heard, Message, NodeDown, NodeUp, StopAsked, StopDone
from remote.session.node import Node
from remote.session.picture import RunPicture
from remote.session.requests import follow, in_background
from remote.session.stopping import Stopping
from remote.session.tasks import Task
from remote.updates import (
    END_STATES,
    Leftover,
    NoticeUpdate,
    ResultUpdate,
    RunState,
    RunUpdate,
    StopDepth,
    TaskUpdate,
    Update,
)
from trainer.events import Level

TICK_S = 0.25
_POLL_S = 0.1
_BATCH = 512
_ASK_PAUSE_S = 0.5
RECORDS_TAKE_S = 5.0
"""So long after following has begun, a node has told the records that it has."""
_LOG = logging.getLogger(__name__)


class Home(Protocol):
    """What a run needs of its session."""

    @property
    def nodes(self) -> Mapping[str, Node]: ...
    @property
    def history(self) -> History: ...
    def tell(self, update: Update) -> None: ...
    def run_ended(self, run: Run) -> None: ...


Opening = Callable[["Run"], None]
"""Brings a run to where it can be followed; sets its picture. Raises ClewError."""


class Run:
    """A run of this session. Other threads only put messages and read the result.

    Args:
        home: the session.
        picture: what is known of the run now.
        opening: launch it, or find it again; runs on the run's thread.
        state: how it stands until then.
    """

    def __init__(
        self,
        home: Home,
        picture: RunPicture,
        opening: Opening,
        state: RunState = "preparing",
    ) -> None:
        self.home = home
        self.run_id = picture.run_id
        self.picture = picture
        self.state: RunState = state
        self.detail = ""
        self.result: ResultUpdate | None = None
        self.cancelled = threading.Event()
        self.let_go = threading.Event()
        """Set when the session is closed: the thread ends and leaves the run alone."""
        self.opened = threading.Event()
        self.ended = threading.Event()
        self.unwatched = False
        """It is only brought up to date: whoever controls it is not disturbed."""
        self.taken_up = False
        """It was started earlier, and goes on whatever happens to this thread."""
        self.started = False
        """Whether tasks may have been started."""
        self.failure: ClewError | None = None
        self.left: tuple[Leftover, ...] = ()
        """What an opening that failed could not take back."""
        self.gaps: list[Gap] = []
        """Where more of the run may lie, once its end is told."""
        self.clock = ClockView(self._clock_offset)
        self.control = Control(self)
        self.never_started_at: float | None = None
        """When (monotonic) tasks without a record count as never started; None: not at all."""
        self._opening = opening
        self._inbox: SimpleQueue[Message] = SimpleQueue()
        self._follower: Follower | None = None
        self._draining: Draining | None = None
        self._stopping = Stopping(self, self._tasks_in_reach)
        self._asked_at: dict[str, float] = {}
        self._ask_at: float | None = None
        self._next_tick = 0.0
        self._thread = threading.Thread(
            target=self._run, name=f"clew-run-{self.run_id}", daemon=True
        )

    @property
    def roots(self) -> dict[str, str]:
        """The storage root on each node that has tasks of the run."""
        return {task.node: task.root for task in self.picture.tasks.values()}

    def start(self) -> None:
        self._thread.start()

    def put(self, message: Message) -> None:
        """Hand something to the run's thread; from any thread, never blocks."""
        if isinstance(message, ControlData):
            self.control.told(message)
        else:
            self._inbox.put(message)

    def request_stop(self, depth: StopDepth = "now") -> None:
        self.cancelled.set()
        self._inbox.put(StopAsked(depth))

    def release(self) -> None:
        """Leave the run as it is and end the thread."""
        self.let_go.set()
        self.cancelled.set()

    def join(self, timeout_s: float) -> None:
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def set_state(self, state: RunState, detail: str = "") -> None:
        """Tell, and record, how the run stands."""
        if (state, detail) == (self.state, self.detail):
            return
        self.state, self.detail = state, detail
        self.home.tell(RunUpdate(run_id=self.run_id, state=state, detail=detail))
        try:
            self.home.history.set_state(self.run_id, state)
        except HistoryError:
            _LOG.warning("the state of run %s was not recorded", self.run_id, exc_info=True)

    def tell_tasks(self) -> None:
        """Tell the tasks that are not as they were last told."""
        for update in self.picture.changed():
            self.home.tell(update)

    def show(self, picture: RunPicture) -> None:
        """Follow the tasks of ``picture`` from now on; on the run's thread. Raises HistoryError."""
        self.picture = picture
        self._follower = Follower(
            self.home.history, picture, self.clock, self._ask_again, self._tell
        )

    def follow_node(self, name: str) -> None:
        """Ask a node for what its tasks have written since. Raises NodeError, LinkLost."""
        assert self._follower is not None
        follow(self, self._follower, name)

    def _run(self) -> None:
        try:
            self.show(self.picture)
            self._opening(self)
            self.opened.set()
            if self.result is None:
                left = self._follow()
                if not self.let_go.is_set():
                    self._finish(left)
        except Cancelled:
            when = "while it was being" if self.started else "before it was"
            self._end_early("stopped", f"stopped {when} started")
        except ClewError as error:
            self.failure = error
            self._end_early("failed", str(error))
        except Exception as error:  # whatever it is, the watcher must not wait for ever
            _LOG.exception("run %s", self.run_id)
            self._end_early("failed", f"unexpected: {type(error).__name__}: {error}")
        finally:
            self.home.run_ended(self)
            self.ended.set()

    def _follow(self) -> tuple[Leftover, ...]:
        """Until the run has ended and nothing of it is left, or the session was closed."""
        while not self.let_go.is_set():
            done = [self._take(message) for message in self._messages()]
            self._beat()
            for left in done:
                if left is not None:
                    self._drain()
                    return left
        return ()

    def _messages(self) -> list[Message]:
        found: list[Message] = []
        with suppress(Empty):
            found.append(self._inbox.get(timeout=_POLL_S))
            while len(found) < _BATCH:
                found.append(self._inbox.get_nowait())
        return found

    def _take(self, message: Message) -> tuple[Leftover, ...] | None:
        assert self._follower is not None
        now, tick = time.time(), time.monotonic()
        picture, follower = self.picture, self._follower
        if isinstance(message, FileData):
            follower.take(message)
        elif isinstance(message, StateData):
            if message.task in picture.tasks:
                node = picture.tasks[message.task].node
                picture.shifts[node] = self.clock.shift(node)
                follower.tell(picture.record(message.task, message.state, message.alive, now, tick))
        elif isinstance(message, SampleData):
            if message.sample.node in self.roots:
                follower.sample(message.sample)
        elif isinstance(message, KeptSamples):
            follower.kept(message)
        elif isinstance(message, Heard):
            follower.tell(picture.heard(message.node, message.at))
        elif isinstance(message, NodeUp):
            follower.tell(picture.heard(message.node, now))
            self.ask_node(message.node)
        elif isinstance(message, NodeDown):
            follower.tell(picture.lost(message.node, message.since))
        elif isinstance(message, StopAsked):
            self._stopping.asked(message, tick)
        elif isinstance(message, StopDone):
            return self._stopping.done(message)
        return None

    def _beat(self) -> None:
        """After each round: record and tell, and see whether the run has come to its end."""
        now = self._record()
        if self.never_started_at is not None and now >= self.never_started_at:
            self._give_up_unstarted(now)
        self._look_for_end(now)

    def _record(self) -> float:
        """Record and tell, ask for what could not be taken; the time (monotonic)."""
        assert self._follower is not None
        now = time.monotonic()
        if now >= self._next_tick:
            self._next_tick = now + TICK_S
            self._follower.tell(self.picture.tick(now))
        self._follower.flush()
        if self._ask_at is not None and now >= self._ask_at:
            self._ask_at = None
            if self._draining is not None:
                self._draining.again()
            for name in self.roots:
                self.ask_node(name)
        return now

    def _look_for_end(self, now: float) -> None:
        goes_on = not self._stopping.look(now)
        if goes_on and self.state in ("starting", "training") and self._any_training():
            self.set_state("training")

    def _drain(self) -> None:
        """The last events, lines and records of the nodes that can be heard; what is missing."""
        assert self._follower is not None
        self._draining = draining = Draining(self, self._follower)
        while not self.let_go.is_set() and not draining.over(self._record()):
            for message in self._messages():
                self._take(message)
                draining.take(message)
            if self._follower.behind:
                self.set_state(self.state, f"waits to be recorded: {self._follower.trouble}")
        self._follower.tell(self.picture.rates(math.inf))
        self._follower.flush()
        self.gaps = draining.gaps()

    def _finish(self, left: tuple[Leftover, ...]) -> None:
        ending = self._stopping.ending
        assert ending is not None
        state, reason = ending.state, ending.why
        if state == "failed":
            reason = self.picture.cause() or reason
        self.end(state, reason if state != "finished" else "", left)

    def _end_early(self, state: RunState, reason: str) -> None:
        if self.started and not self.taken_up and not self.let_go.is_set():
            self._drain()
        if self.let_go.is_set() and self.started:
            return  # its tasks go on, and whoever attaches sees how it ends
        if self.taken_up or self.opened.is_set():
            self.conclude(self.picture.result(state, reason, self.left))  # not true of its tasks
        else:
            self.end(state, reason, self.left)

    def end(self, state: RunState, reason: str, left: tuple[Leftover, ...]) -> None:
        """Tell and record the result, which is the run's last word."""
        self._give_up_starts({leftover.node for leftover in left})
        result = self.picture.result(state, reason, left)
        self._unfollow()
        self.control.release()
        try:
            self.home.history.finish(result, time.time(), self.gaps)
            if self.gaps:
                self._notice("warning", gap_words(self.gaps))
        except HistoryError as error:
            self._notice("error", f"the end of the run is not recorded: {error.what}", error.remedy)
        self.conclude(result)

    def _give_up_starts(self, busy: set[str]) -> None:
        """What was not started by now never will be; on ``busy`` nodes something may be left."""
        for task in self.picture.tasks.values():
            if not task.launched or task.node not in busy:
                task.give_up_start()
        if self._follower is None:
            self.tell_tasks()
            return
        self._follower.tell(self.picture.changed())
        self._follower.flush()

    def conclude(self, result: ResultUpdate) -> None:
        """Tell a result that is recorded already."""
        assert result.state in END_STATES
        self.state = result.state
        self.home.tell(RunUpdate(run_id=self.run_id, state=result.state, detail=result.reason))
        self.home.tell(result)
        self.result = result

    def _notice(self, level: Level, text: str, remedy: str = "") -> None:
        self.home.tell(NoticeUpdate(level=level, text=text, remedy=remedy, run_id=self.run_id))

    def _unfollow(self) -> None:
        """Those with a gap are asked for more at once, if they can be."""
        for name in set(self.roots) - {gap.node for gap in self.gaps}:
            node = self.home.nodes.get(name)
            if node is not None and node.connected:
                in_background(self.run_id, partial(self._unfollow_node, node))

    def _unfollow_node(self, node: Node) -> None:
        node.link().unfollow(self.run_id)

    def _give_up_unstarted(self, now: float) -> None:
        """A node that was asked a while ago, and has no record of a task, never had it."""
        for task in self._tasks_in_reach():
            asked = self._asked_at.get(task.node, now)
            if not task.launched and now - asked >= RECORDS_TAKE_S:
                task.never_started()

    def _tasks_in_reach(self) -> list[Task]:
        nodes = self.home.nodes
        tasks = self.picture.tasks.values()
        return [t for t in tasks if t.node in nodes and nodes[t.node].connected]

    def _any_training(self) -> bool:
        tasks = self.picture.tasks.values()
        return any(task.launched and task.state == "training" for task in tasks)

    @property
    def asks_again(self) -> bool:
        """Whether something could not be taken, and will be asked for in a moment."""
        return self._ask_at is not None

    def _ask_again(self) -> None:
        if self._ask_at is None:
            self._ask_at = time.monotonic() + _ASK_PAUSE_S

    def ask_node(self, name: str) -> None:
        """Follow, in the background, what the tasks on a node write; if it is connected."""
        if name in self.roots and name in self.home.nodes and self.home.nodes[name].connected:
            self._asked_at[name] = time.monotonic()
            in_background(self.run_id, lambda: self.follow_node(name))

    def _tell(self, update: Update) -> None:
        if not (isinstance(update, TaskUpdate) and self.let_go.is_set()):
            self.home.tell(update)

    def _clock_offset(self, name: str) -> float | None:
        node = self.home.nodes.get(name)
        if node is None or not node.connected:
            return None
        try:
            return node.link().clock_offset_s
        except ClewError:
            return None
