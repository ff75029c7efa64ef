"""A real ``ssh-agent`` for as long as a block lasts."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.waiting import PATIENCE_S


@contextmanager
def running_agent(path: str) -> Iterator[dict[str, str]]:
    """An agent that listens at ``path``; gives the variables with which ssh-add finds it."""
    process = subprocess.Popen(
        ["ssh-agent", "-D", "-a", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not _listens(path):  # the file is there before anybody listens
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        yield {**os.environ, "SSH_AUTH_SOCK": path}
    finally:
        process.terminate()
        process.wait()


def _listens(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(path)
        except OSError:
            return False
    return True
