"""A sweep finds what nobody looks after, says why, and removes only that."""

import dataclasses
import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from remote.link import AgentLink, Leftover
from remote.node import procs, record
from remote.node.sweep_files import JUST_NOW
from remote.session.sweep import Found
from tests.support.local_node import LocalNode
from tests.support.ports import free_port
from tests.support.waiting import until

SLEEP = "import time\nprint('up', flush=True)\ntime.sleep(3600)\n"
ODD = "x\n\x1b[31mred'\"ü"
DAY_S = 86400.0


def look(node: LocalNode, link: AgentLink, **more: object) -> list[Leftover]:
    args = {"root": node.root, "ports_from": 2220, "ended": [], "keep": [], **more}
    items = link.sweeping.look(**args).items  # type: ignore[arg-type]
    return [item for item in items if item.kind != "process" or item.marked_node == node.name]


def remove(node: LocalNode, link: AgentLink, items: list[Leftover]) -> list[tuple[bool, str]]:
    found = link.sweeping.remove(
        [item.key for item in items], root=node.root, ports_from=2220, ended=[], keep=[]
    )
    return [(done.gone, done.why) for done in found]


def of_kind(items: list[Leftover], kind: str) -> list[Leftover]:
    return [item for item in items if item.kind == kind]


def aged(path: Path, seconds: float = 2 * DAY_S) -> Path:
    """The same path, last changed a while ago, with all that is in it."""
    then = time.time() - seconds
    for inside in [path, *path.rglob("*")] if path.is_dir() else [path]:
        os.utime(inside, (then, then), follow_symlinks=False)
    return path


@pytest.fixture
def marked(node: LocalNode) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts a process that carries a run's mark."""
    started = []

    def start(run_id: str, *argv: str, task: str = "worker:0") -> subprocess.Popen[bytes]:
        marks = {"CLEW_RUN": run_id, "CLEW_NODE": node.name, "CLEW_TASK": task}
        process = subprocess.Popen(argv or ("sleep", "3600"), env={**node.env, **marks})
        started.append(process)
        until(lambda: process.pid in procs.marked(run_id, node.name))
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def start_task(node: LocalNode, run_id: str, program: str = SLEEP, **more: object) -> AgentLink:
    link = node.connect().link
    node.deploy(link)
    made = node.launch(program, run_id=run_id)
    link.start_task(dataclasses.replace(made, **more))  # type: ignore[arg-type]
    until(lambda: link.runs(root=node.root)[0].task_alive)
    return link


def test_that_a_run_that_goes_on_is_shown_and_stays(node: LocalNode) -> None:
    port = free_port()
    listening = f"import socket, time\ns = socket.create_server(('127.0.0.1', {port}))\n" + SLEEP
    link = start_task(node, "r-live", listening, ports=(port,))
    log = node.task_dir("r-live") / "log.txt"
    until(lambda: "up" in log.read_text())
    items = look(node, link)
    (process,) = of_kind(items, "process")
    (folder,) = of_kind(items, "run")
    assert (process.state, process.run_id, process.task) == ("live", "r-live", "worker:0")
    assert port in process.ports
    assert set(process.pids) == set(node.processes("r-live"))
    assert folder.state == "live"
    assert all(not gone for gone, _ in remove(node, link, [process, folder]))
    assert link.runs(root=node.root)[0].task_alive


def test_that_a_task_without_its_supervisor_is_no_leftover_while_it_works(node: LocalNode) -> None:
    link = start_task(node, "r-alone")
    until(lambda: link.runs(root=node.root)[0].state["supervisor"]["guard"])
    boss = link.runs(root=node.root)[0].state["supervisor"]
    for pid in (boss["guard"]["pid"], boss["pid"]):  # the guard first: it would start another
        os.kill(pid, signal.SIGKILL)
    until(lambda: not link.runs(root=node.root)[0].supervisor_alive)
    (process,) = of_kind(look(node, link), "process")
    assert process.state == "live"


