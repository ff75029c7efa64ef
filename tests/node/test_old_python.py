"""What runs on a node runs on Python 3.6, with the standard library only."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import remote.node
from remote.link.bootstrap import bundle, node_sources
from tests.support.local_node import PYTHONS, LocalNode
from tests.support.waiting import PATIENCE_S, until

SOURCES = sorted(Path(remote.node.__path__[0]).rglob("*.py"))
OLD = [PYTHONS / f"{v}/bin/python3" for v in ("3.6.15", "3.7.16", "3.8.18")]
NEWER_THAN_36 = {
    "dataclasses",
    "contextvars",
    "graphlib",
    "tomllib",
    "zoneinfo",
    "importlib.metadata",
}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_that_sources_are_python_36_and_import_only_the_library_and_themselves(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 6))
    modules = set()
    for item in ast.walk(tree):
        if isinstance(item, ast.Import):
            modules |= {alias.name for alias in item.names}
        elif isinstance(item, ast.ImportFrom):
            assert item.level == 0
            modules.add(item.module or "")
        assert not isinstance(item, ast.NamedExpr)
    ours = {name for name in modules if name.split(".")[0] in ("remote", "trainer", "gui")}
    assert all(name.startswith("remote.node") for name in ours)
    others = {name.split(".")[0] for name in modules - ours}
    assert others <= set(sys.stdlib_module_names)
    assert not modules & NEWER_THAN_36


def test_that_no_source_is_long() -> None:
    assert all(len(path.read_text().splitlines()) <= 400 for path in SOURCES)
    assert len(bundle("n")) < 550_000


@pytest.mark.parametrize("python", OLD, ids=lambda path: path.parts[-3])
def test_that_agent_and_supervisor_run_on_an_old_python(node: LocalNode, python: Path) -> None:
    if not python.exists():
        pytest.skip(f"{python} is not on this machine")
    (node.tools / "python3").symlink_to(python)
    # Without a locale Python 3.6 takes file names for ASCII; ours are not.
    for name in ("LANG", "LC_ALL"):
        node.env.pop(name, None)
    found = node.connect()
    assert found.link.hello.python_version == python.parts[-3]
    node.deploy(found.link)
    facts = found.link.probe(
        root=node.root,
        python=sys.executable,
        setup=["export A=ü"],
        variables={"B": "ü"},
        ports_from=2220,
        gpus="all",
    )
    assert facts.root == node.root
    assert facts.python
    program = "import os\nprint(os.environ['CLEW_NODE'], 'ü')"
    found.link.start_task(node.launch(program, run_id="läuf"))
    found.link.follow(root=node.root, run_id="läuf", offsets={})
    until(lambda: found.bytes_of("worker:0", "log") == f"{node.name} ü\n".encode())
    until(lambda: found.states() and not found.states()[-1].alive)
    assert found.states()[-1].state["state"] == "finished"
    (task,) = found.link.runs(root=node.root)
    assert (task.run_id, task.state["node"]) == ("läuf", node.name)
    assert found.link.stop_run(root=node.root, run_id="läuf", grace_s=1) == []


@pytest.mark.parametrize("python", OLD, ids=lambda path: path.parts[-3])
def test_that_every_module_imports_on_an_old_python(python: Path) -> None:
    if not python.exists():
        pytest.skip(f"{python} is not on this machine")
    names = ", ".join(name for name in node_sources() if name.startswith("remote.node"))
    root = str(Path(remote.node.__path__[0]).parents[1])
    done = subprocess.run(
        [str(python), "-W", "error", "-B", "-c", f"import {names}"],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
