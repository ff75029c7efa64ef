"""Uploads that break off go on; several of one tree to one disk are one."""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from remote.bundle import Tree, folder_tree
from remote.errors import Cancelled, ClewError, LinkLost
from remote.node import layout, parts
from remote.node.flushing import MOST_WAITING
from tests.support.local_node import Connected, LocalNode
from tests.support.waiting import PATIENCE_S


def parts_of(node: LocalNode) -> list[Path]:
    return list(Path(node.root).rglob(layout.PART_PREFIX + "*"))


def large_tree(folder: Path, sizes: tuple[int, ...] = (50_000,) * 100 + (20_000_000,)) -> Tree:
    folder.mkdir()
    for number, size in enumerate(sizes):
        (folder / f"{number:04}").write_bytes(os.urandom(size))
    return folder_tree(folder, "d")


def send(
    found: Connected,
    tree: Tree,
    root: str,
    progress: Callable[[int, int], None] = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> str:
    return found.link.put_tree(tree, root=root, progress=progress, cancelled=cancelled)


def kill_agent(found: Connected) -> None:
    os.kill(found.link.hello.pid, signal.SIGKILL)


def stored_bytes(node: LocalNode) -> int:
    """How much of unfinished uploads is on the node's disk."""
    files = [path for part in parts_of(node) for path in part.iterdir()]
    return sum(path.stat().st_size for path in files if path.name != layout.JOURNAL)


def broken_off(node: LocalNode, tree: Tree, at_bytes: int) -> int:
    """An upload whose agent is killed once so much has come; how much had come by then."""
    found = node.connect()
    killed: list[bool] = []

    def look() -> bool:
        if not killed and stored_bytes(node) >= at_bytes:
            killed.append(True)
            kill_agent(found)
        return False

    with pytest.raises(LinkLost):
        send(found, tree, node.root, cancelled=look)
    found.channel.process.wait(PATIENCE_S)
    return stored_bytes(node)


def same(path: str, tree: Tree) -> bool:
    return all(Path(path, f.path).read_bytes() == f.source.read_bytes() for f in tree.files)


@pytest.mark.parametrize("at_bytes", [2_000_000, 9_000_000])
def test_that_an_upload_goes_on_where_it_broke_off(
    node: LocalNode, tmp_path: Path, at_bytes: int
) -> None:
    tree = large_tree(tmp_path / "d")
    stored = broken_off(node, tree, at_bytes)
    assert len(parts_of(node)) == 1
    seen: list[int] = []
    path = send(node.connect(), tree, node.root, lambda done, total: seen.append(done))
    assert same(path, tree)
    # Small files that were begun, or not on the disk yet, come again.
    assert seen[0] > stored - (MOST_WAITING + 1) * 50_000
    assert parts_of(node) == []
    assert parts.is_whole(path)
    assert not Path(path, layout.JOURNAL).exists()


def test_that_bytes_that_were_damaged_meanwhile_are_not_published(
    node: LocalNode, tmp_path: Path
) -> None:
    tree = large_tree(tmp_path / "d", (20_000_000,))
    broken_off(node, tree, 8_000_000)
    (part,) = parts_of(node)
    with (part / "0000").open("r+b") as file:
        file.write(b"x" * 100)
    found = node.connect()
    with pytest.raises(ClewError, match="0000 arrived damaged"):
        send(found, tree, node.root)
    assert parts_of(node) == []
    assert same(send(found, tree, node.root), tree)


@pytest.mark.parametrize(
    "journal", [b"", b"\0" * 5000, b'{"file": "0000", "size": 5}\n', b"[1]\n", b'{"file": "00']
)
def test_that_a_journal_that_makes_no_sense_costs_only_time(
    node: LocalNode, tmp_path: Path, journal: bytes
) -> None:
    tree = large_tree(tmp_path / "d", (50_000,) * 100)
    broken_off(node, tree, 1)
    (part,) = parts_of(node)
    (part / layout.JOURNAL).write_bytes(journal)
    assert same(send(node.connect(), tree, node.root), tree)
    assert parts_of(node) == []


def test_that_a_cancelled_continuation_leaves_nothing(node: LocalNode, tmp_path: Path) -> None:
    tree = large_tree(tmp_path / "d")
    broken_off(node, tree, 8_000_000)
    done: list[int] = []
    with pytest.raises(Cancelled):
        send(
            node.connect(),
            tree,
            node.root,
            lambda sent, total: done.append(sent),
            lambda: bool(done),
        )
    assert parts_of(node) == []


def test_that_nodes_that_share_a_disk_get_it_once(node: LocalNode, tmp_path: Path) -> None:
    tree = large_tree(tmp_path / "d", (30_000_000,))
    first, second = node.connect(), node.connect()
    begun, sent_by_second, paths = threading.Event(), list[int](), list[str]()

    def progress(done: int, total: int) -> None:
        begun.set()

    one = threading.Thread(target=lambda: paths.append(send(first, tree, node.root, progress)))
    one.start()
    assert begun.wait(PATIENCE_S)
    paths.append(send(second, tree, node.root, lambda done, total: sent_by_second.append(done)))
    one.join(PATIENCE_S)
    assert paths[0] == paths[1]
    assert same(paths[0], tree)
    assert sent_by_second == [tree.total_bytes]  # only "it is there"
    assert parts_of(node) == []


def test_that_who_waits_for_another_s_upload_may_give_up_or_take_over(
    node: LocalNode, tmp_path: Path
) -> None:
    tree = large_tree(tmp_path / "d", (30_000_000,))
    first, second = node.connect(), node.connect()
    held, go_on = threading.Event(), threading.Event()
    errors: list[ClewError] = []

    def progress(done: int, total: int) -> None:
        held.set()
        go_on.wait(2 * PATIENCE_S)

    def send_first() -> None:
        try:
            send(first, tree, node.root, progress)
        except ClewError as error:
            errors.append(error)

    one = threading.Thread(target=send_first)
    one.start()
    assert held.wait(PATIENCE_S)
    asked: list[bool] = []
    with pytest.raises(Cancelled):
        send(second, tree, node.root, cancelled=lambda: asked.append(True) or len(asked) > 5)  # type: ignore[func-returns-value]
    assert len(parts_of(node)) == 1
    kill_agent(first)
    assert same(send(second, tree, node.root), tree)
    go_on.set()
    one.join(PATIENCE_S)
    assert [type(error) for error in errors] == [LinkLost]
