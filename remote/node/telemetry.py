"""CPU, memory and GPUs of this node, at an interval that the desktop chooses."""

import threading
import time
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

from remote.node import machine
from remote.node.gpu_watch import GpuWatch

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
        self._interval_s: Optional[float] = None
        self._changed = threading.Condition()
        self._before: Optional[Tuple[int, int]] = None
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
                    self._before = None
                    self._changed.wait()
                    due = time.monotonic()
                due = max(due, time.monotonic() - self._interval_s)
                if time.monotonic() < due:
                    self._changed.wait(due - time.monotonic())
                    continue
                due += self._interval_s
            self._agent.send({"sample": self._sample()})

    def _sample(self) -> Dict[str, Any]:
        memory = machine.meminfo()
        total, free = memory.get("MemTotal"), memory.get("MemAvailable")
        gpus, note = self._gpus.snapshot()
        return {
            "t": time.time(),
            "cpu_percent": self._cpu_percent(),
            "memory_used_bytes": None if total is None or free is None else total - free,
            "memory_total_bytes": total,
            "gpus": [dict(gpu._asdict()) for gpu in gpus],
            "gpu_note": note,
        }

    def _cpu_percent(self) -> Optional[float]:
        """Busy share of all CPUs since the last sample; None for the first."""
        now, before = _cpu_ticks(), self._before
        self._before = now
        if now is None or before is None or now[1] <= before[1]:
            return None
        return min(100.0, max(0.0, 100.0 * (now[0] - before[0]) / (now[1] - before[1])))


def _cpu_ticks() -> Optional[Tuple[int, int]]:
    """Busy and total clock ticks since boot (``/proc/stat``); guests are counted in user."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            fields = [int(word) for word in file.readline().split()[1:9]]
    except (OSError, ValueError):
        return None
    if len(fields) < 5:
        return None
    return sum(fields) - fields[3] - fields[4], sum(fields)
