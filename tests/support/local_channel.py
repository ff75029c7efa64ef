"""A channel to a process on this machine, started through a shell as sshd would start it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Mapping, Sequence

from remote.errors import LinkLost
from tests.support.waiting import PATIENCE_S


class LocalChannel:
    """Standard input and output of ``SHELL -c COMMAND`` in a session of its own."""

    def __init__(self, shell: Sequence[str], command: str, env: Mapping[str, str], cwd: str):
        self.process = subprocess.Popen(
            [*shell, "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
            bufsize=0,
        )
        self._errors: deque[bytes] = deque(maxlen=64)
        self._closed = False
        self._lock = threading.Lock()
        self._drain = threading.Thread(target=self._read_errors, daemon=True)
        self._drain.start()

    def read(self, limit: int) -> bytes:
        assert self.process.stdout is not None
        try:
            return os.read(self.process.stdout.fileno(), limit)
        except (OSError, ValueError):
            return b""

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self.process.stdin.fileno(), view) :]
        except (OSError, ValueError) as error:
            raise LinkLost(f"the channel broke: {error}") from None

    def stderr_tail(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0.2)
        self._drain.join(5.0 if self.process.poll() is not None else 0.1)  # its last words, too
        return b"".join(self._errors)[-4096:].decode("utf-8", "replace")

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.close()

    def close(self) -> None:
        """End of input, as sshd gives it; whoever does not end by that is killed."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        assert self.process.stdin is not None
        self.process.stdin.close()
        threading.Thread(target=self._end, daemon=True).start()

    def _end(self) -> None:
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def wait(self) -> int:
        """Exit status of the shell; also lets go of the pipes."""
        status = self.process.wait(PATIENCE_S)
        self._drain.join(PATIENCE_S)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None and not self._drain.is_alive():
                stream.close()
        return status

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        fd = self.process.stderr.fileno()
        while True:
            try:
                data = os.read(fd, 4096)
            except OSError:
                return
            if not data:
                return
            self._errors.append(data)
