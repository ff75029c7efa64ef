"""Tasks that end without an order: time limits, stop orders as files, peers that are gone."""

import dataclasses
import signal
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from remote.link import TaskLaunch
from remote.node import last_words, orders, peers, procs, record
from remote.node.job import Job
from remote.node.peers import End, Peers
from tests.support.local_node import LocalNode, with_restarts
from tests.support.ports import free_port
from tests.support.waiting import until, within
from trainer.spec import RestartSpec

DEAF = """
import signal, time
signal.signal(15, signal.SIG_IGN)
print('up', flush=True)
time.sleep(3600)
"""
SAVES = """
import signal, sys, time
def save(number, frame):
    time.sleep(1.0)
    print('saved', flush=True)
    sys.exit(0)
signal.signal(15, save)
print('up', flush=True)
time.sleep(3600)
"""


def trained(launch: TaskLaunch, **training: Any) -> TaskLaunch:
    changed = dataclasses.replace(launch.spec.training, **training)
    return dataclasses.replace(launch, spec=dataclasses.replace(launch.spec, training=changed))


def started(node: LocalNode, launch: TaskLaunch, word: str = "up") -> None:
    found = node.connect()
    node.deploy(found.link)
    found.link.start_task(launch)
    log = node.task_dir() / "log.txt"
    until(lambda: log.exists() and word in log.read_text())


def state_of(node: LocalNode) -> dict[str, Any]:
    return record.load(str(node.task_dir())) or {}


def ended(node: LocalNode) -> dict[str, Any]:
    until(lambda: state_of(node).get("state") in record.FINAL, what=lambda: state_of(node))
    until(lambda: not node.processes())
    return state_of(node)


def test_that_a_time_limit_ends_the_task_with_patience_and_says_so(node: LocalNode) -> None:
    started(node, trained(with_restarts(node.launch(SAVES), 3), max_hours=0.001))
    state = ended(node)
    assert (state["state"], state["reason"]) == (
        "stopped",
        "stopped after 0.001 hours, as max_hours says",
    )
    assert len(state["attempts"]) == 1
    assert state["attempts"][0]["last_lines"][-1] == "saved"


@pytest.mark.parametrize(
    ("program", "depth", "end"),
    [(SAVES, "checkpoint", (0, None)), (DEAF, "now", (None, 9)), (DEAF, "force", (None, 9))],
)
def test_that_a_stop_order_needs_no_connection(
    node: LocalNode, program: str, depth: str, end: tuple[int | None, int | None]
) -> None:
    started(node, with_restarts(node.launch(program), 3))
    node.connected[0].channel.close()
    grace_s = 1.0 if depth == "now" else None
    with within(10.0):
        orders.write(str(node.task_dir()), depth, "ana's desktop", grace_s)
        state = ended(node)
    assert (state["state"], state["reason"]) == ("stopped", "stopped as ordered by ana's desktop")
    (attempt,) = state["attempts"]
    assert (attempt["exit_code"], attempt["signal"]) == end
    assert attempt["oom_evidence"] == "", "a kill of ours is not put down to memory"


def test_that_a_harder_order_cuts_the_patience_of_a_gentler_one_short(node: LocalNode) -> None:
    started(node, node.launch(DEAF))
    orders.write(str(node.task_dir().parents[1]), "checkpoint", "first")
    with within(10.0):
        orders.write(str(node.task_dir()), "force", "second")
        assert ended(node)["reason"] == "stopped as ordered by second"


def test_that_a_policy_of_the_profile_reaches_the_supervisor(node: LocalNode) -> None:
    launch = node.launch("import sys\nprint('up', flush=True)\nsys.exit(3)")
    launch = trained(launch, restart=RestartSpec(max=5, policy="exit-code"))
    started(node, dataclasses.replace(launch, restart_max=None))
    state = ended(node)
    assert (state["state"], len(state["attempts"])) == ("failed", 1)
    assert state["reason"].startswith("ended with exit status 3: up; the restart policy exit-code")


def job(**changed: Any) -> Job:
    known = {
        "run_id": "r-1",
        "node": "gpu01",
        "task": "worker:1",
        "addresses": {"ps:0": "", "worker:0": "", "worker:1": ""},
        "needed": ("ps:0", "worker:0"),
        "is_command": True,
        "patience_s": 300.0,
    }
    return Job(**{**known, **changed})


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOOK_S", "PROBE_COMMAND_S", "PROBE_S"):
        monkeypatch.setattr(peers, name, 0.05)
    for name in ("AFTER_COMMAND_S", "AFTER_FAILURE_S", "CUT_OFF_S", "AFTER_END_S"):
        monkeypatch.setattr(peers, name, 0.2)


def task_record(folder: Path, task: str, **changed: Any) -> Path:
    """A record as a supervisor leaves it, of another node of the same run."""
    own = folder / "an other 'node'" / task.replace(":", "-")
    own.mkdir(parents=True)
    known: dict[str, Any] = {
        "run_id": "r-1",
        "node": "another",
        "task": task,
        "state": "running",
        "reason": "",
        "boot_id": "another boot",
        "supervisor": {"pid": 1, "start_time": 1},
        "attempts": [],
    }
    record.StateFile(str(own)).write({**known, **changed})
    return own


