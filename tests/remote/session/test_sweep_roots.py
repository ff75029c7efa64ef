"""A sweep also looks where runs of the history lay, and nowhere that only a stranger names."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from remote.history import History, RunRecord, TaskRecord
from remote.session.sweep import Found, look, remove
from tests.support.facts import node_facts
from tests.support.local_node import LocalNode
from trainer.spec import TaskId

OLD_S = 2 * 86400.0


@pytest.fixture
def node(tmp_path: Path) -> Iterator[LocalNode]:
    made = LocalNode(tmp_path / "a 'node' \"ü\"")
    yield made
    made.close()


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    found = History(tmp_path / "history.db")
    yield found
    found.close()


def session(node: LocalNode, history: History) -> Any:
    """As much of a session as a sweep needs: its only node is real."""
    link = node.connect().link
    facts = replace(node_facts(node.name, ()), root=node.root)
    return SimpleNamespace(
        facts=lambda: {node.name: facts},
        nodes={node.name: SimpleNamespace(link=lambda: link)},
        history=history,
        profile=SimpleNamespace(ports=SimpleNamespace(first=2220)),
        active_runs=list,
    )


def put_run(history: History, run_id: str, node: str, root: Path, *, at: float = 0.0) -> None:
    history.add_run(
        RunRecord(run_id=run_id, name="lab", started_at=at),
        [TaskRecord(task=TaskId("worker", 0), node=node, root=str(root))],
    )


def unfinished(root: Path) -> Path:
    part = root / "data" / ".part-left"
    part.mkdir(parents=True)
    (part / ".clew-journal").write_text("{}\n")
    old = time.time() - OLD_S
    for path in (part / ".clew-journal", part):
        os.utime(path, (old, old))
    return part


def parts(found: tuple[Found, ...]) -> list[Found]:
    return [one for one in found if one.item.kind == "part"]


def test_that_roots_of_earlier_runs_are_looked_below_and_swept(
    node: LocalNode, history: History, tmp_path: Path
) -> None:
    scratch, strange = tmp_path / "scratch ü", tmp_path / "strange"
    put_run(history, "20261130-1501-aaaa", node.name, scratch)
    put_run(history, "20261130-1502-bbbb", node.name, tmp_path / "not there")
    put_run(history, "20261130-1503-cccc", "another node", strange)
    put_run(history, "20261130-1504-dddd", node.name, strange)
    history.set_imported("20261130-1504-dddd")
    own, other, theirs = (unfinished(root) for root in (Path(node.root), scratch, strange))
    at = session(node, history)
    seen = look(at)
    found = parts(seen.found)
    assert {one.title for one in found} == {"data/.part-left", f"{scratch}/data/.part-left"}
    assert {one.nodes for one in found} == {(node.name,)}
    assert all(one.is_suggested for one in found)
    swept = remove(at, seen, found)
    assert [(done.gone, done.why) for done in swept] == [(True, "")] * 2
    assert {done.found.root for done in swept} == {"", str(scratch)}
    assert (own.exists(), other.exists(), theirs.exists()) == (False, False, True)


def test_that_one_root_with_two_names_is_one(
    node: LocalNode, history: History, tmp_path: Path
) -> None:
    Path(node.root).mkdir()
    alias = tmp_path / "alias"
    alias.symlink_to(node.root)
    put_run(history, "20261130-1501-aaaa", node.name, alias)
    unfinished(Path(node.root))
    (found,) = parts(look(session(node, history)).found)
    assert (found.root, found.nodes) == ("", (node.name,))


def test_that_the_newest_roots_come_first(history: History, tmp_path: Path) -> None:
    put_run(history, "20261130-1501-aaaa", "gpu 1", tmp_path / "old", at=1.0)
    put_run(history, "20261130-1502-bbbb", "gpu 1", tmp_path / "new", at=5.0)
    put_run(history, "20261130-1503-cccc", "gpu 1", tmp_path / "old", at=3.0)
    assert history.roots() == {"gpu 1": (str(tmp_path / "new"), str(tmp_path / "old"))}