def test_that_strays_are_ended_and_strangers_are_not(
    node: LocalNode, marked: Callable[..., subprocess.Popen[bytes]]
) -> None:
    deaf = "trap '' TERM; while :; do sleep 0.2; done"
    stray = marked("r-gone", "setsid", "sh", "-c", deaf)
    stranger = subprocess.Popen(["sleep", "3600"], env=node.env)
    try:
        link = node.connect().link
        (item,) = of_kind(look(node, link), "process")
        assert (item.state, item.why) == ("left", "there is no record of its run")
        assert stray.pid in item.pids
        assert remove(node, link, [item]) == [(True, "")]
        assert procs.marked("r-gone", node.name) == []
        assert stranger.poll() is None
        assert of_kind(look(node, link), "process") == []
    finally:
        stranger.kill()
        stranger.wait()


def test_that_the_folder_of_a_run_that_has_just_ended_is_not_to_be_stopped(
    node: LocalNode,
) -> None:
    link = start_task(node, "r-new")
    assert link.stop_run(root=node.root, run_id="r-new", grace_s=3) == []
    (folder,) = of_kind(look(node, link), "run")
    assert folder.state == "live"
    assert folder.why == f"ended: stopped; {JUST_NOW}"
    shown = Found(item=folder, nodes=(node.name,), known=True)
    assert shown.why == folder.why, "there is nothing to stop"
    running = dataclasses.replace(folder, why="it goes on")
    assert "clew stop r-new" in dataclasses.replace(shown, item=running).why


def test_that_what_a_stopped_task_left_is_found_by_its_record(
    node: LocalNode, marked: Callable[..., subprocess.Popen[bytes]]
) -> None:
    link = start_task(node, "r-over")
    assert link.stop_run(root=node.root, run_id="r-over", grace_s=3) == []
    marked("r-over")
    items = look(node, link)
    (process,) = of_kind(items, "process")
    assert (process.state, process.why) == ("left", "its task has been stopped")
    (folder,) = of_kind(items, "run")
    assert folder.state == "live", "its folder stays while processes of it are there"
    assert remove(node, link, [process]) == [(True, "")]


def test_that_a_zombie_is_nobody(node: LocalNode) -> None:
    marks = {"CLEW_RUN": "r-z", "CLEW_NODE": node.name, "CLEW_TASK": "worker:0"}
    dead = subprocess.Popen(["true"], env={**node.env, **marks})
    try:
        until(lambda: procs.start_time(dead.pid) is None)
        assert of_kind(look(node, node.connect().link), "process") == []
    finally:
        dead.wait()


def test_that_unfinished_uploads_go_but_not_those_that_somebody_writes(node: LocalNode) -> None:
    data = Path(node.root, "data")
    for name in ("held", "left", ODD):
        part = data / f".part-{name}"
        part.mkdir(parents=True)
        (part / ".clew-journal").write_text("{}\n")
        (part / "some file").write_bytes(b"x" * 5000)
        aged(part)
    with open(data / ".part-held" / ".clew-journal") as journal:
        fcntl.flock(journal, fcntl.LOCK_EX)
        link = node.connect().link
        parts = of_kind(look(node, link), "part")
        states = {item.state: item for item in parts}
        assert [item.state for item in parts].count("left") == 2
        assert states["live"].name == "data/.part-held"
        assert all(item.name.isprintable() for item in parts)
        assert all(item.size_bytes >= 5000 and item.age_s > DAY_S for item in parts)
        results = remove(node, link, parts)
    assert sorted(results) == [(False, "somebody is at work on it"), (True, ""), (True, "")]
    assert [entry.name for entry in data.iterdir()] == [".part-held"]


