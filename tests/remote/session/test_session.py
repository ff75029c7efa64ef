"""A session without a run: nodes that are not there, closing at any moment, plans."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from pathlib import Path

import pytest

from remote.errors import ClewError, HistoryError, PlanError
from remote.practice import PracticeCluster
from remote.profile import Profile, loads, override
from remote.session.clock import ClockView
from remote.session.parallel import on_all
from remote.updates import NodeUpdate, NoticeUpdate, TaskUpdate
from tests.support.ports import free_port
from tests.support.sessions import practice_profile, watched
from tests.support.waiting import PATIENCE_S, within


def with_a_dead_node(practice: PracticeCluster, port: int) -> Profile:
    text = practice.profile.read_text("utf-8")
    marker = "nodes:\n"
    dead = f"  - {{host: 127.0.0.1, name: dead, port: {port}}}\n"
    return loads(text.replace(marker, marker + dead), "x").profile


def test_that_one_unreachable_node_does_not_hide_the_others(
    practice: PracticeCluster, tmp_path: Path
) -> None:
    profile = with_a_dead_node(practice, free_port())
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts], ready=False) as w:
        assert not w.session.wait_ready(PATIENCE_S)
        states = {name: node.state for name, node in w.session.node_updates().items()}
        assert states == {
            "dead": "unreachable",
            "node1": "ready",
            "node2": "ready",
            "node3": "ready",
        }
        dead = w.session.node_updates()["dead"]
        assert "refused" in dead.detail
        assert dead.remedy
        assert dead.last_heard is None
        with pytest.raises(PlanError, match="dead"):
            w.session.launch()
        assert w.history.runs() == []


def test_that_a_node_that_comes_up_later_is_found_without_being_asked(
    practice: PracticeCluster, tmp_path: Path
) -> None:
    """A node that was down answers at the next try, which comes by itself."""
    port = free_port()
    target = practice.nodes[0].port
    profile = with_a_dead_node(practice, port)
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts], ready=False) as w:
        assert not w.session.wait_ready(PATIENCE_S)
        with Forwarder(port, target):
            # Its host key is not the one on file for this port: that, too, is a state.
            w.wait_for(lambda w: "host key" in w.session.node_updates()["dead"].detail)


class Forwarder:
    """Passes a port of this computer on to another."""

    def __init__(self, port: int, target: int) -> None:
        self._server = socket.create_server(("127.0.0.1", port))
        self._target = target
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Forwarder:
        self._spawn(self._accept)
        return self

    def __exit__(self, *error: object) -> None:
        for item in (self._server, *self._open):
            with contextlib.suppress(OSError):
                item.shutdown(socket.SHUT_RDWR)
            item.close()
        for thread in self._threads:
            thread.join(PATIENCE_S)

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self._target))
            self._open += [near, far]
            self._spawn(lambda a=near, b=far: self._pass(a, b))
            self._spawn(lambda a=far, b=near: self._pass(a, b))

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def _spawn(self, work: object) -> None:
        thread = threading.Thread(target=work, daemon=True)  # type: ignore[arg-type]
        thread.start()
        self._threads.append(thread)


@pytest.mark.parametrize("wait_s", [0.0, 0.03, 0.1, 0.4, 1.5])
def test_that_closing_takes_less_than_a_second_at_any_moment(
    wait_s: float, practice: PracticeCluster, tmp_path: Path
) -> None:
    silent = socket.create_server(("127.0.0.1", 0), backlog=8)  # accepts, and never says a word
    with silent:
        profile = with_a_dead_node(practice, int(silent.getsockname()[1]))
        with watched(profile, tmp_path, known_hosts=[practice.known_hosts], ready=False) as w:
            time.sleep(wait_s)
            with within(1.0):
                w.session.close()
            w.drain()
            time.sleep(0.1)
            assert len(w.seen) == len(w.drain()), "nothing is told after closing"
            w.session.connect()
            w.session.close()
            with pytest.raises(ClewError):
                w.session.launch()


def test_that_connect_again_looks_again(practice: PracticeCluster, tmp_path: Path) -> None:
    profile = practice_profile(practice.profile)
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts]) as w:
        first = w.session.facts()["node1"].seen_at
        w.session.connect()
        w.wait_for(lambda w: w.session.facts()["node1"].seen_at > first)


def test_that_last_heard_moves_on(practice: PracticeCluster, tmp_path: Path) -> None:
    profile = practice_profile(practice.profile)
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts]) as w:
        heard = w.session.node_updates()["node1"].last_heard
        assert heard is not None
        w.wait_for(lambda w: (w.session.node_updates()["node1"].last_heard or 0) > heard + 1.5)


def test_that_an_unknown_host_key_is_not_accepted_by_itself(
    practice: PracticeCluster, tmp_path: Path
) -> None:
    with watched(practice_profile(practice.profile), tmp_path, ready=False) as w:
        assert not w.session.wait_ready(PATIENCE_S)
        states = {node.state for node in w.session.node_updates().values()}
        assert states == {"unreachable"}
        tries = len([n for n in w.of(NodeUpdate) if n.state == "connecting"])
        time.sleep(2.5)
        again = len([n for n in w.of(NodeUpdate) if n.state == "connecting"])
        assert again == tries, "where the user is needed, nothing is tried by itself"


def test_that_a_python_that_is_not_there_makes_a_node_unusable(
    practice: PracticeCluster, tmp_path: Path
) -> None:
    profile = override(practice_profile(practice.profile), ["environment.python=/no/such/python"])
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts], ready=False) as w:
        assert not w.session.wait_ready(PATIENCE_S)
        node = w.session.node_updates()["node1"]
        assert node.state == "unusable"
        assert "/no/such/python" in node.detail
        assert "environment.python" in node.remedy
        with pytest.raises(PlanError, match="/no/such/python"):
            w.session.launch()


def test_that_a_training_that_cannot_run_is_refused_before_anything(
    practice: PracticeCluster, tmp_path: Path
) -> None:
    profile = practice_profile(practice.profile, workers=9, ps_placement="dedicated", ps=3)
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts]) as w:
        with pytest.raises(PlanError):
            w.session.launch()
        assert w.history.runs() == []


def test_that_a_run_that_nobody_knows_cannot_be_attached(
    practice: PracticeCluster, tmp_path: Path
) -> None:
    profile = practice_profile(practice.profile)
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts], ready=False) as w:
        result = w.session.attach("20261130-1502-nene").wait(PATIENCE_S)
        assert result is not None
        assert result.state == "failed"
        assert "no connected node has a run 20261130-1502-nene" in result.reason
        with pytest.raises(HistoryError, match="not a run's id"):
            w.session.attach("../../etc")


def test_that_a_start_that_fails_on_one_node_leaves_nothing_anywhere(
    practice: PracticeCluster, tmp_path: Path
) -> None:
    profile = practice_profile(practice.profile, steps=100_000)
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts]) as w:
        # A folder where the run's tasks belong is a file on one node: nothing can be made there.
        home = practice.nodes[1].home
        runs = home / ".clew" / "runs"
        kept = runs.with_name("runs-kept")
        if runs.exists():
            runs.rename(kept)
        runs.write_text("in the way")
        try:
            result = w.session.launch().wait(PATIENCE_S)
        finally:
            runs.unlink()
            if kept.exists():
                kept.rename(runs)
        assert result is not None
        assert result.state == "failed"
        assert result.reason.startswith("node2:")
        assert result.left_behind == ()
        words = [p.command for p in practice.left_running()]
        assert not [c for c in words if "-m trainer" in c or "supervisor" in c]
        run = w.history.find("last")
        assert (run.state, run.result) == ("failed", result)
        assert {task.state for task in w.history.tasks(run.run_id)} == {"stopped"}
        last = {update.task: update.state for update in w.of(TaskUpdate)}
        assert set(last.values()) == {"stopped"}


def test_that_a_notice_about_a_file_comes_once(practice: PracticeCluster, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "known_hosts").write_bytes(b"\xff\xfe what is this\n" * 3)
    profile = practice_profile(practice.profile)
    with watched(profile, data, known_hosts=[practice.known_hosts]) as w:
        texts = [n.text for n in w.of(NoticeUpdate)]
        assert len(texts) == len(set(texts))


def test_that_partial_failure_is_a_value() -> None:
    def action(name: str) -> int:
        if name != "b":
            raise ClewError("no space", node=name, remedy="Make room.")
        return 7

    outcome = on_all(["a", "b", "c"], action)
    assert dict(outcome.succeeded) == {"b": 7}
    assert list(outcome.failed) == ["a", "c"]
    with pytest.raises(ClewError, match=r"a: no space \(also failed: c\). Make room."):
        outcome.raise_first()


def test_that_a_programming_error_is_not_a_failed_node() -> None:
    def action(name: str) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        on_all(["a"], action)


def test_that_a_trembling_clock_does_not_shake_the_series() -> None:
    offsets = iter([357.0, 357.01, 356.98, None, 360.0])
    clock = ClockView(lambda node: next(offsets))
    assert [clock.shift("n") for _ in range(5)] == [-357.0, -357.0, -357.0, -357.0, -360.0]
