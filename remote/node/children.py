"""Runs a program that ends with whoever started it, and listens to what it prints."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections import deque
from typing import Callable, Deque, Dict, Iterator, List, NamedTuple, Optional, Sequence

from remote.node.refused import Refused

_TICK_S = 0.2
_KEPT_LINES = 400
_LINE_BYTES = 2000
# Linux ends the program with the thread that started it, also when that is killed.
_SHIM = """
import os, sys
try:
    import ctypes
    ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)
except Exception:
    pass
if os.getppid() != int(sys.argv[1]):
    os._exit(137)
os.execvp(sys.argv[2], sys.argv[2:])
"""


class Ended(NamedTuple):
    """Exit status (negative: the signal) and the last lines of output and errors together."""

    status: int
    lines: List[str]


class Stopped(Exception):
    """Whoever wanted the program has said that it is to end; it has."""


def run(
    argv: Sequence[str],
    *,
    env: Dict[str, str],
    cwd: str,
    cancelled: Callable[[], bool],
    on_line: Callable[[str], None],
    on_tick: Callable[[], object],
    silence_s: float,
    keep_fds: Sequence[int] = (),
) -> Ended:
    """Run a program to its end, without input.

    Args:
        on_line: gets every line that it prints.
        on_tick: called several times a second; what it returns differs when there is progress.
        silence_s: without a line and without progress for so long, it is ended.
        keep_fds: files that stay open in it, so that their locks live as long as it does.

    Raises:
        Stopped: ``cancelled`` said so.
        Refused: it was silent for too long.
    """
    shim = [sys.executable, "-E", "-s", "-S", "-B", "-c", _SHIM, str(os.getpid())]
    process = subprocess.Popen(
        [*shim, *argv],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=env,
        cwd=cwd,
        start_new_session=True,
        pass_fds=tuple(keep_fds),
        bufsize=0,
    )
    lines: Deque[str] = deque(maxlen=_KEPT_LINES)
    seen, changed_at = on_tick(), time.monotonic()
    with _ended_at_last(process):
        for line in _output(process):
            if line is not None:
                lines.append(line)
                on_line(line)
            if cancelled():
                raise Stopped
            now, progress = time.monotonic(), on_tick()
            if line is not None or progress != seen:
                seen, changed_at = progress, now
            elif now - changed_at > silence_s:
                what = "%s did nothing for %d s" % (os.path.basename(argv[0]), silence_s)
                raise Refused(what, "Look at the node's disk and network, and try again.")
        return Ended(process.wait(), list(lines))


@contextlib.contextmanager
def _ended_at_last(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Whatever happens, nothing of the program's session is left afterwards."""
    try:
        yield
    finally:
        kill(process.pid)
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def kill(group: int) -> None:
    """End a process group at once; one that is gone is none."""
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass


def _output(process: "subprocess.Popen[bytes]") -> Iterator[Optional[str]]:
    """Its lines, and None now and then while there are none, until it ends."""
    assert process.stdout is not None
    fd, rest = process.stdout.fileno(), b""
    while True:
        readable, _, _ = select.select([fd], [], [], _TICK_S)
        data = os.read(fd, 1 << 16) if readable else b""
        if readable and not data:
            break
        *whole, rest = (rest + data).replace(b"\r", b"\n").split(b"\n")
        for raw in whole:
            yield _shown(raw)
        if not whole:
            rest = rest[-_LINE_BYTES:]
            if process.poll() is not None and not readable:
                break  # something that it left behind holds the pipe open
            yield None
    if rest:
        yield _shown(rest)


def _shown(raw: bytes) -> str:
    text = raw[:_LINE_BYTES].decode("utf-8", "replace")
    return "".join(c for c in text if c.isprintable()).strip()
