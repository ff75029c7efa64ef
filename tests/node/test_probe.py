"""What a node has, and everything that is wrong with it, as one value."""

import os
import platform
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from remote.errors import NodeError
from remote.facts import NodeFacts, Problem
from remote.link import AgentLink
from remote.node import procs, task_python
from tests.support.local_node import PYTHONS, LocalNode
from tests.support.waiting import until

ROOT_ONLY = pytest.mark.skipif(os.getuid() != 0, reason="mounts need root")


def probe(link: AgentLink, **changes: Any) -> NodeFacts:
    asked: dict[str, Any] = {
        "root": "~/.clew",
        "python": sys.executable,
        "setup": [],
        "variables": {},
        "ports_from": 2220,
        "gpus": "all",
    }
    return link.probe(**{**asked, **changes})


def only(facts: NodeFacts) -> Problem:
    (problem,) = facts.problems
    assert problem.what
    assert problem.remedy
    return problem


def fake_python(node: LocalNode, body: str) -> str:
    path = node.home / "my 'python'"
    path.write_text("#!/bin/sh\n" + body)
    path.chmod(0o755)
    return str(path)


def site_with(node: LocalNode, name: str, version: str) -> str:
    """A folder that holds a package ``tensorflow`` which may not be imported."""
    site = node.home / "site packages"
    (site / "tensorflow").mkdir(parents=True)
    (site / "tensorflow" / "__init__.py").write_text("raise SystemExit('it was imported')\n")
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return str(site)


def test_that_a_good_node_has_no_problem(node: LocalNode) -> None:
    site = site_with(node, "tensorflow-cpu", "2.99.1")
    link = node.connect().link
    # The folder comes first on the path, so this machine's own TensorFlow does not matter.
    facts = probe(link, variables={"PYTHONPATH": site})
    assert facts.problems == ()
    assert facts.usable
    assert facts.root == node.root
    assert Path(facts.root).is_dir()
    assert os.listdir(facts.root) == []
    assert facts.python == sys.executable
    assert facts.python_version == platform.python_version()
    assert facts.tensorflow_version is not None
    assert facts.cpus == len(os.sched_getaffinity(0))
    assert 1 << 20 < facts.memory_bytes < 1 << 50
    assert facts.disk_free_bytes > 0
    assert facts.gpus == ()
    assert facts.gpu_note.startswith("no NVIDIA GPU here")
    assert facts.boot_id
    assert facts.network_namespace == os.readlink("/proc/self/ns/net")


@pytest.mark.parametrize("name", ["tensorflow", "tensorflow-cpu", "tf-nightly"])
def test_that_tensorflow_is_found_by_any_of_its_names_and_not_imported(
    node: LocalNode, name: str
) -> None:
    site = site_with(node, name, "9.8.7")
    bare = fake_python(node, f'exec {sys.executable} -S "$@"\n')
    facts = probe(node.connect().link, python=bare, variables={"PYTHONPATH": site})
    assert (facts.tensorflow_version, facts.problems) == ("9.8.7", ())


def test_that_a_python_without_tensorflow_is_said(node: LocalNode) -> None:
    bare = fake_python(node, f'exec {sys.executable} -I -S "$@"\n')
    problem = only(probe(node.connect().link, python=bare))
    assert problem.fatal
    assert "no TensorFlow" in problem.what
    assert "environment.python" in problem.remedy
    assert 'environment.packages to what Clew is to install for it, like ["tensor' in problem.remedy


def test_that_a_python_that_is_missing_old_or_broken_is_said(node: LocalNode) -> None:
    link = node.connect().link
    problem = only(probe(link, python="~/no such/python"))
    assert "there is no Python at ~/no such/python" in problem.what
    problem = only(probe(link, python=fake_python(node, "echo cannot load libx >&2; exit 4\n")))
    assert "exit status 4" in problem.what
    assert "cannot load libx" in problem.what
    old = PYTHONS / "3.8.18/bin/python3"
    if old.exists():
        facts = probe(link, python=str(old))
        assert "Python 3.8.18, and the trainer needs 3.10" in only(facts).what


def test_that_a_failing_setup_line_is_named_with_its_words(node: LocalNode) -> None:
    lines = ["echo fine", "echo 'no module \"cuda\"' >&2; false", "echo never"]
    problem = only(probe(node.connect().link, setup=lines))
    assert problem.fatal
    assert 'no module "cuda"' in problem.what
    assert "false" in problem.what
    assert "environment.setup" in problem.remedy


