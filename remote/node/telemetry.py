"""CPU, memory and GPUs of this node, at an interval that the desktop chooses."""

import threading
import time
from typing import TYPE_CHECKING, Any, Dict, Optional

from remote.node.gpu_watch import GpuWatch
from remote.node.meter import Meter

if TYPE_CHECKING:
    from remote.node.agent import Agent

_SHORTEST_S = 0.1


def telemetry(agent: "Agent", number: int, args: Dict[str, Any], payload: bytes) -> None:
    """Start, change or (``interval_s`` None) end the samples."""
    made: Telemetry = agent.service("telemetry", lambda: Telemetry(agent))
    made.set_interval(args["interval_s"])


def gpu_watch(agent: "Agent") -> GpuWatch:
    """The one place of this agent that asks for GPUs."""

    def make() -> GpuWatch:
        watch = GpuWatch(agent.background)
        agent.at_end.append(watch.end)
        return watch

    watch: GpuWatch = agent.service("gpus", make)
    return watch


class Telemetry:
    """A thread that sends samples while an interval is set."""

    def __init__(self, agent: "Agent") -> None:
        self._agent = agent
        self._gpus = gpu_watch(agent)
        self._meter = Meter(self._gpus)
        self._interval_s: Optional[float] = None
        self._changed = threading.Condition()
        agent.background(self._loop)

    def set_interval(self, interval_s: Optional[float]) -> None:
        with self._changed:
            self._interval_s = None if interval_s is None else max(_SHORTEST_S, float(interval_s))
            self._changed.notify_all()
        self._gpus.set_interval(self._interval_s)

    def _loop(self) -> None:
        due = time.monotonic()
        while True:
            with self._changed:
                while self._interval_s is None:
                    self._meter.pause()
                    self._changed.wait()
                    due = time.monotonic()
                due = max(due, time.monotonic() - self._interval_s)
                if time.monotonic() < due:
                    self._changed.wait(due - time.monotonic())
                    continue
                due += self._interval_s
            self._agent.send({"sample": self._meter.sample()})
