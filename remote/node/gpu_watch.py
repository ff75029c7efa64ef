"""Asks ``nvidia-smi`` without ever having more than one query under way.

While samples are wanted, one long-lived ``nvidia-smi -l`` is read. When it fails, hangs or goes
away, the watch says so, waits a little longer each time, and recovers by itself.
"""

import threading
import time
from typing import Callable, Dict, List, Optional, Tuple

from remote.node import gpu_query, nvidia_smi
from remote.node.nvidia_smi import Failure, Gpu

Snapshot = Tuple[Tuple[Gpu, ...], str]

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 8.0
_MISSED_POLLS = 3
_MOST_INDICES = 16


class GpuWatch:
    """Latest GPU reading of this node. Thread-safe."""

    def __init__(
        self, background: Callable[[Callable[[], None]], None], hang_limit_s: float = 30.0
    ) -> None:
        self._background = background
        self._hang_limit_s = hang_limit_s
        self._changed = threading.Condition()
        self._interval_s: Optional[int] = None
        self._ended = False
        self._gpus: Tuple[Gpu, ...] = ()
        self._note = ""
        self._set_at = time.monotonic()
        self._valid_s = 0.0
        self._busy = threading.Lock()  # held by whoever runs a query
        self._query: Optional[gpu_query.Query] = None
        self._fields = list(nvidia_smi.FIELDS)
        self._started = False

    def set_interval(self, interval_s: Optional[float]) -> None:
        """Watch from now on, at whole seconds; None: watch no more."""
        with self._changed:
            self._interval_s = None if interval_s is None else max(1, round(interval_s))
            self._set_at, self._valid_s = time.monotonic(), _valid_s(self._interval_s or 1)
            if not self._started and interval_s is not None:
                self._started = True
                self._background(self._loop)
            self._changed.notify_all()

    def snapshot(self) -> Snapshot:
        """The GPUs, and why some or their values are missing. Old values are taken away."""
        with self._changed:
            age = time.monotonic() - self._set_at
            if age <= self._valid_s:
                return self._gpus, self._note
            blank = tuple(_without_values(gpu) for gpu in self._gpus)
            return blank, self._note or _silent(age)

    def inventory(self, limit_s: float) -> Snapshot:
        """The GPUs now: the watch's reading, or one query of its own."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            if self._busy.acquire(blocking=False):
                try:
                    return self._ask_once(end - time.monotonic())
                finally:
                    self._busy.release()
            gpus, note = self.snapshot()
            if gpus or note:
                return gpus, note
            time.sleep(0.02)
        return (), _silent(limit_s)

    def end(self) -> None:
        """Leave no query behind."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        query = self._query
        if query is not None:
            query.kill()

    def _loop(self) -> None:
        pause = _FIRST_PAUSE_S
        while not self._ended:
            interval = self._wait_for_interval()
            if interval is None:
                continue
            with self._busy:
                good = self._watch(interval)
            pause = _FIRST_PAUSE_S if good else min(pause * 2, _LONGEST_PAUSE_S)
            with self._changed:
                if self._interval_s == interval and not self._ended:
                    self._changed.wait(interval if good else pause)

    def _wait_for_interval(self) -> Optional[int]:
        with self._changed:
            while self._interval_s is None and not self._ended:
                self._changed.wait()
            return self._interval_s

    def _watch(self, interval: int) -> bool:
        """Read one long-lived query to its end; True: it gave at least one reading."""
        tool = gpu_query.find_tool()
        if tool is None:
            self._set((), nvidia_smi.explain(None, "").reason)
            return False
        ticks, seen = nvidia_smi.Ticks(), False
        query = self._start([*self._arguments(tool), "-l", str(interval)])
        silent_from = time.monotonic()
        while self._interval_s == interval and not self._ended:
            lines = query.lines(0.2)
            if lines is None:
                break
            readings = [ticks.line(line) for line in lines] + ([] if lines else [ticks.quiet()])
            for reading in readings:
                if reading is not None:
                    seen, silent_from = True, time.monotonic()
                    self._set(reading, "")
            if time.monotonic() - silent_from > self._hang_limit_s:
                break
        status = self._finish(query)
        last = ticks.quiet()
        if last is not None:
            seen = True
            self._set(last, "")
        if self._interval_s == interval and not seen:
            return self._explain(tool, status, "\n".join(ticks.messages))
        return seen

    def _explain(self, tool: str, status: Optional[int], text: str) -> bool:
        """Say why a query gave nothing; True: asking again at once may do better."""
        if self._drop_refused(text):
            return self._ask_again(tool)
        if status is None:
            return False  # it hangs, which snapshot() says with its age
        failure = nvidia_smi.explain(status, text)
        if failure.kind == "lost":
            self._set(self._ask_each(tool, failure), failure.reason)
        else:
            self._set((), failure.reason)
        return False

    def _ask_again(self, tool: str) -> bool:
        gpus, failure = self._one_query(self._arguments(tool), self._hang_limit_s)
        self._set(gpus, failure.reason if failure else "")
        return bool(gpus)

    def _drop_refused(self, text: str) -> bool:
        refused = nvidia_smi.refused_fields(text)
        kept = [field for field in self._fields if field not in refused or field == "index"]
        dropped = len(kept) < len(self._fields)
        self._fields = kept
        return dropped

    def _ask_once(self, limit_s: float) -> Snapshot:
        tool = gpu_query.find_tool()
        if tool is None:
            return (), nvidia_smi.explain(None, "").reason
        gpus, failure = self._one_query(self._arguments(tool), limit_s)
        if failure is not None and failure.kind == "lost":
            gpus = self._ask_each(tool, failure)
        return gpus, failure.reason if failure else ""

    def _one_query(
        self, argv: List[str], limit_s: float
    ) -> Tuple[Tuple[Gpu, ...], Optional[Failure]]:
        """One query that ends by itself; fields that the driver does not know are dropped."""
        while True:
            query = self._start(argv)
            text, end = "", time.monotonic() + limit_s
            while time.monotonic() < end and not self._ended:
                lines = query.lines(0.2)
                if lines is None:
                    break
                text += "".join(line + "\n" for line in lines)
            status = self._finish(query)
            gpus = tuple(nvidia_smi.parse(text))
            if gpus:
                return gpus, None
            if status is None:
                return (), Failure("hang", _silent(limit_s))
            if not self._drop_refused(text):
                return (), nvidia_smi.explain(status, text)
            argv = self._arguments(argv[0]) + argv[3:]

    def _ask_each(self, tool: str, failure: Failure) -> Tuple[Gpu, ...]:
        """Ask GPU by GPU: one that fell off the bus hides the others from a query for all."""
        known: Dict[int, Gpu] = {gpu.index: gpu for gpu in self._gpus}
        found: List[Gpu] = []
        count = gpu_query.device_count() or (max(known) + 1 if known else _MOST_INDICES)
        for index in range(min(count, 128)):
            argv = [*self._arguments(tool), "-i", str(index)]
            gpus, problem = self._one_query(argv, self._hang_limit_s)
            found.extend(gpu for gpu in gpus if gpu.index == index)
            if problem is not None and problem.kind == "lost":
                found.append(_lost(known.get(index), index, problem))
            elif problem is not None and problem.kind == "hang":
                break
            elif problem is not None and not known and not gpu_query.device_count():
                break  # past the last one
        return tuple(sorted(found, key=lambda gpu: gpu.index))

    def _arguments(self, tool: str) -> List[str]:
        return [tool, "--query-gpu=" + ",".join(self._fields), "--format=csv"]

    def _start(self, argv: List[str]) -> "gpu_query.Query":
        query = gpu_query.Query(argv)
        with self._changed:
            self._query = query
            if self._ended:
                query.kill()
        return query

    def _finish(self, query: "gpu_query.Query") -> Optional[int]:
        """Its exit status; None: it had to be killed, which may take until the driver lets go."""
        status = query.close(lambda: self._ended)
        with self._changed:
            self._query = None
        return status

    def _set(self, gpus: Tuple[Gpu, ...], note: str) -> None:
        """Publish a reading. One with a note is asked for again after a pause, so it lasts."""
        with self._changed:
            self._gpus, self._note = gpus, note
            self._set_at = time.monotonic()
            self._valid_s = _valid_s(self._interval_s or 1)
            if note:
                self._valid_s += _LONGEST_PAUSE_S + len(gpus)


def _valid_s(interval_s: int) -> float:
    return _MISSED_POLLS * interval_s + 0.5


def _without_values(gpu: Gpu) -> Gpu:
    return gpu._replace(
        utilization_percent=None, memory_used_bytes=None, temperature_c=None, power_watts=None
    )


def _lost(known: Optional[Gpu], index: int, problem: Failure) -> Gpu:
    base = known or Gpu(index, str(index), "GPU %d" % index, None, None, None, None, None, "")
    return _without_values(base)._replace(warning=problem.reason, lost=True)


def _silent(age_s: float) -> str:
    return "nvidia-smi is not answering (%d s)" % age_s