def test_that_a_setup_line_that_ends_the_shell_is_not_pythons_fault(node: LocalNode) -> None:
    problem = only(probe(node.connect().link, setup=["exit 5"]))
    assert "after the setup lines (exit status 5)" in problem.what
    assert "environment.setup ends the shell" in problem.remedy


def test_that_setup_lines_may_bring_the_python(node: LocalNode) -> None:
    (node.home / "bin").mkdir()
    (node.home / "bin" / "taskpython").symlink_to(sys.executable)
    lines = ['export PATH="$HOME/bin:$PATH"', "echo this is noise"]
    link = node.connect().link
    facts = probe(link, setup=lines, python="taskpython")
    assert facts.python_version == platform.python_version()
    problem = only(probe(link, setup=["true"], python="taskpython"))
    assert "after the setup lines" in problem.what


def test_that_a_variable_that_cannot_be_one_is_said(node: LocalNode) -> None:
    problem = only(probe(node.connect().link, variables={"A B": "1"}))
    assert "'A B' cannot be the name" in problem.what


def test_that_held_ports_are_listed_with_their_holder(node: LocalNode) -> None:
    link = node.connect().link
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        facts = probe(link, ports_from=port)
        (holder,) = [item for item in facts.ports_in_use if item.port == port]
        assert holder.pid == os.getpid()
        assert holder.program
        assert (holder.run_id, holder.task) == ("", "")
    assert all(item.port != port for item in probe(link, ports_from=port).ports_in_use)


@ROOT_ONLY
@pytest.mark.parametrize(
    ("mount", "why"),
    [
        (
            'mount -t tmpfs -o size=64k tmpfs "$HOME" && ! cat /dev/zero > "$HOME/x" 2>/dev/null',
            "no space left",
        ),
        ('mount -t tmpfs tmpfs "$HOME" && mount -o remount,ro "$HOME"', "read-only"),
    ],
)
def test_that_another_folder_is_used_when_the_root_takes_no_file(
    node: LocalNode, tmp_path: Path, mount: str, why: str
) -> None:
    script = f'{mount} && exec /bin/sh "$@"'
    node.shell = ["unshare", "--mount", "/bin/sh", "-c", script, "x"]
    session = tmp_path / "session"
    session.mkdir()
    node.env["XDG_RUNTIME_DIR"] = str(session)
    facts = probe(node.connect().link)
    problem = only(facts)
    assert not problem.fatal
    assert why in problem.what
    assert f"files go to {session}/clew instead" in problem.what
    assert f"Set storage.root in the profile to {session}/clew to agree" in problem.remedy
    assert facts.root == f"{session}/clew"
    assert facts.usable
    del node.env["XDG_RUNTIME_DIR"]
    facts = probe(node.connect().link)
    assert facts.root.startswith("/var/tmp/clew-")
    os.rmdir(facts.root)


def test_that_a_path_is_verified_on_the_node(node: LocalNode) -> None:
    link = node.connect().link
    (node.home / "data ü").mkdir()
    assert link.verify_path("~/data ü") == str(node.home / "data ü")
    with pytest.raises(NodeError, match=r"there is no .*nothing on this node") as caught:
        link.verify_path("~/nothing")
    assert caught.value.node == node.name
    assert caught.value.remedy


def test_that_a_hanging_python_is_given_up(
    node: LocalNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_python, "LIMIT_S", 0.3)
    found = task_python.examine(fake_python(node, "exec sleep 60\n"), [], {})
    assert "gave no answer" in found.problems[0][0]


def test_that_what_hangs_is_named_and_ended(
    node: LocalNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what a setup line has moved out of the check's process group."""
    monkeypatch.setattr(task_python, "LIMIT_S", 1.5)
    monkeypatch.setenv("HOME", str(node.home))
    word = f"7{os.getpid()}"

    def sleeping() -> list[int]:
        return [pid for pid in procs.mine() if procs.program(pid) == f"sleep {word}"]

    def said(python: str, setup: list[str]) -> str:
        return task_python.examine(python, setup, {}).problems[0][0]

    lines = ["export A=1", f"setsid sleep {word} & sleep {word}", "true"]
    assert said(sys.executable, lines) == f"the setup line {lines[1]!r} did not end in 1 s"
    until(lambda: not sleeping())
    hanging = fake_python(node, f"exec sleep {word}\n")
    assert said(hanging, ["true"]) == f"{hanging} gave no answer in 1 s"
    (node.home / ".bash_profile").write_text(f"sleep {word}\n")
    assert "bash -l did not get to environment.setup" in said(sys.executable, lines)
    until(lambda: not sleeping())
