"""The nodes that other tests stand on are what they claim to be."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.node_processes import command_of
from tests.support.ssh import Desk, known, run, target
from tests.support.sshd import NodeOptions, SshdNodes, why_no_nodes
from tests.support.waiting import until

pytestmark = [
    pytest.mark.nodes,
    pytest.mark.skipif(why_no_nodes() is not None, reason=str(why_no_nodes())),
]


def test_that_options_change_a_node(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "nvidia-smi").write_text("#!/bin/sh\necho fake\n")
    (tools / "nvidia-smi").chmod(0o755)
    options = {
        0: NodeOptions(path_front=tools),
        1: NodeOptions(home_tmpfs="64k"),
    }
    with SshdNodes(tmp_path / "nodes", mode="loop", count=2, options=options) as nodes:
        desk = Desk(known(nodes, tmp_path))
        with desk.connected(target(nodes.node(0), nodes.client_key)) as connector:
            assert run(connector, "nvidia-smi").strip() == "fake"
            assert run(connector, "echo ~; touch ~/here").strip() == str(nodes.node(0).home)
            assert "here" in os.listdir(nodes.node(0).home)
        with desk.connected(target(nodes.node(1), nodes.client_key)) as connector:
            full = run(connector, "head -c 1000000 /dev/zero 2>&1 >~/big; echo $?")
            assert "No space left" in full
            assert run(connector, "nvidia-smi 2>/dev/null; echo $?").strip() != "fake"


@pytest.mark.parametrize("mode", ["loop", "netns"])
def test_that_nothing_is_left_of_nodes_that_are_down(tmp_path: Path, mode: str) -> None:
    nodes = SshdNodes(tmp_path / "nodes", mode=mode, count=2)  # type: ignore[arg-type]
    with nodes:
        desk = Desk(known(nodes, tmp_path))
        with desk.connected(target(nodes.node(0), nodes.client_key)) as connector:
            run(connector, "setsid sleep 9876 </dev/null >/dev/null 2>&1 &")
        until(lambda: [process.text for process in nodes.processes(0)] == ["sleep 9876"])
        (process,) = nodes.processes(0)
        names = [node.namespace for node in nodes.nodes]
    nodes.down()
    assert not command_of(process.pid)
    listed = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout
    assert not any(name and name in listed for name in names)


def test_that_two_sets_of_nodes_do_not_meet(tmp_path: Path) -> None:
    with (
        SshdNodes(tmp_path / "a", count=1) as one,
        SshdNodes(tmp_path / "b", count=1) as two,
    ):
        assert one.node(0).ip != two.node(0).ip
        for nodes in (one, two):
            desk = Desk(known(nodes, nodes.folder))
            with desk.connected(target(nodes.node(0), nodes.client_key)) as connector:
                assert run(connector, "hostname").strip() == "gpu001"