def test_that_scraps_of_ended_runs_go_and_their_records_stay(node: LocalNode) -> None:
    link = start_task(node, "r-scraps")
    link.stop_run(root=node.root, run_id="r-scraps", grace_s=3)
    task = node.task_dir("r-scraps")
    (task / "state.json.spare").write_bytes(b" " * 100)
    (task / "state.json.0123456789ab.tmp").write_bytes(b"half")
    part = task.parent.parent / "checkpoints" / ".step-10.npz.part"
    part.write_bytes(b"half")
    lock, check = Path(node.root, "start-x.lock"), Path(node.root, ".check-abc-1")
    for path in (lock, check):
        path.write_bytes(b"")
        aged(path)
    items = look(node, link)
    scraps = of_kind(items, "temporary") + of_kind(items, "lock")
    assert {Path(item.name).name for item in scraps} == {
        "state.json.spare",
        "state.json.0123456789ab.tmp",
        ".step-10.npz.part",
        "start-x.lock",
        ".check-abc-1",
    }
    assert {item.state for item in scraps} == {"left"}
    assert remove(node, link, scraps) == [(True, "")] * 5
    assert (record.load(str(task)) or {})["state"] == "stopped"
    assert not part.exists()
    assert not lock.exists()


def test_that_old_runs_and_unused_trees_may_go_but_are_not_suggested(node: LocalNode) -> None:
    link = start_task(node, "r-old")
    app = next(Path(node.root, "app").iterdir())
    data = Path(node.root, "data", "mnist-" + "a" * 64)
    data.mkdir(parents=True)
    (data / ".clew-tree.json").write_text('{"v": 1, "files": [["f", 1234]]}')
    aged(data)
    aged(app)
    names = {item.name for item in of_kind(look(node, link), "tree")}
    assert names == {"data/" + data.name}, "a task that goes on uses the trainer"
    link.stop_run(root=node.root, run_id="r-old", grace_s=3)
    aged(Path(node.root, "runs", "r-old"))
    items = look(node, link)
    trees, (folder,) = of_kind(items, "tree"), of_kind(items, "run")
    assert {item.name for item in trees} == {"data/" + data.name, "app/" + app.name}
    assert {item.state for item in (*trees, folder)} == {"kept"}
    assert {1234} <= {item.size_bytes for item in trees}
    assert {item.name for item in of_kind(look(node, link, keep=[app.name]), "tree")} == names
    assert remove(node, link, [*trees, folder]) == [(True, "")] * 3
    assert list(Path(node.root, "runs").iterdir()) == []
    assert list(Path(node.root, "data").iterdir()) == []


def test_that_links_lead_nowhere(node: LocalNode, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / ".part-x").mkdir(parents=True)
    (outside / ".part-x" / "precious").write_text("mine")
    aged(outside)
    root = Path(node.root)
    (root / "data").mkdir(parents=True)
    (root / "app").symlink_to(outside)
    (root / "data" / ".part-link").symlink_to(outside / ".part-x")
    inner = root / "data" / ".part-real"
    inner.mkdir()
    (inner / "way out").symlink_to(outside)
    aged(inner)
    link = node.connect().link
    items = look(node, link)
    assert [item.name for item in items] == ["data/.part-real"]
    assert remove(node, link, items) == [(True, "")]
    assert (outside / ".part-x" / "precious").read_text() == "mine"


def test_that_what_was_taken_up_meanwhile_stays(node: LocalNode) -> None:
    part = Path(node.root, "data", ".part-" + "b" * 64)
    part.mkdir(parents=True)
    (part / ".clew-journal").write_text("")
    aged(part)
    link = node.connect().link
    items = of_kind(look(node, link), "part")
    with open(part / ".clew-journal") as journal:
        fcntl.flock(journal, fcntl.LOCK_EX)
        assert remove(node, link, items) == [(False, "somebody is at work on it")]
    assert part.is_dir()
    assert remove(node, link, items) == [(True, "")]
    assert remove(node, link, items) == [(True, "it was gone already")]
