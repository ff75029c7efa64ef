"""One ``nvidia-smi`` process, read line by line under time limits."""

import ctypes
import os
import select
import shutil
import signal
import subprocess
import time
from typing import Callable, List, Optional

_MAX_LINE_BYTES = 64 * 1024
_PR_SET_PDEATHSIG = 1

try:
    _LIBC: Optional[ctypes.CDLL] = ctypes.CDLL(None)
except OSError:
    _LIBC = None


def find_tool() -> Optional[str]:
    """The ``nvidia-smi`` of this account's PATH."""
    return shutil.which("nvidia-smi")


def device_count() -> int:
    """How many GPUs the driver knows of, one that fell off the bus included; 0: not known."""
    try:
        return len(os.listdir("/proc/driver/nvidia/gpus"))
    except OSError:
        return 0


class Query:
    """A running query. Raises nothing: what cannot be started ends at once with status 127."""

    def __init__(self, argv: List[str]) -> None:
        self._buffer = b""
        self._process: Optional[subprocess.Popen[bytes]] = None
        try:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                # Should the agent be killed, its query must not stay.
                preexec_fn=die_with_parent,
            )
        except OSError:
            return

    def lines(self, wait_s: float) -> Optional[List[str]]:
        """Whole lines that came within ``wait_s``, maybe none; None: the output has ended."""
        if self._process is None or self._process.stdout is None:
            return None
        fd = self._process.stdout.fileno()
        ready, _, _ = select.select([fd], [], [], wait_s)
        if not ready:
            return []
        data = os.read(fd, 1 << 16)
        if not data:
            return None
        parts = (self._buffer + data).split(b"\n")
        self._buffer = parts.pop()[-_MAX_LINE_BYTES:]
        return [part.decode("utf-8", "replace").rstrip("\r") for part in parts]

    def kill(self) -> None:
        """Kill the query and what it started; does not wait."""
        if self._process is not None and self._process.poll() is None:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except OSError:
                pass

    def close(self, give_up: Callable[[], bool]) -> Optional[int]:
        """Wait for the end, killing a query that goes on; None: it had to be killed.

        A query that hangs in the driver ignores even that; it is waited for until ``give_up``,
        because a second one would hang as well.
        """
        if self._process is None:
            return 127
        try:
            status: Optional[int] = self._process.wait(0.5 if self._at_end() else 0)
        except subprocess.TimeoutExpired:
            status = None
            self.kill()
        while self._process.poll() is None and not give_up():
            time.sleep(0.1)
        if self._process.stdout is not None:
            self._process.stdout.close()
        return status

    def _at_end(self) -> bool:
        assert self._process is not None
        assert self._process.stdout is not None
        fd = self._process.stdout.fileno()
        ready, _, _ = select.select([fd], [], [], 0)
        return bool(ready)


def die_with_parent(number: int = signal.SIGKILL) -> None:
    """In a child, before its program: it gets this signal when the thread that made it ends."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)
