"""What a launch sends to the nodes survives a broken connection, and travels once."""

from __future__ import annotations

import itertools
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from queue import SimpleQueue

from remote.history import History
from remote.node import layout, wire
from remote.profile import Profile, loads
from remote.session import ClusterSession
from remote.ssh import NoPrompter
from remote.updates import NodeUpdate, Progress, Update
from tests.support.sshd import SshdNodes
from tests.support.waiting import PATIENCE_S

PROFILE = """\
clew: 1
name: staging
ssh: {{user: root, identity_file: {key}}}
nodes: [{nodes}]
environment: {{python: {python}}}
storage: {{root: {root}}}
training:
  command: [{python}, -c, "import trainer; trainer.report(step=1, loss=0.5, examples=1)"]
  dataset: {{name: mnist, path: {data}}}
  workers: {workers}
  ps: 0
"""


class Cutting(SimpleQueue[Update]):
    """A queue that breaks a node's connection when it hears that ``at_bytes`` were sent."""

    def __init__(self, nodes: SshdNodes, at_bytes: int) -> None:
        super().__init__()
        self._nodes, self._at_bytes = nodes, at_bytes
        self.cut = threading.Event()

    def put(self, item: Update, block: bool = True, timeout: float | None = None) -> None:
        super().put(item)
        if not isinstance(item, Progress) or item.action != "data set mnist":
            return
        if self._at_bytes <= item.done < item.total and not self.cut.is_set():
            self.cut.set()
            assert self._nodes.kill_connections(0) > 0


def profile_text(nodes: SshdNodes, data: Path, root: str, count: int) -> str:
    listed = ", ".join(
        f"{{host: {n.ip}, name: {n.name}, port: {n.port}}}" for n in nodes.nodes[:count]
    )
    return PROFILE.format(
        key=nodes.client_key,
        nodes=listed,
        python=sys.executable,
        data=data,
        root=root,
        workers=count,
    )


def folder_of_data(path: Path) -> Path:
    path.mkdir()
    for number in range(12):
        (path / f"shard {number}").write_bytes(os.urandom(4_000_000))
    return path


@contextmanager
def session_of(
    profile: Profile, nodes: SshdNodes, queue: SimpleQueue[Update], folder: Path
) -> Iterator[ClusterSession]:
    with closing(History(folder / "history.db")) as history:
        session = ClusterSession(
            profile,
            history=history,
            prompter=NoPrompter(),
            updates=queue,
            known_hosts=[nodes.known_hosts],
        )
        with closing(session):
            session.connect()
            assert session.wait_ready(PATIENCE_S), session.node_updates()
            yield session


def drained(queue: SimpleQueue[Update]) -> list[Update]:
    seen: list[Update] = []
    while not queue.empty():
        seen.append(queue.get())
    return seen


def test_that_a_launch_goes_on_when_a_connection_breaks_while_it_sends(
    sshd_nodes: SshdNodes, tmp_path: Path
) -> None:
    data = folder_of_data(tmp_path / "mine")
    queue = Cutting(sshd_nodes, 6_000_000)
    profile = loads(profile_text(sshd_nodes, data, "~/.clew", 1), "staging").profile
    with session_of(profile, sshd_nodes, queue, tmp_path) as session:
        result = session.launch().wait(4 * PATIENCE_S)
        assert queue.cut.is_set()
        assert result is not None
        assert (result.state, result.left_behind) == ("finished", ()), result
    seen = drained(queue)
    assert "unreachable" in [update.state for update in seen if isinstance(update, NodeUpdate)]
    sent = [u.done for u in seen if isinstance(u, Progress) and u.action == "data set mnist"]
    # What was under way when the connection broke is sent again, and nothing else.
    again = [before - after for before, after in itertools.pairwise(sent) if after < before]
    assert len(again) <= 1
    assert all(size <= wire.UPLOAD_WINDOW_BYTES for size in again)
    home = sshd_nodes.nodes[0].home
    assert not list(home.rglob(layout.PART_PREFIX + "*"))
    (stored,) = (path for path in (home / ".clew" / "data").iterdir() if "mnist" in path.name)
    for file in data.iterdir():
        assert (stored / file.name).read_bytes() == file.read_bytes()


def test_that_nodes_with_one_disk_are_sent_one_copy(sshd_nodes: SshdNodes, tmp_path: Path) -> None:
    data = folder_of_data(tmp_path / "mine")
    root = tmp_path / "shared 'home'"
    root.mkdir()
    profile = loads(profile_text(sshd_nodes, data, f'"{root}"', 3), "staging").profile
    queue: SimpleQueue[Update] = SimpleQueue()
    with session_of(profile, sshd_nodes, queue, tmp_path) as session:
        result = session.launch().wait(4 * PATIENCE_S)
        assert result is not None
        assert (result.state, result.left_behind) == ("finished", ()), result
    senders = {
        update.node
        for update in drained(queue)
        if isinstance(update, Progress)
        and update.action == "data set mnist"
        and 0 < update.done < update.total
    }
    assert len(senders) == 1
    assert len(list((root / "data").iterdir())) == 1
