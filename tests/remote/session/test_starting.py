"""Between the plan and the start: other launches, and connections that are cut."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from remote.errors import LinkLost
from remote.link import AgentLink, TaskLaunch
from remote.profile import Profile, loads
from remote.session import cuts
from remote.updates import NodeUpdate, NoticeUpdate, Update
from tests.remote.session.test_staging import drained, session_of
from tests.support.ports import free_ports
from tests.support.sshd import SshdNode, SshdNodes
from tests.support.waiting import PATIENCE_S, until

PROFILE = """\
clew: 1
name: starting
ssh: {{user: root, identity_file: {key}}}
nodes: [{nodes}]
environment: {{python: {python}}}
ports: {{first: {first}}}
training:
  command: [{python}, -c, "{program}"]
  workers: {workers}
  ps: 0
"""
PROGRAM = (
    "import os, time, trainer; trainer.report(step=1, loss=0.5, examples=1); "
    "[time.sleep(0.05) for _ in iter(lambda: os.path.exists(os.path.expanduser('~/go')), True)]"
)


def profile_of(nodes: SshdNodes, count: int, first: int) -> Profile:
    listed = ", ".join(
        f"{{host: {n.ip}, name: {n.name}, port: {n.port}}}" for n in nodes.nodes[:count]
    )
    text = PROFILE.format(
        key=nodes.client_key,
        nodes=listed,
        python=sys.executable,
        first=first,
        program=PROGRAM,
        workers=2 * count,
    )
    return loads(text, "starting").profile


def ports_of(node: SshdNode, run_id: str) -> list[int]:
    """What the run's tasks on a node were given, as their files there say."""
    files = node.home.glob(f".clew/runs/{run_id}/*/*/launch.json")
    return sorted(port for file in files for port in json.loads(file.read_text())["ports"])


def attempts_of(node: SshdNode, run_id: str) -> list[int]:
    files = node.home.glob(f".clew/runs/{run_id}/*/*/state.json")
    return [len(json.loads(file.read_text())["attempts"]) for file in files]


@pytest.fixture
def nodes(sshd_nodes: SshdNodes) -> Iterator[SshdNodes]:
    """Programs on them end once ``end_programs`` was called."""
    for node in sshd_nodes.nodes:
        (node.home / "go").unlink(missing_ok=True)
    yield sshd_nodes
    end_programs(sshd_nodes)


def end_programs(nodes: SshdNodes) -> None:
    for node in nodes.nodes:
        (node.home / "go").touch()


def test_that_two_launches_at_the_same_moment_get_ports_of_their_own(
    nodes: SshdNodes, tmp_path: Path
) -> None:
    profile = profile_of(nodes, 2, free_ports(1)[0])
    queues = SimpleQueue[Update](), SimpleQueue[Update]()
    folders = [tmp_path / name for name in ("one", "other")]
    for folder in folders:
        folder.mkdir()
    with (
        session_of(profile, nodes, queues[0], folders[0]) as one,
        session_of(profile, nodes, queues[1], folders[1]) as other,
    ):
        assert one.plan().cluster == other.plan().cluster, "both mean to take the same ports"
        runs = [one.launch(), other.launch()]
        until(lambda: all(run.started or run.result for run in runs))
        assert [run.result for run in runs] == [None, None]
        for node in nodes.nodes[:2]:
            given = [port for run in runs for port in ports_of(node, run.run_id)]
            assert len(set(given)) == len(given) == 4
        end_programs(nodes)
        results = [run.wait(4 * PATIENCE_S) for run in runs]
    assert [result and (result.state, result.left_behind) for result in results] == [
        ("finished", ()),
        ("finished", ()),
    ]
    texts = [u.text for q in queues for u in drained(q) if isinstance(u, NoticeUpdate)]
    assert any("is held by" in text for text in texts), "the one that moved says so"


def test_that_a_cut_while_tasks_are_started_delays_the_launch_and_starts_none_twice(
    nodes: SshdNodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On one node the order is lost, on the other the answer to it."""
    names = [node.name for node in nodes.nodes[:2]]
    asked: list[str] = []
    really = AgentLink.start_task

    def cut_off(link: AgentLink, launch: TaskLaunch) -> Any:
        node = link.node
        asked.append(node)
        if asked.count(node) > 1:
            return really(link, launch)
        if node == names[1]:
            really(link, launch)
        assert nodes.kill_connections(names.index(node)) > 0
        if node == names[1]:
            raise LinkLost("the answer never came", node=node)
        return really(link, launch)

    monkeypatch.setattr(AgentLink, "start_task", cut_off)
    queue = SimpleQueue[Update]()
    profile = profile_of(nodes, 2, free_ports(1)[0])
    with session_of(profile, nodes, queue, tmp_path) as session:
        run = session.launch()
        until(lambda: run.started or run.result is not None)
        assert run.result is None
        assert sorted(asked) == sorted([names[0]] * 3 + [names[1]] * 3)
        end_programs(nodes)
        result = run.wait(4 * PATIENCE_S)
    assert result is not None
    assert (result.state, result.left_behind) == ("finished", ()), result
    for node in nodes.nodes[:2]:
        assert attempts_of(node, run.run_id) == [1, 1]
    lost = {
        u.node for u in drained(queue) if isinstance(u, NodeUpdate) and u.state == "unreachable"
    }
    assert lost == set(names)


def test_that_a_node_that_stays_away_is_the_reason_and_what_it_has_is_kept(
    nodes: SshdNodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuts, "RECONNECT_LIMIT_S", 0.5)
    really = AgentLink.start_task

    def away(link: AgentLink, launch: TaskLaunch) -> Any:
        nodes.cut_link(0)
        nodes.kill_connections(0)
        return really(link, launch)

    monkeypatch.setattr(AgentLink, "start_task", away)
    profile = profile_of(nodes, 1, free_ports(1)[0])
    try:
        with session_of(profile, nodes, SimpleQueue[Update](), tmp_path) as session:
            result = session.launch().wait(4 * PATIENCE_S)
    finally:
        nodes.restore_link(0)
    assert result is not None
    assert result.state == "failed"
    assert "gpu001: the node did not come back within 0 s: " in result.reason
    assert "Launch again once it answers" in result.reason
