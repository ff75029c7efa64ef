"""How a run comes to its end: by itself, or because it is stopped, and how deep. On its thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Protocol

from remote.history import History
from remote.session.ending import Ending
from remote.session.lending import Lender
from remote.session.messages import Message, StopAsked, StopDone
from remote.session.node import Node
from remote.session.picture import RunPicture
from remote.session.shutdown import GRACE_OF, place_orders, stop_everywhere
from remote.session.tasks import Task
from remote.updates import DEPTHS, Leftover, RunState, StopDepth
from trainer.spec import CHIEF

_HEAR_FIRST_S = 3.0
_SAY_EVERY_S = 1.0
_NAMED = 3
"""Of the tasks that are waited for, so many are named."""


class _Home(Protocol):
    @property
    def nodes(self) -> Mapping[str, Node]: ...
    @property
    def history(self) -> History: ...


class _Run(Protocol):
    """What is needed of the run."""

    run_id: str
    picture: RunPicture
    lender: Lender

    @property
    def home(self) -> _Home: ...
    @property
    def roots(self) -> dict[str, str]: ...
    def put(self, message: Message) -> None: ...
    def set_state(self, state: RunState, detail: str = "") -> None: ...


class Stopping:
    """Decides when a run is over, has it ended on its nodes, and says how far that is.

    Args:
        run: the run.
        reached: the tasks whose nodes are connected.
    """

    def __init__(self, run: _Run, reached: Callable[[], list[Task]]) -> None:
        self._run = run
        self._reached = reached
        self.ending: Ending | None = None
        self._by: float | None = None
        """A stop is wanted; until then (monotonic) what the nodes have to say comes first."""
        self._wanted: StopDepth = "now"
        self._begun: StopDepth | None = None
        """How deep the nodes were last told to stop."""
        self._rounds = 0
        self._kill_at = 0.0
        self._say_at = 0.0

    def asked(self, message: StopAsked, now: float) -> None:
        """The user wants a stop, or a deeper one than before."""
        first = self._by is None
        self._by = self._by or now + _HEAR_FIRST_S
        if first or DEPTHS.index(message.depth) > DEPTHS.index(self._wanted):
            self._wanted = message.depth

    def done(self, message: StopDone) -> tuple[Leftover, ...] | None:
        """What is left, once the last that the nodes were told has been done."""
        return message.left if message.round == self._rounds else None

    def look(self, now: float) -> bool:
        """After each round of the run; False while it simply goes on."""
        if self.ending is None:
            self.ending = self._shown(now)
            if self._by is not None:
                self._take(now)
            if self.ending is None:
                return False
            if self.ending.state != "finished":
                self._run.set_state("stopping", self.ending.why)
        elif self._by is not None:
            self.ending.hurry(now)
        deeper = self._begun is not None and self._by is not None and self._is_deeper()
        if deeper or self.ending.is_due(self._run.picture, now):
            self._begin(now)
        if self._begun is not None and now >= self._say_at:
            self._say_at = now + _SAY_EVERY_S
            self._say(now)
        return True

    def _shown(self, now: float) -> Ending | None:
        """The end that the tasks show, if it is the run's."""
        found = Ending.of(self._run.picture, now)
        wanted = found is None or found.state == "finished" or self._by is not None
        return found if wanted or not self._run.lender.holds() else None

    def _take(self, now: float) -> None:
        """Begin to stop, once it is known that the run has not ended by itself."""
        assert self._by is not None
        heard = all(task.launched for task in self._reached())
        if self.ending is None and (heard or now >= self._by):
            self.ending = Ending("stopped", "stopped by the user", now)
        if self.ending is not None:
            self.ending.hurry(now)

    def _is_deeper(self) -> bool:
        assert self._begun is not None
        return DEPTHS.index(self._wanted) > DEPTHS.index(self._begun)

    def _depth(self) -> StopDepth:
        """What the user wants; nobody waits for a checkpoint that no chief will write."""
        if self._by is None:
            return "now"
        chief = self._run.picture.tasks.get(CHIEF)
        saves = chief is not None and not chief.ended and chief in self._reached()
        return self._wanted if saves or self._wanted != "checkpoint" else "now"

    def _begin(self, now: float) -> None:
        assert self.ending is not None
        run, depth = self._run, self._depth()
        self.ending.begun, self._begun = True, depth
        self._rounds += 1
        number, self._kill_at = self._rounds, now + GRACE_OF[depth]
        self._say_at = 0.0
        by = "the user" if self._by is not None else ""
        roots = run.lender.living(run.roots)
        # What is told next must be true even if this program is killed in the next moment.
        place_orders(run.home.nodes, roots, run.run_id, run.home.history, depth)

        def work() -> None:
            left = stop_everywhere(
                run.home.nodes, roots, run.run_id, run.home.history, depth, by=by
            )
            if number == self._rounds:
                left = run.lender.give_back(left, asked=bool(by))
            run.put(StopDone(tuple(left), number))

        threading.Thread(target=work, name=f"clew-stop-{run.run_id}", daemon=True).start()

    def _say(self, now: float) -> None:
        """Who is waited for, and how long still."""
        assert self.ending is not None
        if self.ending.state == "finished":
            return
        open_tasks = [t for t in self._run.picture.tasks.values() if t.launched and not t.ended]
        silent = {t.node for t in open_tasks} - {t.node for t in self._reached()}
        words = [self.ending.why] if self.ending.why else []
        awaited = [f"{t.task} on {t.node}" for t in open_tasks if t.node not in silent]
        if awaited:
            rest = f" and {len(awaited) - _NAMED} more" if len(awaited) > _NAMED else ""
            left_s = max(0, round(self._kill_at - now))
            until = f", killed in {left_s} s at the latest" if left_s else ", being killed"
            saving = " to save" if self._begun == "checkpoint" else " to end"
            words.append(f"waiting for {', '.join(awaited[:_NAMED])}{rest}{saving}{until}")
        words += [f"stops when {node} is heard again" for node in sorted(silent)]
        self._run.set_state("stopping", "; ".join(words))
