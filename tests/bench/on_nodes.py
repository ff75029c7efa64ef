"""Sessions on real nodes, for benches."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

from remote.history import History
from remote.profile import Profile, build
from remote.session import ClusterSession
from remote.ssh import NoPrompter
from remote.updates import Update
from tests.support.sshd import SshdNodes


def make_profile(nodes: SshdNodes, dataset: dict[str, object], **training: object) -> Profile:
    """1 ps and 2 workers on the nodes, with this Python."""
    return build(
        {
            "name": "bench",
            "ssh": {"user": "root", "identity_file": str(nodes.client_key)},
            "nodes": [{"host": node.ip, "name": node.name} for node in nodes.nodes],
            "environment": {"python": sys.executable},
            "training": {"dataset": dataset, "workers": 2, **training},
        }
    )


@contextmanager
def connected(profile: Profile, data: Path, known_hosts: Path) -> Iterator[ClusterSession]:
    """A session whose nodes are all ready, with its history in ``data``."""
    history = History(data / "history.db")
    queue: SimpleQueue[Update] = SimpleQueue()
    session = ClusterSession(
        profile,
        history=history,
        prompter=NoPrompter(),
        updates=queue,
        known_hosts=[known_hosts],
    )
    try:
        session.connect()
        if not session.wait_ready(60):
            raise SystemExit(f"bench: the nodes are not ready: {session.node_updates()}")
        yield session
    finally:
        session.close()
        history.close()
