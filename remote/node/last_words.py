"""The last words of a user's program: its supervisor says on its port that it has ended for good.

A program of the user's does not tell the others that it has finished or failed, and a ps of it may
wait for ever. Its port is known to all tasks and was tried before the start, so for a while after
the end the supervisor listens there and gives each caller one line. Whoever knows the run's id may
say the same, who can also reach the tasks themselves.
"""

import json
import socket
import time
from typing import Any, Callable, Optional, Tuple

from remote.node import record, texts
from remote.node.job import Job

SERVE_S = 75.0
"""Longer than a peer waits between two looks, and than the pause before it is started again."""
_LISTEN_S = 0.5
_MAX_BYTES = 4096
_MOST_CHARACTERS = 1000


def serve(
    job: Job,
    known: record.Record,
    sleep: Callable[[float], None],
    is_told_to_go: Callable[[], bool],
) -> None:
    """Tell whoever asks, for :data:`SERVE_S` at most; a port that is taken by now is let be."""
    port = job.port()
    server = _listen(port) if port is not None else None
    if server is None:
        return
    line = texts.line(
        {
            "clew": 1,
            "run_id": job.run_id,
            "task": job.task,
            "state": known["state"],
            "reason": known["reason"][:_MOST_CHARACTERS],
        }
    )
    end = time.monotonic() + SERVE_S
    try:
        while time.monotonic() < end and not is_told_to_go():
            _answer(server, line)
            sleep(0.2)
    finally:
        server.close()


def ask(place: Tuple[str, int], limit_s: float, listen: bool) -> Optional[bytes]:
    """Whether something listens at ``place``, and what it says at once; None: nothing listens.

    Args:
        listen: wait a moment for what it says; else only look whether it is there.
    """
    try:
        connection = socket.create_connection(place, limit_s)
    except OSError:
        return None
    try:
        if not listen:
            return b""
        connection.settimeout(_LISTEN_S)
        return connection.recv(_MAX_BYTES)
    except OSError:
        return b""  # it waits for us to begin, as servers do
    finally:
        connection.close()


def parse(answer: bytes, run_id: str, task: str) -> Optional[Tuple[str, str]]:
    """State and reason, if these are the last words of that task of that run."""
    try:
        found: Any = json.loads(answer.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("clew") != 1:
        return None
    found = texts.to_system(found)
    state, reason = found.get("state"), found.get("reason")
    ours = found.get("run_id") == run_id and found.get("task") == task
    if not ours or state not in record.FINAL or not isinstance(reason, str):
        return None
    shown = "".join(c if c.isprintable() else " " for c in reason[:_MOST_CHARACTERS])
    return state, shown


def _listen(port: int) -> Optional[socket.socket]:
    for family, host in ((socket.AF_INET6, "::"), (socket.AF_INET, "")):
        server = None
        try:
            server = socket.socket(family, socket.SOCK_STREAM)
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            server.bind((host, port))
            server.listen(64)
            server.setblocking(False)
            return server
        except OSError:
            if server is not None:
                server.close()
    return None


def _answer(server: socket.socket, line: bytes) -> None:
    """Give all that wait the line."""
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        try:
            connection.setblocking(False)
            connection.send(line)
        except OSError:
            pass
        finally:
            connection.close()
