"""A closer look at a node: what it finds of disks, limits, the shell and the GPUs' users."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from remote.survey import NodeSurvey
from tests.support.local_node import PYTHONS, Connected, LocalNode

SMI = """\
#!/bin/sh
case "$1" in
  *driver_version*) echo 550.54.15; echo 550.54.15 ;;
  *compute-apps*) echo "GPU-1, $PPID, 1024"; echo "GPU-2, 999999999, [N/A]"; echo "No processes" ;;
  *) exit 1 ;;
esac
"""


def look(
    found: Connected,
    *places: tuple[str, str],
    setup: tuple[str, ...] = (),
    variables: dict[str, str] | None = None,
) -> NodeSurvey:
    return found.link.checks.survey(
        places=places, python=sys.executable, setup=setup, variables=variables or {}
    )


def test_that_a_disk_is_tried_and_left_as_it_was(node: LocalNode) -> None:
    found = look(node.connect(), ("runs", "~"), ("home", "~/not yet/there"))
    runs, home = found.disks
    assert (runs.path, home.path) == (str(node.home), str(node.home / "not yet" / "there"))
    for disk in (runs, home):
        assert disk.error == ""
        assert disk.write_s is not None
        assert 0 < disk.free_bytes <= disk.total_bytes
        assert disk.kind
        assert not disk.read_only
    assert found.silent == ()
    assert list(node.home.glob(".clew-check*")) == []
    assert not (node.home / "not yet").exists()


def test_that_data_on_the_node_are_only_read(node: LocalNode, tmp_path: Path) -> None:
    data = tmp_path / "dätä"
    data.mkdir()
    good, absent = look(node.connect(), ("data", str(data)), ("data", "/no such")).disks
    assert (good.error, good.write_s) == ("", None)
    assert "/no such" in absent.error
    assert absent.remedy


def test_that_limits_are_those_of_a_task_after_the_setup_lines(node: LocalNode) -> None:
    found = look(node.connect(), setup=("ulimit -n 300",))
    assert found.limits["nofile"] == (300, 300)
    assert set(found.limits) == {"nofile", "nproc", "memlock"}
    assert found.threads >= 1


def test_that_a_setup_line_that_fails_costs_only_the_limits(node: LocalNode) -> None:
    found = look(node.connect(), ("runs", "~"), setup=("false",))
    assert found.limits == {}
    assert found.disks[0].error == ""


def test_that_proxies_are_those_of_a_task_after_the_setup_lines(node: LocalNode) -> None:
    facts = node.connect().link.probe(
        root=node.root,
        python=sys.executable,
        setup=["export no_proxy=.läb HTTPS_PROXY=http://x:1"],
        variables={"http_proxy": "http://pröxy:1"},
        ports_from=2220,
        gpus="all",
    )
    assert facts.proxies == {"http_proxy": "http://pröxy:1", "no_proxy": ".läb"}


def test_that_the_users_of_gpus_are_found(node: LocalNode) -> None:
    tool = node.tools / "nvidia-smi"
    tool.write_text(SMI)
    tool.chmod(0o755)
    found = look(node.connect())
    assert found.driver == "550.54.15"
    one, other = found.gpu_users
    assert (one.gpu, one.memory_bytes) == ("GPU-1", 1 << 30)
    assert one.user
    assert "python" in one.program  # it named its parent, which is the agent
    assert (other.pid, other.user, other.program, other.memory_bytes) == (999999999, "", "", None)


def test_that_no_tool_is_no_driver(node: LocalNode) -> None:
    found = look(node.connect())
    assert (found.driver, found.gpu_users) == ("", ())
    assert found.shell == os.path.basename(found.shell) != ""


def test_that_all_of_it_runs_on_python_36(node: LocalNode) -> None:
    python = PYTHONS / "3.6.15/bin/python3"
    if not python.exists():
        pytest.skip(f"{python} is not on this machine")
    (node.tools / "python3").symlink_to(python)
    for name in ("LANG", "LC_ALL"):
        node.env.pop(name, None)
    link = node.connect().link
    assert link.hello.python_version == "3.6.15"
    (disk,) = look(node.connect(), ("runs", node.root)).disks
    assert disk.error == ""
    token = "c" * 32
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert link.checks.listen(token, 0, [port], 30) == []
    (found,) = link.checks.dial(token, [("127.0.0.1", port, 0)], 5.0)
    assert found.how == "open"
    assert link.checks.measure(token, ("127.0.0.1", port, 0), 0.05, 5.0)
    link.checks.unlisten(token)
