"""Environments that are made on a node by pip, from an index or from wheels that were sent."""

from __future__ import annotations

import ensurepip
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from remote.bundle import folder_tree
from remote.errors import Cancelled, ClewError, LinkLost, NodeError
from remote.facts import NodeFacts
from remote.link import AgentLink, Made, Order, Packages
from tests.support.local_node import LocalNode, until
from tests.support.wheel_index import Index, Wheel, serving

SMALL = Wheel("clew_small", needs=["clew-large>=2"])
LARGE = Wheel("clew_large", "2.1", filler_bytes=300_000)
OLD = Wheel("clew_large", "1.0")
CLOSED = "http://127.0.0.1:9/simple/"


@pytest.fixture
def index() -> Iterator[Index]:
    with serving(SMALL, LARGE, OLD) as found:
        yield found


def order(node: LocalNode, url: str, *packages: str, **changes: Any) -> Order:
    variables = {"PIP_INDEX_URL": url, **changes.pop("variables", {})}
    values = {"root": node.root, "python": sys.executable, "packages": packages or ("clew-small",)}
    return Order(**{**values, "variables": variables, **changes})


def make(
    link: AgentLink,
    wanted: Order,
    told: list[tuple[str, int, int, str]] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Made:
    def progress(action: str, done: int, total: int, unit: str) -> None:
        if told is not None:
            told.append((action, done, total, unit))

    return link.environments.make(wanted, progress, cancelled)


def left(node: LocalNode) -> list[str]:
    folder = Path(node.root, "env")
    return sorted(os.listdir(folder)) if folder.exists() else []


def imported(python: str, module: str) -> str:
    code = f"import {module}; print({module}.VERSION)"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def probe(link: AgentLink, node: LocalNode, wanted: Order, **packages: Any) -> NodeFacts:
    return link.probe(
        root=node.root,
        python=wanted.python,
        setup=wanted.setup,
        variables=wanted.variables,
        ports_from=2220,
        gpus="none",
        packages=Packages(wanted.packages, **packages),
    )


def test_that_two_who_want_the_same_on_one_disk_get_one_and_it_is_kept(
    node: LocalNode, index: Index
) -> None:
    links = [node.connect().link, node.connect().link]
    wanted = order(node, index.url)
    facts = probe(links[0], node, wanted)
    assert (facts.environment, facts.problems) == ("missing", ())
    assert facts.base is not None
    assert facts.base.version == facts.python_version
    told: list[tuple[str, int, int, str]] = []
    made: list[Made] = []
    threads = [
        threading.Thread(target=lambda at=at: made.append(make(links[at], wanted, told)))
        for at in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made[0] == made[1]
    python = made[0].python
    assert (index.fetched(SMALL), index.fetched(LARGE), index.fetched(OLD)) == (1, 1, 0)
    assert imported(python, "clew_large") == "2.1"
    assert left(node) == [Path(python).parts[-3]]
    actions = {action for action, _, _, _ in told}
    assert {"environment: fetching packages", "environment: installing packages"} <= actions
    assert all(0 <= done <= total for _, done, total, _ in told)
    asked = sum(index.asked.values())
    assert make(links[1], wanted).python == python
    assert sum(index.asked.values()) == asked
    facts = probe(links[1], node, wanted)
    assert (facts.environment, facts.python, facts.problems) == ("ready", python, ())
    assert facts.tensorflow_version is None

    # Without the note that is written last it is none; whoever wants it makes it anew.
    Path(python).parents[1].joinpath(".clew-env.json").unlink()
    assert probe(links[0], node, wanted).environment == "missing"

    listed = links[0].environments.listed(node.root)
    assert [(item.kind, item.whole, item.in_use) for item in listed] == [
        ("environment", False, False)
    ]
    assert listed[0].size_bytes > 300_000
    assert links[0].environments.remove(node.root, [listed[0].key]) == [listed[0].key]
    assert left(node) == []


def test_that_a_killed_agent_is_gone_on_from_and_nothing_is_fetched_twice(
    node: LocalNode,
) -> None:
    first, second = Wheel("clew_first", filler_bytes=50_000), Wheel("clew_second")
    with serving(first, second) as index:
        index.held.add(second.filename)
        wanted = order(node, index.url, "clew-first", "clew-second")
        found = node.connect()

        def kill() -> None:
            assert index.holding.wait(60)
            wheel = f"env/.part-*/wheels/{first.filename}"
            until(lambda: list(Path(node.root).glob(wheel)), 30)
            os.kill(found.link.hello.pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        with pytest.raises(LinkLost):
            make(found.link, wanted)
        killer.join()
        index.held.clear()
        index.release.set()
        python = make(node.connect().link, wanted).python
        assert imported(python, "clew_second") == "1.0"
        assert index.fetched(first) == 1
        assert left(node) == [Path(python).parts[-3]]


def test_that_cancelling_leaves_nothing(node: LocalNode) -> None:
    with serving(LARGE) as index:
        index.held.add(LARGE.filename)
        link = node.connect().link
        with pytest.raises(Cancelled):
            make(link, order(node, index.url, "clew-large"), cancelled=index.holding.is_set)
        assert left(node) == []
        pids = [int(p) for p in os.listdir("/proc") if p.isdigit()]
        assert not [pid for pid in pids if node.root in _command(pid)]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def test_that_what_pip_cannot_do_is_one_sentence_and_leaves_nothing(
    node: LocalNode, index: Index
) -> None:
    link = node.connect().link
    with pytest.raises(NodeError, match="no package for clew-absent that fits Python 3") as caught:
        make(link, order(node, index.url, "clew-absent"))
    assert "environment.packages" in caught.value.remedy
    made = make(link, order(node, CLOSED, give_up=True))
    assert made.python == ""
    assert made.no_index == "the package index does not answer (Connection refused)"
    assert left(node) == []


def without_ensurepip(folder: Path) -> dict[str, str]:
    """As a Debian without python3-venv has it: the module is not there."""
    folder.mkdir()
    text = "raise ModuleNotFoundError(\"No module named 'ensurepip'\", name='ensurepip')\n"
    (folder / "ensurepip.py").write_text(text)
    return {"PYTHONPATH": str(folder)}


def test_that_a_python_without_ensurepip_needs_wheels_that_bring_pip(
    node: LocalNode, tmp_path: Path
) -> None:
    link = node.connect().link
    variables = without_ensurepip(tmp_path / "site")
    with pytest.raises(NodeError, match="has no ensurepip") as caught:
        make(link, order(node, CLOSED, variables=variables))
    assert "-venv" in caught.value.remedy
    assert "environment.wheels to desktop" in caught.value.remedy
    made = make(link, order(node, CLOSED, variables=variables, give_up=True))
    assert "has no ensurepip" in made.no_index
    assert left(node) == []
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    for wheel in (SMALL, LARGE):
        wheel.write(wheels)
    bundled = list((Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl"))
    bundled += list(Path("/usr/share/python-wheels").glob("pip-*.whl"))
    if not bundled:
        pytest.skip("there is no wheel of pip on this machine")
    shutil.copy(bundled[0], wheels)
    tree = folder_tree(wheels, "wheels")
    sent = link.put_tree(
        tree, root=node.root, progress=lambda done, total: None, cancelled=lambda: False
    )
    wanted = order(node, CLOSED, variables=variables, wheels=sent, digest=tree.id.digest)
    python = make(link, wanted).python
    assert imported(python, "clew_small") == "1.0"
    asked = {"wheels": "desktop", "digests": (tree.id.digest,)}
    assert probe(link, node, wanted, **asked).environment == "ready"
    assert probe(link, node, wanted, wheels="desktop").environment == "missing"
    assert probe(link, node, wanted, wheels="index").environment == "missing"


def test_that_hostile_words_reach_nothing_but_pip(node: LocalNode, index: Index) -> None:
    link = node.connect().link
    trap = node.home / "trap"
    for hostile in (f"$(touch {trap})", f"--log={trap}"):
        with pytest.raises(ClewError):
            make(link, order(node, index.url, hostile, setup=("true",)))
    for root in ("relative", ""):
        with pytest.raises(ClewError):
            make(link, order(node, index.url, root=root))
    assert not trap.exists()
    assert link.environments.remove(node.root, ["../../x", "..", "x"]) == []
