"""Stop orders as files: written whole, never softened, understood whatever is in them."""

from pathlib import Path

import pytest

from remote.node import layout, orders


@pytest.fixture
def task_dir(tmp_path: Path) -> Path:
    folder = tmp_path / 'it\'s a "run" ü' / "node" / "worker-0"
    folder.mkdir(parents=True)
    return folder


def test_that_an_order_is_read_as_it_was_written(task_dir: Path) -> None:
    assert orders.read(str(task_dir)) is None
    written = orders.write(str(task_dir), "checkpoint", "ana's desktop, ü", 7.5)
    assert orders.read(str(task_dir)) == written
    assert (written.depth, written.by, written.patience_s) == (
        "checkpoint",
        "ana's desktop, ü",
        7.5,
    )
    assert [path.name for path in task_dir.iterdir()] == [layout.STOP_ORDER]


def test_that_an_order_gets_harder_and_never_softer(task_dir: Path) -> None:
    folder = str(task_dir)
    orders.write(folder, "now", "first")
    assert orders.write(folder, "force", "second").by == "second"
    assert orders.write(folder, "checkpoint", "third").by == "second"
    found = orders.read(folder)
    assert found is not None
    assert (found.depth, found.by, found.patience_s) == ("force", "second", 0.0)


def test_that_the_runs_order_holds_for_its_tasks(task_dir: Path) -> None:
    run = str(task_dir.parents[1])
    orders.write(run, "checkpoint", "for all")
    found = orders.find(str(task_dir))
    assert found is not None
    assert (found.depth, found.by) == ("checkpoint", "for all")
    orders.write(str(task_dir), "now", "for one")
    found = orders.find(str(task_dir))
    assert found is not None
    assert found.by == "for one"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[1]", b'{"depth": "gently"}', b'{"depth": 3, "by": [], "grace_s": "x"}', b"\xff"],
)
def test_that_an_order_nobody_understands_means_now(task_dir: Path, content: bytes) -> None:
    (task_dir / layout.STOP_ORDER).write_bytes(content)
    found = orders.read(str(task_dir))
    assert found is not None
    assert (found.depth, found.by, found.patience_s) == ("now", "", orders.GRACE_S["now"])


def test_that_only_known_depths_are_written(task_dir: Path) -> None:
    with pytest.raises(ValueError, match="not a depth"):
        orders.write(str(task_dir), "gently", "me")
    assert orders.read(str(task_dir)) is None
