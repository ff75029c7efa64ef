"""Carries out a plan's acts, takes them back in time, and keeps a journal of both."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from tests.chaos.desktop import Desktop
from tests.chaos.nodes import ChaosNodes
from tests.chaos.plan import DESKTOP, UNTIL_OVER, Act
from tests.chaos.sight import Sight

AWAY_LIMIT_S = 120.0
"""A desktop that waits for the end of the run comes back after so long in any case."""
_LOOK_S = 1.0


@dataclass
class Done:
    """One act that was carried out."""

    act: Act
    node: int | None
    at: float
    back: Callable[[], None] | None = None
    back_at: float = 0.0


class Faults:
    """The acts of one plan. ``tick`` it often; ``undo_all`` at the end."""

    def __init__(
        self, acts: tuple[Act, ...], nodes: ChaosNodes, sight: Sight, desktop: Desktop
    ) -> None:
        self._waiting = list(acts)
        self._nodes = nodes
        self._sight = sight
        self._desktop = desktop
        self._began = time.monotonic()
        self.done: list[Done] = []
        self.journal: list[str] = []
        self.stopped = False
        """Whether the user has stopped the run."""

    @property
    def pending(self) -> bool:
        """Whether anything is still to be taken back."""
        return any(done.back is not None for done in self.done)

    def tick(self) -> None:
        """Do what is due."""
        for act in [act for act in self._waiting if self._is_due(act)]:
            self._waiting.remove(act)
            self._carry_out(act)
        now = time.monotonic()
        for done in self.done:
            if done.back is not None and self._is_over(done, now):
                self._take_back(done)

    @property
    def desktop_was_full(self) -> bool:
        """Whether the desktop's disk has been full at any time."""
        return any(d.act.kind == "fill disk" and d.act.target == DESKTOP for d in self.done)

    def undo_all(self) -> None:
        for done in self.done:
            if done.back is not None:
                self._take_back(done)

    def note(self, text: str) -> None:
        self.journal.append(f"{time.monotonic() - self._began:7.2f} s  {text}")

    def _is_due(self, act: Act) -> bool:
        if act.when.at == "launched":
            return self._sight.launched
        if act.when.at == "closing":
            return self._sight.closing
        return self._sight.step >= act.when.step

    def _is_over(self, done: Done, now: float) -> bool:
        if done.act.for_s == UNTIL_OVER:
            if now >= done.back_at:
                done.back_at = now + _LOOK_S
                return self._sight.is_over() or now - done.at > AWAY_LIMIT_S
            return False
        return now >= done.back_at

    def _carry_out(self, act: Act) -> None:
        node = None if act.target == DESKTOP else self._sight.node_of(act.target)
        done = Done(act, node, time.monotonic())
        done.back_at = done.at + max(0.0, act.for_s)
        what = self._BY_KIND[act.kind](self, done)
        where = "" if node is None else f" on {self._nodes.node(node).name}"
        self.note(f"{act}{where}, step {self._sight.step}: {what}")
        self.done.append(done)

    def _take_back(self, done: Done) -> None:
        back, done.back = done.back, None
        assert back is not None
        back()
        self.note(f"taken back: {done.act.kind} of {done.act.target}, step {self._sight.step}")

    def _kill_desktop(self, done: Done) -> str:
        if not self._desktop.kill():
            return "it did not run"
        done.back = lambda: self._desktop.start("attach", self._desktop.run_id)
        return "killed"

    def _kill_agent(self, done: Done) -> str:
        return self._kill([] if done.node is None else self._sight.agents(done.node))

    def _kill_supervisor(self, done: Done) -> str:
        return self._kill(self._sight.supervisor(done.act.target))

    def _kill_guard(self, done: Done) -> str:
        supervisor = self._sight.supervisor(done.act.target)
        watchers = self._sight.watchers(done.act.target)
        return self._kill([pid for pid in watchers if pid not in supervisor])

    def _kill_watchers(self, done: Done) -> str:
        return self._kill(self._sight.watchers(done.act.target))

    def _kill_task(self, done: Done) -> str:
        return self._kill(self._sight.task_processes(done.act.target))

    def _kill(self, pids: list[int]) -> str:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return f"{len(pids)} processes"

    def _kill_sshd(self, done: Done) -> str:
        index = self._index(done)
        done.back = lambda: self._nodes.start_sshd(index)
        return f"{self._nodes.kill_sshd(index)} processes"

    def _cut_link(self, done: Done) -> str:
        self._nodes.set_link(done.node, "down")
        done.back = lambda: self._nodes.set_link(done.node, "up")
        return "cut"

    def _shape_link(self, done: Done) -> str:
        self._nodes.shape_link(done.node, done.act.value, done.act.kind.split()[0])
        done.back = lambda: self._nodes.free_link(done.node)
        return "shaped"

    def _reboot(self, done: Done) -> str:
        index = self._index(done)
        if index in self._nodes.off:
            return "it is off already"
        self._nodes.switch_off(index)
        done.back = lambda: self._nodes.switch_on(index)
        return "off"

    def _fill_disk(self, done: Done) -> str:
        self._nodes.fill_disk(done.node)
        done.back = lambda: self._nodes.free_disk(done.node)
        return "full"

    def _jump_clock(self, done: Done) -> str:
        if self._nodes.why_no_clock:
            return self._nodes.why_no_clock
        self._nodes.jump_clock(self._index(done), done.act.value)
        return "moved"

    def _hold_task(self, done: Done) -> str:
        return self._hold(done, self._sight.task_processes(done.act.target))

    def _hold_agent(self, done: Done) -> str:
        return self._hold(done, [] if done.node is None else self._sight.agents(done.node))

    def _hold(self, done: Done, pids: list[int]) -> str:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)

        def go_on() -> None:
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

        done.back = go_on
        return f"{len(pids)} processes"

    def _stop_run(self, done: Done) -> str:
        self.stopped = self._desktop.interrupt()
        return "Ctrl-C" if self.stopped else "nobody is there who could"

    def _index(self, done: Done) -> int:
        assert done.node is not None, f"{done.act.target} was not started"
        return done.node

    _BY_KIND: ClassVar[dict[str, Callable[[Faults, Done], str]]] = {
        "kill desktop": _kill_desktop,
        "kill agent": _kill_agent,
        "kill supervisor": _kill_supervisor,
        "kill guard": _kill_guard,
        "kill watchers": _kill_watchers,
        "kill task": _kill_task,
        "kill sshd": _kill_sshd,
        "cut link": _cut_link,
        "slow link": _shape_link,
        "lossy link": _shape_link,
        "reboot": _reboot,
        "fill disk": _fill_disk,
        "jump clock": _jump_clock,
        "hold task": _hold_task,
        "hold agent": _hold_agent,
        "stop run": _stop_run,
    }