def verdict(folder: Path, known: Job) -> End:
    own = folder / "node" / "worker-1"
    own.mkdir(parents=True)
    watch = Peers(str(own), known)
    watch.start()
    try:
        until(lambda: watch.verdict is not None)
    finally:
        watch.close()
    assert watch.verdict is not None
    return watch.verdict


@pytest.mark.usefixtures("quick")
def test_that_a_task_ends_when_the_chief_has_finished(tmp_path: Path) -> None:
    task_record(tmp_path, "worker:0", state="finished")
    end = verdict(tmp_path, job())
    assert end == End("stopped", "ended 0 s after worker:0 had finished")


@pytest.mark.usefixtures("quick")
def test_that_a_task_ends_when_one_that_it_needs_has_failed_for_good(tmp_path: Path) -> None:
    task_record(tmp_path, "worker:0")
    task_record(tmp_path, "ps:0", state="failed", reason="no such disk")
    end = verdict(tmp_path, job())
    assert end == End("failed", "ended because ps:0 had ended for good: no such disk")


@pytest.mark.usefixtures("quick")
def test_that_a_task_cut_off_on_this_node_is_lost_and_one_elsewhere_is_not(tmp_path: Path) -> None:
    task_record(tmp_path, "ps:0", boot_id=procs.boot_id())  # pids of another container
    task_record(tmp_path, "worker:0", boot_id=procs.boot_id(), node="gpu01")
    end = verdict(tmp_path, job())
    assert end == End("failed", "ended because worker:0 had ended for good: it was cut off")


@pytest.mark.usefixtures("quick")
def test_that_a_port_that_closed_for_too_long_is_a_lost_peer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "MARGIN_S", 0.2)
    server = socket.create_server(("127.0.0.1", 0))
    address = f"127.0.0.1:{server.getsockname()[1]}"
    (tmp_path / "node" / "worker-1").mkdir(parents=True)
    known = job(is_command=False, patience_s=0.2, addresses={"worker:0": address}, needed=())
    watch = Peers(
        str(tmp_path / "node" / "worker-1"), known._replace(needed=("worker:0",), task="worker:1")
    )
    watch.start()
    try:
        server.settimeout(60)
        server.accept()[0].close()
        server.accept()[0].close()
        assert watch.verdict is None
        server.close()
        until(lambda: watch.verdict is not None)
    finally:
        watch.close()
    assert watch.verdict is not None
    assert f"worker:0 at {address} has not answered for" in watch.verdict.words


@pytest.mark.usefixtures("quick")
def test_that_the_last_words_of_a_users_program_reach_other_nodes(tmp_path: Path) -> None:
    port = free_port()
    addresses = {"ps:0": "127.0.0.1:1", "worker:0": f"127.0.0.1:{port}", "worker:1": ""}
    chief = job(task="worker:0", addresses=addresses)
    known = {"state": "finished", "reason": 'with "quotes" ü'}
    go = threading.Event()
    thread = threading.Thread(
        target=last_words.serve, args=(chief, known, lambda s: time.sleep(0.01), go.is_set)
    )
    thread.start()
    try:
        until(lambda: last_words.ask(("127.0.0.1", port), 5.0, listen=True))
        answer = last_words.ask(("127.0.0.1", port), 5.0, listen=True)
        told = last_words.parse(answer or b"", "r-1", "worker:0")
        assert last_words.parse(answer or b"", "r-2", "worker:0") is None
        end = verdict(tmp_path, job(addresses=addresses))
    finally:
        go.set()
        thread.join()
    assert told == ("finished", 'with "quotes" ü')
    assert end.words == "ended 0 s after worker:0 had finished"
    assert last_words.ask(("127.0.0.1", port), 1.0, listen=True) is None


@pytest.mark.parametrize("answer", [b"", b"\x00\x00\x12\x04", b"[1]", b'{"clew": 2}', b"HTTP/1.1"])
def test_that_a_programs_own_answer_is_no_last_word(answer: bytes) -> None:
    assert last_words.parse(answer, "r-1", "worker:0") is None


def test_that_a_hanging_worker_ends_after_the_chief_with_no_desktop(node: LocalNode) -> None:
    """The chief of a user's program finishes; its ps waits for ever, as they do."""
    chief = trained(node.launch("print('up')", task="worker:0"), command=("x",))
    serves = "import time\nprint('up', flush=True)\ntime.sleep(3600)\n"
    server = trained(node.launch(serves, task="ps:0"), command=("x",))
    found = node.connect()
    node.deploy(found.link)
    found.link.start_task(server)
    log = node.task_dir(task="ps-0") / "log.txt"
    until(lambda: log.exists() and "up" in log.read_text())
    found.link.start_task(chief)
    found.channel.close()
    until(lambda: not node.processes())
    state = record.load(str(node.task_dir(task="ps-0"))) or {}
    assert state["reason"] == "ended 10 s after worker:0 had finished"
    assert state["attempts"][0]["signal"] == signal.SIGTERM
