"""A desktop in a process of its own, which a test can put to sleep.

``python -m tests.remote.session.sleeping_desktop DATA KNOWN_HOSTS HOST PORT``: connects to one
node, types the password that the variable ``LAB_PASSWORD`` holds, and prints one JSON object for
every update about the node. Ends when its standard input does.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from queue import Empty, SimpleQueue

from remote.history import History
from remote.profile import build
from remote.session import ClusterSession
from remote.ssh import CommandQuestion, HostKeyQuestion, Secret, SecretQuestion
from remote.updates import NodeSample, NodeUpdate, Update


class Typist:
    """Types the password and counts how often."""

    asked = 0

    def unknown_host(self, question: HostKeyQuestion) -> bool:
        return False

    def run_commands(self, question: CommandQuestion) -> bool:
        return False

    def secret(self, question: SecretQuestion) -> Secret | None:
        self.asked += 1
        return Secret(os.environ["LAB_PASSWORD"])


def main(data: str, known: str, host: str, port: str) -> None:
    queue: SimpleQueue[Update] = SimpleQueue()
    typist = Typist()
    history = History(Path(data) / "history.db")
    session = ClusterSession(
        build(
            {
                "ssh": {"user": "root"},
                "nodes": [{"host": host, "port": int(port), "name": "gpu001"}],
                "environment": {"python": sys.executable},
                "training": {"dataset": {"name": "synthetic"}},
            }
        ),
        history=history,
        prompter=typist,
        updates=queue,
        known_hosts=[Path(known)],
    )
    over = threading.Event()
    threading.Thread(target=_until_closed, args=(over,), daemon=True).start()
    session.connect()
    while not over.is_set():
        try:
            update = queue.get(timeout=0.1)
        except Empty:
            continue
        if isinstance(update, (NodeUpdate, NodeSample)):
            state = update.state if isinstance(update, NodeUpdate) else "sample"
            told = {"state": state, "at": time.monotonic(), "asked": typist.asked}
            told["threads"] = threading.active_count()
            print(json.dumps(told), flush=True)
    session.close()
    history.close()


def _until_closed(over: threading.Event) -> None:
    sys.stdin.read()
    over.set()


if __name__ == "__main__":
    main(*sys.argv[1:])
