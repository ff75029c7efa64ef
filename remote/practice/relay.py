"""One command on a practice node: a process, and its bytes to and from an SSH channel.

asyncssh's own redirection leaves tasks and pipes behind when a connection is dropped, so the relay
is written out: raw pipes, callbacks, and back-pressure in both directions. All of it runs in the
cluster's event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

_PIECE = 1 << 16
_STDERR = 1
"""SSH_EXTENDED_DATA_STDERR of RFC 4254, section 5.2."""


class Relay:
    """Runs one command. ``ended`` is called with the relay when nothing is left of it."""

    def __init__(
        self, channel: Any, *, home: Path, env: dict[str, str], ended: Callable[[Relay], None]
    ) -> None:
        self._channel = channel
        self._home = home
        self._env = env
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        self._child: subprocess.Popen[bytes] | None = None
        self._stdin = -1
        self._outputs: dict[int, int | None] = {}
        """Open pipes by file descriptor, with the kind of data that the channel is told."""
        self._pending = bytearray()
        self._stdin_ends = False
        self._full = False
        """Whether the process takes no more at the moment."""
        self._paused = False
        self._lost = False

    def start(self, command: str) -> None:
        """Start the process. Raises OSError."""
        child = subprocess.Popen(
            ["/bin/sh", "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=self._home,
            env=self._env,
            start_new_session=True,
        )
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        self._child = child
        # The pipes are owned as numbers from here on: no file object closes them a second time.
        pipes = [os.dup(pipe.fileno()) for pipe in (child.stdin, child.stdout, child.stderr)]
        for pipe in (child.stdin, child.stdout, child.stderr):
            pipe.close()
        for number in pipes:
            os.set_blocking(number, False)
        self._stdin = pipes[0]
        self._outputs = {pipes[1]: None, pipes[2]: _STDERR}
        self._watch_outputs()

    # From the client

    def feed(self, data: bytes) -> None:
        """Bytes for the process's standard input."""
        if self._stdin < 0:
            return
        self._pending += data
        self._write()

    def feed_eof(self) -> None:
        self._stdin_ends = True
        if self._stdin >= 0:
            self._write()

    def pause(self, paused: bool) -> None:
        """Whether the client takes no more at the moment."""
        self._paused = paused
        self._watch_outputs()

    def lose(self) -> None:
        """The client is gone: the process sees the end of its input and broken outputs."""
        self._lost = True
        if self._child is None:
            self._ended(self)
        self._close_stdin()
        for number in list(self._outputs):
            self._close_output(number)

    def end(self, order: signal.Signals) -> bool:
        """Send a signal to the process's group; True while the process still runs."""
        if self._child is None or self._child.poll() is not None:
            return False
        with contextlib.suppress(OSError):
            os.killpg(self._child.pid, order)
        return True

    def _write(self) -> None:
        try:
            while self._pending:
                with memoryview(self._pending) as view:
                    written = os.write(self._stdin, view[:_PIECE])
                del self._pending[:written]
        except BlockingIOError:
            self._loop.add_writer(self._stdin, self._write)
            self._full = True
            self._channel.pause_reading()
            return
        except OSError:  # the process reads no more
            self._close_stdin()
            return
        self._loop.remove_writer(self._stdin)
        if self._stdin_ends:
            self._close_stdin()
        elif self._full:
            self._full = False
            self._channel.resume_reading()  # last: it may feed more at once

    def _close_stdin(self) -> None:
        number, self._stdin = self._stdin, -1
        self._pending.clear()
        if number >= 0:
            self._loop.remove_writer(number)
            os.close(number)
        if self._full and not self._lost:
            self._full = False
            self._channel.resume_reading()  # what still comes is dropped

    # From the process

    def _watch_outputs(self) -> None:
        for number in self._outputs:
            if self._paused:
                self._loop.remove_reader(number)
            else:
                self._loop.add_reader(number, self._read, number)

    def _read(self, number: int) -> None:
        try:
            data = os.read(number, _PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            with contextlib.suppress(OSError):  # the client has gone this moment
                self._channel.write(data, self._outputs[number])
        else:
            self._close_output(number)

    def _close_output(self, number: int) -> None:
        self._loop.remove_reader(number)
        del self._outputs[number]
        os.close(number)
        if not self._outputs:
            self._await_exit(0.001)

    def _await_exit(self, pause_s: float) -> None:
        """Both outputs are at their end: the process mostly is, too."""
        assert self._child is not None
        code = self._child.poll()
        if code is None:
            self._loop.call_later(pause_s, self._await_exit, min(pause_s * 2, 0.1))
            return
        self._close_stdin()
        if not self._lost:
            if code < 0:
                self._channel.exit_with_signal(signal.Signals(-code).name.removeprefix("SIG"))
            else:
                self._channel.exit(code)
        self._ended(self)
