"""Where a task's events go: JSON lines, appended to one file, one system call each."""

from __future__ import annotations

import errno
import os
import socket
import threading
import time
from collections import deque
from pathlib import Path
from types import TracebackType

from trainer.events import Body, Event, Notice, Steps, encode
from trainer.output import NO_ROOM

BACKLOG = 1000
"""Events kept while the disk takes none; step events are not kept, they would be too many."""

_WHY = {
    errno.ENOSPC: "disk full",
    errno.EDQUOT: "disk quota used up",
    errno.EROFS: "the disk became read-only",
    errno.EFBIG: "the file reached the limit on its size",
}


class EventSink:
    """Appends the events of one attempt of one task. Thread-safe.

    A write that fails (no space, over quota, read-only) never raises and never waits: training goes
    on, also where the file cannot even be made. Step events are dropped then, the others wait for
    the next event, and once the disk takes data again a notice says from which step on the metrics
    are missing, and how many other events there was no room to keep.
    """

    def __init__(self, path: Path, attempt: int) -> None:
        self._attempt = attempt
        self._seq = 0
        self._lock = threading.Lock()
        self._rest = b""  # the tail of a line that was written in part
        self._backlog: deque[tuple[float, Body]] = deque(maxlen=BACKLOG)
        self._trouble: OSError | None = None
        self._last_step: int | None = None
        self._lost_steps = 0
        self._lost_events = 0
        self._path = path
        self._closed = False
        self._fd = -1
        try:
            self._open()
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            self._trouble = error

    def emit(self, body: Body) -> None:
        """Write one event, stamped with this machine's time."""
        with self._lock:
            now = time.time()
            if self._trouble is not None:
                self._try_to_recover(now)
            if self._trouble is None and self._write(now, body):
                self._remember(body)
            elif isinstance(body, Steps):
                self._lost_steps += len(body.steps)
            else:
                self._lost_events += len(self._backlog) == BACKLOG
                self._backlog.append((now, body))

    def close(self) -> None:
        """Make one last try to write what is kept, and close the file."""
        with self._lock:
            if self._trouble is not None:
                self._try_to_recover(time.time())
            self._closed = True
            fd, self._fd = self._fd, -1
            if fd >= 0:
                os.close(fd)

    def __enter__(self) -> EventSink:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _open(self) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._fd = os.open(self._path, flags, 0o644)
        if _ends_inside_a_line(self._path):
            self._rest = b"\n"

    def _remember(self, body: Body) -> None:
        if isinstance(body, Steps) and body.steps:
            self._last_step = body.steps[-1]

    def _try_to_recover(self, now: float) -> None:
        trouble, self._trouble = self._trouble, None
        if self._lost_steps or self._lost_events:
            notice = Notice(level="warning", text=self._gap_sentence(trouble))
            if not self._write(now, notice):
                return
            self._lost_steps = self._lost_events = 0
        while self._backlog:
            t, body = self._backlog[0]
            if not self._write(t, body):
                return
            self._backlog.popleft()

    def _gap_sentence(self, trouble: OSError | None) -> str:
        number = trouble.errno if trouble is not None else None
        why = _WHY.get(number or 0, f"the event file could not be written: {trouble}")
        where = "before the first step" if self._last_step is None else f"at step {self._last_step}"
        lost = f"{self._lost_steps} steps are missing from the charts"
        if self._lost_events:
            lost += f", and {self._lost_events} other events are lost"
        return f"metrics stopped {where}, {why} on {socket.gethostname()}; {lost}"

    def _write(self, t: float, body: Body) -> bool:
        if self._closed:
            return False
        try:
            if self._fd < 0:
                self._open()
            if self._rest:
                self._rest = self._rest[os.write(self._fd, self._rest) :]
            if self._rest:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            line = encode(Event(t=t, seq=self._seq, attempt=self._attempt, body=body))
            # A line that is begun counts as written: its rest goes first as soon as there is space.
            self._rest = line[os.write(self._fd, line) :]
        except OSError as error:
            self._trouble = error
            return False
        self._seq += 1
        return True


def _ends_inside_a_line(path: Path) -> bool:
    """Whether an earlier attempt died in the middle of a line."""
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
