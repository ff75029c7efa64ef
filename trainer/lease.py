"""A task that nobody supervises any more ends itself.

The supervisor and its guard hold one end of a pipe, the task has the other (``CLEW_LEASE_FD``): at
its end of file both are gone, and nobody would ever end or restart this task. A process that was
started by hand has no such pipe.
"""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import threading

from trainer.events import Notice
from trainer.sink import EventSink
from trainer.stopping import SIGNALS

VARIABLE = "CLEW_LEASE_FD"
LOST = "its supervisor and the guard of that were killed: this task ends itself"
LAST_S = 10
"""From SIGTERM, as at a stop, to SIGKILL, for the whole process group."""
_KILLER = """
i=0
while [ $i -lt "$2" ]; do kill -s 0 -- "-$1" 2>/dev/null || exit 0; sleep 1; i=$((i + 1)); done
kill -s KILL -- "-$1"
"""


def watch(sink: EventSink) -> None:
    """End this process, and what it started, when its supervisors are gone; returns at once."""
    fd = _lease()
    if fd is None:
        return
    # A stop must not reach this thread: who waits for it may not hold it back yet, and the whole
    # process would die of it.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    threading.Thread(target=_wait, args=(fd, sink), name="lease", daemon=True).start()
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def kill_later(group: int, seconds: int) -> subprocess.Popen[bytes]:
    """Leave a shell that ends a process group by SIGKILL unless it has ended by then."""
    arguments = ["sh", "-c", _KILLER, "sh", str(group), str(seconds)]
    return subprocess.Popen(arguments, stdin=subprocess.DEVNULL, start_new_session=True)


def _lease() -> int | None:
    text = os.environ.pop(VARIABLE, "")
    if not text.isascii() or not text.isdigit():
        return None
    try:
        if not stat.S_ISFIFO(os.fstat(int(text)).st_mode):
            return None
        os.set_inheritable(int(text), False)
    except OSError:
        return None
    return int(text)


def _wait(fd: int, sink: EventSink) -> None:
    while os.read(fd, 64):
        pass
    sink.emit(Notice(level="error", text=LOST))
    group = os.getpgrp()
    if group != os.getpid():  # started by hand, in the group of somebody else
        os.kill(os.getpid(), signal.SIGTERM)
        return
    try:
        # Outside of the group, because this process may end before what it has started.
        kill_later(group, LAST_S)
    finally:
        os.killpg(group, signal.SIGTERM)
