"""The user's command as a child process that is stopped as it would be without a parent."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from trainer.failures import Unavailable
from trainer.stopping import SIGNALS


class Child:
    """Starts the command; SIGTERM and SIGINT to this process are meant for it.

    The supervisor signals every process of the task, the command too, and is not repeated;
    what somebody else sends to this process alone is passed on. Make it on the main thread.

    Raises:
        Unavailable: the command cannot be started.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], cwd: Path) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        self.stopped = False
        try:
            self._process = subprocess.Popen(
                command,
                env=dict(environment),
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                preexec_fn=_as_usual,
            )
        except OSError as error:
            raise Unavailable(f"{command[0]} cannot be started: {error.strerror}") from None
        threading.Thread(target=self._pass_on, name="stop-signal", daemon=True).start()

    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def status(self) -> int:
        """Exit status once it has ended; negative: the signal that ended it."""
        return self._process.returncode or 0

    def _pass_on(self) -> None:
        supervisor = os.getppid()
        while True:
            info = signal.sigwaitinfo(SIGNALS)
            self.stopped = True
            if info.si_pid != supervisor and self._process.poll() is None:
                self._process.send_signal(info.si_signo)


def _as_usual() -> None:
    """In the child, before the command: it takes signals as any program does."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
