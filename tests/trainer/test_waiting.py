"""Tasks whose peers never come: they say for whom they wait, and give up in time."""

from __future__ import annotations

import signal
import socket
from pathlib import Path

import pytest

from tests.trainer.cluster import CHIEF, PS_0, WORKER_1, Cluster
from trainer.events import Failed, PhaseChanged
from trainer.net import split_address
from trainer.spec import EXIT_LOST_PEER, TaskId, TrainingSpec

pytestmark = [pytest.mark.tf, pytest.mark.timeout(1500)]


def reason(cluster: Cluster, task: TaskId) -> str:
    last = cluster.bodies(task)[-1]
    assert isinstance(last, Failed)
    assert "Traceback" not in cluster.log(task)
    return last.reason


def waits(cluster: Cluster, task: TaskId) -> list[str]:
    bodies = cluster.bodies(task, PhaseChanged)
    return [b.detail for b in bodies if isinstance(b, PhaseChanged) and b.phase == "waiting"]


def test_that_a_worker_gives_up_on_a_ps_that_never_comes(weird_path: Path) -> None:
    with Cluster(weird_path, TrainingSpec()) as cluster:
        cluster.start(WORKER_1, CLEW_PATIENCE_S="2")
        assert cluster.wait()[WORKER_1] == EXIT_LOST_PEER
        whom = f"ps:0 at {cluster.spec.ps[0]}"
        assert waits(cluster, WORKER_1) == [f"waiting for {whom}"]
        assert f"gave up after waiting 2 s for {whom}" in reason(cluster, WORKER_1)


def test_that_ps_and_worker_give_up_on_a_chief_that_never_comes(weird_path: Path) -> None:
    with Cluster(weird_path, TrainingSpec()) as cluster:
        cluster.start(PS_0, CLEW_PATIENCE_S="6")
        cluster.start(WORKER_1, CLEW_PATIENCE_S="6")
        assert set(cluster.wait().values()) == {EXIT_LOST_PEER}
        assert f"worker:0 at {cluster.spec.worker[0]}" in reason(cluster, PS_0)
        assert waits(cluster, PS_0) == ["waiting for worker:0 to set up the variables"]
        assert waits(cluster, WORKER_1)[-1] in (
            "waiting for worker:0 to set up the variables",
            f"waiting for ps:0 at {cluster.spec.ps[0]}",
        )


def test_that_a_ps_of_another_run_is_not_trained_with(weird_path: Path) -> None:
    training = TrainingSpec(steps=5)
    with (
        Cluster(weird_path / "a", training, run_id="run A") as old,
        Cluster(weird_path / "b", training, run_id="run B") as new,
    ):
        old.start(PS_0)
        for task in (CHIEF, WORKER_1):
            new.use_ps_of(old, task)
        old.wait_until(lambda: bool(waits(old, PS_0)))
        new.start(CHIEF, CLEW_PATIENCE_S="2")
        assert new.wait()[CHIEF] == EXIT_LOST_PEER
        assert "where another program answers" in reason(new, CHIEF)
        assert not new.steps()


def test_that_a_session_to_ps_that_are_silent_is_waited_for_in_bounds(weird_path: Path) -> None:
    """One was stopped, behind the other's port is a program that only accepts."""
    ps_1 = TaskId("ps", 1)
    with Cluster(weird_path, TrainingSpec(steps=5), ps=2) as cluster:
        addresses = cluster.spec.ps
        silence = "accept connections, never answer"
        both = f"ps:0 at {addresses[0]} and ps:1 at {addresses[1]}, which {silence}"
        one = f"ps:1 at {addresses[1]}, which accepts connections and never answers"
        cluster.start(PS_0)
        cluster.wait_until(lambda: bool(waits(cluster, PS_0)))
        with socket.create_server(split_address(addresses[1])), cluster.held(PS_0):
            cluster.start(CHIEF, CLEW_PATIENCE_S="3")
            cluster.start(WORKER_1)
            assert cluster.status_of(CHIEF) == EXIT_LOST_PEER
            assert reason(cluster, CHIEF).startswith(f"gave up after waiting 3 s for {both}; see")
            cluster.wait_until(lambda: f"waiting for {both}" in waits(cluster, WORKER_1))
            cluster.processes[PS_0].send_signal(signal.SIGCONT)
            cluster.wait_until(lambda: f"waiting for {one}" in waits(cluster, WORKER_1))
        cluster.start(ps_1)
        cluster.wait_until(lambda: "worker:0 to set up" in waits(cluster, WORKER_1)[-1])


def test_that_a_ps_that_hangs_does_not_hang_a_worker_for_ever(weird_path: Path) -> None:
    with Cluster(weird_path, TrainingSpec(steps=100_000)) as cluster:
        cluster.start(PS_0)
        cluster.wait_until(lambda: bool(waits(cluster, PS_0)))
        cluster.start(CHIEF, CLEW_PATIENCE_S="5")
        cluster.wait_for_step(5)
        cluster.processes[PS_0].send_signal(signal.SIGSTOP)
        assert cluster.status_of(CHIEF) == EXIT_LOST_PEER
        assert "gave up after waiting 5 s for" in reason(cluster, CHIEF)
