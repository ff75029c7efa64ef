"""The first process of a chaos node: collects orphans, and starts sshd when it is told to.

``python3 first_process.py CONFIG``: SIGUSR1 starts sshd, if it does not run. Standard library.
"""

from __future__ import annotations

import os
import signal
import sys

SSHD = "/usr/sbin/sshd"
_SIGNALS = {signal.SIGUSR1, signal.SIGCHLD}


def main(config: str) -> None:
    """Runs until the node is switched off."""
    # Held back except while waiting, so that none comes between the look and the wait.
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    server = _start(config)
    while True:
        number = signal.sigwait(_SIGNALS)
        while (ended := _collect()) != 0:
            server = 0 if ended == server else server
        if number == signal.SIGUSR1 and not server:
            server = _start(config)


def _start(config: str) -> int:
    pid = os.fork()
    if pid == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        os.execv(SSHD, [SSHD, "-D", "-e", "-f", config])
    return pid


def _collect() -> int:
    """The pid of a child that has ended; 0: there is none."""
    try:
        return os.waitpid(-1, os.WNOHANG)[0]
    except ChildProcessError:
        return 0


if __name__ == "__main__":
    main(sys.argv[1])
