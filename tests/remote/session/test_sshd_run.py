"""MNIST on three sshd nodes, each with its own network, one ps and two workers."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

import pytest

from remote.profile import loads
from remote.session import stop_leftovers
from remote.updates import NodeUpdate, ResultUpdate, StepsUpdate, TaskUpdate
from tests.support.commands import clew, objects
from tests.support.sessions import Watched, file_of, recorded, watched
from tests.support.sshd import SshdNodes
from tests.support.threads import ended
from tests.support.waiting import within

pytestmark = [pytest.mark.tf, pytest.mark.timeout(1500)]
LIMIT_S = 400.0
"""For an epoch of MNIST on three nodes, whatever else the machine does."""

PROFILE = """\
clew: 1
name: sshd
ssh: {{user: root, identity_file: {key}}}
nodes: [{nodes}]
environment: {{python: {python}}}
training:
  model: mnist_cnn
  dataset: {{name: mnist, path: {data}, on: {on}}}
  workers: 2
  ps: 1
  {length}
"""


def profile_text(nodes: SshdNodes, data: Path, length: str, on: str = "desktop") -> str:
    listed = ", ".join(f"{{host: {n.ip}, name: {n.name}, port: {n.port}}}" for n in nodes.nodes)
    return PROFILE.format(
        key=nodes.client_key,
        nodes=listed,
        python=sys.executable,
        data=data,
        on=on,
        length=length,
    )


def assert_whole(nodes: SshdNodes, w: Watched, run_id: str) -> None:
    """Every event of every file was recorded once, and every step told once."""
    homes = {node.name: node.home for node in nodes.nodes}
    for record in w.history.tasks(run_id):
        task = str(record.task)
        file = file_of(homes[record.node], run_id, task)
        assert recorded(w.history, run_id, task) == file.read_bytes()
        series = w.history.steps(run_id).get(record.task)
        told = [s for u in w.of(StepsUpdate) if u.task == record.task for s in u.steps]
        assert told == (list(series.steps) if series else [])


def assert_nothing_runs(nodes: SshdNodes) -> None:
    for index in range(3):
        words = [p.text for p in nodes.processes(index)]
        assert not [w for w in words if "trainer" in w or "supervisor" in w], words


def test_that_a_run_survives_broken_connections_and_learns(
    sshd_nodes: SshdNodes, shared_data: Path, tmp_path: Path
) -> None:
    data = shared_data / "data" / "mnist"
    if not data.is_dir():
        pytest.skip("MNIST is not in the shared data folder")
    profile = loads(profile_text(sshd_nodes, data, "epochs: 1"), "sshd").profile
    with watched(profile, tmp_path, known_hosts=[sshd_nodes.known_hosts]) as w:
        run = w.session.launch()
        w.wait_for(lambda w: len(w.of(StepsUpdate)) > 4, LIMIT_S)
        threads = threading.active_count()
        for index in range(3):
            assert sshd_nodes.kill_connections(index) > 0
        w.wait_for(lambda w: any(u.unknown_since for u in w.of(TaskUpdate)))
        result = run.wait(LIMIT_S)
        assert result is not None
        assert (result.state, result.left_behind) == ("finished", ()), result
        assert {"unreachable"} <= {n.state for n in w.of(NodeUpdate)}
        assert result.accuracy is not None
        assert result.accuracy > 0.95
        assert result.examples >= 59_000
        assert_whole(sshd_nodes, w, run.run_id)
        assert_nothing_runs(sshd_nodes)
        assert ended(threads + 1), "a reconnect leaves no thread behind"


def test_that_a_cut_network_is_noticed_and_filled_in(sshd_nodes: SshdNodes, tmp_path: Path) -> None:
    text = profile_text(sshd_nodes, Path("/nowhere"), "steps: 1000000")
    text = text.replace("name: mnist, path: /nowhere", "name: synthetic")
    profile = loads(text, "sshd").profile
    with watched(profile, tmp_path, known_hosts=[sshd_nodes.known_hosts]) as w:
        run = w.session.launch()
        w.wait_for(lambda w: "training" in w.states("worker:0"), LIMIT_S)
        chief = next(t for t in w.history.tasks(run.run_id) if str(t.task) == "worker:0")
        index = next(i for i, n in enumerate(sshd_nodes.nodes) if n.name == chief.node)
        sshd_nodes.cut_link(index)
        try:
            with within(8):
                w.wait_for(lambda w: chief_of(w).unknown_since is not None)
            assert chief_of(w).state != "finished"
        finally:
            sshd_nodes.restore_link(index)
        w.wait_for(lambda w: chief_of(w).unknown_since is None, LIMIT_S)
        run.stop()
        result = run.wait(LIMIT_S)
        assert result is not None
        assert (result.state, result.left_behind) == ("stopped", ()), result
        assert_whole(sshd_nodes, w, run.run_id)
        assert_nothing_runs(sshd_nodes)


def chief_of(w: Watched) -> TaskUpdate:
    return [u for u in w.of(TaskUpdate) if str(u.task) == "worker:0"][-1]


def until_clean(w: Watched, run_id: str) -> ResultUpdate:
    """The recorded result, once nothing is left."""

    def result() -> ResultUpdate:
        found = w.history.find(run_id).result
        assert found is not None
        return found

    w.wait_for(lambda w: not result().left_behind)
    return result()


def test_that_stop_says_which_node_it_could_not_ask(sshd_nodes: SshdNodes, tmp_path: Path) -> None:
    text = profile_text(sshd_nodes, Path("/nowhere"), "steps: 1000000")
    text = text.replace("name: mnist, path: /nowhere", "name: synthetic")
    profile = loads(text, "sshd").profile
    known = [sshd_nodes.known_hosts]
    with watched(profile, tmp_path, known_hosts=known) as w:
        run = w.session.launch()
        w.wait_for(lambda w: "training" in w.states("worker:1"), LIMIT_S)
        node = next(t.node for t in w.history.tasks(run.run_id) if str(t.task) == "worker:1")
        index = next(i for i, n in enumerate(sshd_nodes.nodes) if n.name == node)
        sshd_nodes.cut_link(index)
        try:
            w.wait_for(lambda w: w.session.node_updates()[node].state == "unreachable")
            run.stop()
            result = run.wait(LIMIT_S)
            assert result is not None
            assert result.state == "stopped"
            left = [(item.node, item.what) for item in result.left_behind]
            assert left == [(node, f"not reachable; it stops when {node} is heard again")]
            again = stop_leftovers(w.session, w.history.find(run.run_id))
            assert again.left_behind == result.left_behind, "the node is still away"
        finally:
            sshd_nodes.restore_link(index)
        w.wait_for(lambda w: w.session.node_updates()[node].state == "ready", LIMIT_S)
        w.wait_for(lambda w: not w.history.stop_orders.waiting(), LIMIT_S)
        ended = until_clean(w, run.run_id)
        assert (ended.state, ended.global_step) == ("stopped", result.global_step)
        assert_nothing_runs(sshd_nodes)
        file = file_of(sshd_nodes.node(index).home, run.run_id, "worker:1")
        w.wait_for(lambda w: not w.history.gaps.waiting(), LIMIT_S)
        assert recorded(w.history, run.run_id, "worker:1") == file.read_bytes()
        ended = until_clean(w, run.run_id)  # with what its last lines add to the numbers
        again = stop_leftovers(w.session, w.history.find(run.run_id))
        assert again == ended


def test_that_the_next_command_that_reaches_the_node_ends_what_a_stop_could_not(
    sshd_nodes: SshdNodes, weird_path: Path
) -> None:
    code = weird_path / "code"
    code.mkdir()
    (code / "sleep.py").write_text("import time\ntime.sleep(3600)\n")
    text = profile_text(sshd_nodes, Path("/nowhere"), "steps: 1").partition("training:")[0]
    training = {"code": str(code), "command": ["python", "sleep.py"], "workers": 2, "ps": 0}
    text += f"training: {json.dumps(training)}\n"
    path = weird_path / "p.yaml"
    path.write_text(text)
    trust = {"CLEW_KNOWN_HOSTS": str(sshd_nodes.known_hosts)}
    started = clew("run", path, "--detach", "--json", data=weird_path, **trust)
    assert started.returncode == 0, started.stdout + started.stderr
    sshd_nodes.cut_link(0)
    try:
        asked = clew("status", "--json", data=weird_path, **trust)
        first = clew("stop", "last", "--json", data=weird_path, **trust)
    finally:
        sshd_nodes.restore_link(0)
    *told, result = objects(asked.stdout)
    unknown = [u["unknown_since"] is not None for u in told if u["type"] == "task"]
    assert (asked.returncode, unknown) == (1, [True, False])
    assert result["reason"] == "no answer from gpu001"
    assert first.returncode == 1
    waits = "not reachable; it stops when gpu001 is heard again"
    assert objects(first.stdout)[-1]["left_behind"] == [f"gpu001: {waits}"]
    listed, _ = objects(clew("runs", "--json", data=weird_path).stdout)
    assert listed["stops_when_heard"] == ["gpu001"]
    asked = clew("status", "last", "--json", data=weird_path, **trust)
    assert objects(asked.stdout)[-1]["left_behind"] == [], "whoever reaches the node ends the run"
    assert_nothing_runs(sshd_nodes)
    second = clew("stop", "last", "--json", data=weird_path, **trust)
    assert second.returncode == 0, second.stdout + second.stderr
    assert objects(second.stdout)[-1]["left_behind"] == []
    assert_nothing_runs(sshd_nodes)


def test_that_a_data_set_that_is_not_on_the_nodes_starts_nothing(
    sshd_nodes: SshdNodes, tmp_path: Path
) -> None:
    text = profile_text(sshd_nodes, Path("/data/nö mnist"), "steps: 10", on="node")
    profile = loads(text, "sshd").profile
    with watched(profile, tmp_path, known_hosts=[sshd_nodes.known_hosts]) as w:
        result = w.session.launch().wait(LIMIT_S)
        assert result is not None
        assert result.state == "failed"
        assert "/data/nö mnist" in result.reason
        assert "gpu00" in result.reason
        assert_nothing_runs(sshd_nodes)
