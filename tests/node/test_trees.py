"""Trees of files arrive whole or not at all."""

import os
import threading
import time
from pathlib import Path

import pytest

from remote.bundle import Tree, TreeId, app_tree, folder_tree
from remote.errors import Cancelled, DataError, NodeError
from remote.hashing import TreeFile
from remote.link import upload
from remote.node import uploads
from remote.node.refused import Refused
from tests.support.local_node import Connected, LocalNode
from tests.support.waiting import PATIENCE_S

ROOT_ONLY = pytest.mark.skipif(os.getuid() != 0, reason="mounts need root")


def send(found: Connected, tree: Tree, root: str) -> str:
    return found.link.put_tree(
        tree, root=root, progress=lambda done, total: None, cancelled=lambda: False
    )


def content(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    found = {str(path.relative_to(folder)): path.read_bytes() for path in files}
    found.pop(".clew-tree.json", None)
    return found


def parts(node: LocalNode) -> list[str]:
    return [path.name for path in Path(node.root).rglob(".part-*")]


def odd_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "data 'x'"
    for name in ("a b", 'it\'s "q"', "zeile\n2", "日本/ü.bin", "empty", "deep/er/file"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"" if name == "empty" else os.urandom(1000))
    (folder / "big").write_bytes(os.urandom(3_000_000))
    return folder


def mounted(node: LocalNode, mount: str) -> None:
    """Have agents of this node live where its home is another file system."""
    script = f'cd / && {mount} && cd "$HOME" && exec /bin/sh "$@"'
    node.shell = ["unshare", "--mount", "/bin/sh", "-c", script, "x"]


def test_that_any_names_and_sizes_arrive_unchanged(node: LocalNode, tmp_path: Path) -> None:
    folder, found = odd_folder(tmp_path), node.connect()
    tree = folder_tree(folder, "my data/ü")
    seen: list[tuple[int, int]] = []
    path = found.link.put_tree(
        tree,
        root=node.root,
        progress=lambda done, total: seen.append((done, total)),
        cancelled=lambda: False,
    )
    assert content(Path(path)) == content(folder)
    assert path.startswith(node.root + "/data/my%20data%2F%C3%BC-")
    assert seen[-1] == (tree.total_bytes, tree.total_bytes)
    assert parts(node) == []


def test_that_many_small_and_empty_files_arrive(node: LocalNode, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for i in range(6000):
        (folder / f"{i}").write_bytes(b"" if i % 2 else b"x" * (i % 50))
    path = send(node.connect(), folder_tree(folder, "many"), node.root)
    assert content(Path(path)) == content(folder)


def test_that_a_tree_that_is_there_is_not_sent_again(node: LocalNode) -> None:
    found, tree = node.connect(), app_tree()
    assert found.link.missing([tree.id], root=node.root) == [tree.id]
    path = Path(send(found, tree, node.root))
    before = path.stat().st_ino
    assert found.link.missing([tree.id], root=node.root) == []
    assert send(found, tree, node.root) == str(path)
    assert path.stat().st_ino == before


def test_that_a_tree_that_lost_a_file_is_replaced(node: LocalNode) -> None:
    found, tree = node.connect(), app_tree()
    path = Path(send(found, tree, node.root))
    (path / "trainer" / "spec.py").unlink()
    assert found.link.missing([tree.id], root=node.root) == [tree.id]
    assert send(found, tree, node.root) == str(path)
    assert (path / "trainer" / "spec.py").is_file()
    assert parts(node) == []


def test_that_a_file_that_changes_while_it_is_sent_is_refused(
    node: LocalNode, tmp_path: Path
) -> None:
    folder, found = odd_folder(tmp_path), node.connect()
    tree = folder_tree(folder, "d")
    (folder / "big").write_bytes(os.urandom(3_000_000))
    with pytest.raises(NodeError, match="big arrived damaged, or changed"):
        send(found, tree, node.root)
    assert parts(node) == []
    assert found.link.missing([tree.id], root=node.root) == [tree.id]
    (folder / "big").unlink()
    with pytest.raises(NodeError, match="cannot be read any more"):
        send(found, tree, node.root)
    assert parts(node) == []


def test_that_a_cancelled_upload_leaves_nothing(node: LocalNode, tmp_path: Path) -> None:
    folder, found = tmp_path / "d", node.connect()
    folder.mkdir()
    (folder / "big").write_bytes(os.urandom(20_000_000))
    tree = folder_tree(folder, "d")
    done: list[int] = []
    with pytest.raises(Cancelled):
        found.link.put_tree(
            tree,
            root=node.root,
            progress=lambda sent, total: done.append(sent),
            cancelled=lambda: bool(done),
        )
    assert parts(node) == []
    assert found.link.missing([tree.id], root=node.root) == [tree.id]


def test_that_unfinished_uploads_of_a_killed_agent_go_after_a_day(node: LocalNode) -> None:
    app = Path(node.root, "app")
    for name, age in ((".part-old", 90_000), (".part-new", 60)):
        (app / name).mkdir(parents=True)
        os.utime(app / name, (time.time() - age,) * 2)
    send(node.connect(), app_tree(), node.root)
    assert parts(node) == [".part-new"]


@ROOT_ONLY
def test_that_a_full_disk_is_said_and_the_old_tree_stays(node: LocalNode, tmp_path: Path) -> None:
    mounted(node, 'mount -t tmpfs -o size=64k tmpfs "$HOME"')
    found = node.connect()
    small, large = tmp_path / "small", tmp_path / "large"
    for folder, size in ((small, 1000), (large, 200_000)):
        folder.mkdir()
        (folder / "file").write_bytes(os.urandom(size))
    path = send(found, folder_tree(small, "d"), node.root)
    with pytest.raises(NodeError) as caught:
        send(found, folder_tree(large, "d"), node.root)
    assert caught.value.what == f"no space left on {node.name}:{node.root}/data (quota or disk)"
    assert caught.value.remedy
    assert found.link.verify_path(path) == path
    # What was written of the large one is gone: a second small one finds space.
    (small / "file").write_bytes(os.urandom(20_000))
    assert send(found, folder_tree(small, "d"), node.root)


@ROOT_ONLY
def test_that_a_read_only_home_is_said(node: LocalNode) -> None:
    mounted(node, 'mount -t tmpfs tmpfs "$HOME" && mount -o remount,ro "$HOME"')
    with pytest.raises(NodeError, match="read-only"):
        send(node.connect(), app_tree(), node.root)


@ROOT_ONLY
def test_that_a_disk_without_programs_is_good_enough(node: LocalNode) -> None:
    mounted(node, 'mount -t tmpfs -o noexec tmpfs "$HOME"')
    found = node.connect()
    node.deploy(found.link)
    launch = node.launch("pass")
    state = found.link.start_task(launch)
    assert state["supervisor"]["pid"] > 0
    assert found.link.stop_run(root=node.root, run_id="r-1", grace_s=2) == []


@pytest.mark.parametrize(
    "path", ["/abs", "../up", "a/../../b", "a//b", "", ".", "a/./b", "a\0b", "a\x1bb", "x" * 300]
)
def test_that_a_path_that_leaves_its_tree_is_refused(node: LocalNode, path: str) -> None:
    with pytest.raises(Refused):
        uploads.safe_path(path)
    source = node.home / "source"
    source.write_bytes(b"x")
    tree = Tree(TreeId("data", "d", "0" * 64), (TreeFile(path, source, 1, "0" * 64),))
    with pytest.raises(NodeError):
        send(node.connect(), tree, node.root)
    assert parts(node) == []


def test_that_a_tree_is_named_by_its_content(tmp_path: Path) -> None:
    folder = odd_folder(tmp_path)
    first = folder_tree(folder, "d").id
    os.utime(folder / "a b", (1, 1))
    assert folder_tree(folder, "d").id == first
    (folder / "a b").rename(folder / "c d")
    assert folder_tree(folder, "d").id != first


def test_that_a_folder_that_is_missing_empty_or_unreadable_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no folder"):
        folder_tree(tmp_path / "none", "d")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="holds no files"):
        folder_tree(tmp_path / "empty", "d")


def test_that_links_are_followed_but_not_in_circles(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    (folder / "file").write_bytes(b"x")
    (folder / "again").symlink_to(folder)
    (folder / "dangling").symlink_to(tmp_path / "nowhere")
    os.mkfifo(folder / "pipe")
    assert [file.path for file in folder_tree(folder, "d").files] == ["file"]


def test_that_the_app_holds_trainer_and_node_half_and_nothing_else() -> None:
    paths = {file.path for file in app_tree().files}
    assert {"remote/__init__.py", "remote/node/supervisor.py", "trainer/spec.py"} <= paths
    assert all(
        path == "remote/__init__.py" or path.startswith(("remote/node/", "trainer/"))
        for path in paths
    )
    assert all(path.endswith(".py") for path in paths)


def test_that_the_end_of_an_upload_is_noticed_and_not_looked_for(
    node: LocalNode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload, "_POLL_S", 20 * PATIENCE_S)
    folder, found, ended = tmp_path / "d", node.connect(), threading.Event()
    folder.mkdir()
    (folder / "file").write_bytes(os.urandom(5_000_000))

    def put() -> None:
        send(found, folder_tree(folder, "d"), node.root)
        ended.set()

    threading.Thread(target=put, daemon=True).start()
    assert ended.wait(PATIENCE_S)
