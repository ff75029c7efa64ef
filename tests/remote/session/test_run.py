"""Real runs: TensorFlow tasks on the practice cluster, over SSH."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.practice import PracticeCluster, RunningProcess
from remote.session import replay
from remote.updates import (
    EvalUpdate,
    MarkUpdate,
    NodeSample,
    NodeUpdate,
    NoticeUpdate,
    Progress,
    RateUpdate,
    ResultUpdate,
    RunUpdate,
    StepsUpdate,
    TaskUpdate,
)
from tests.support.sessions import Watched, file_of, practice_profile, recorded, watched
from tests.support.waiting import until, within
from trainer.spec import TaskId

pytestmark = [pytest.mark.tf, pytest.mark.timeout(1500)]

LONG = 200_000
LIMIT_S = 400.0
"""For what several processes that load TensorFlow must do, whatever else the machine does."""


def tasks_left(practice: PracticeCluster) -> list[RunningProcess]:
    """Processes of tasks and supervisors on the nodes, not of agents."""
    words = ("-m trainer", "remote.node.supervisor")
    return [p for p in practice.left_running() if any(word in p.command for word in words)]


@pytest.fixture(autouse=True)
def _no_task_left(practice: PracticeCluster) -> Iterator[None]:
    """A test that fails in the middle leaves no training behind."""
    yield
    for process in tasks_left(practice):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


def nothing_is_unknown(w: Watched) -> bool:
    latest = {u.task: u for u in w.of(TaskUpdate)}
    return all(u.unknown_since is None for u in latest.values())


def is_training(w: Watched) -> bool:
    return len(w.of(StepsUpdate)) >= 3


def home_of(practice: PracticeCluster, w: Watched, run_id: str, task: str) -> Path:
    node = next(t.node for t in w.history.tasks(run_id) if str(t.task) == task)
    return next(n.home for n in practice.nodes if n.name == node)


def assert_recorded_as_written(practice: PracticeCluster, w: Watched, run_id: str) -> None:
    """The history holds the tasks' files byte for byte; each step was told once."""
    for record in w.history.tasks(run_id):
        task = str(record.task)
        home = home_of(practice, w, run_id, task)
        assert recorded(w.history, run_id, task) == file_of(home, run_id, task).read_bytes()
        series = w.history.steps(run_id).get(record.task)
        told = [s for u in w.of(StepsUpdate) if u.task == record.task for s in u.steps]
        assert told == (list(series.steps) if series is not None else [])


def test_that_a_run_goes_from_launch_to_result(practice: PracticeCluster, tmp_path: Path) -> None:
    profile = practice_profile(practice.profile, steps=800)
    holder = socket.create_server(("127.0.0.1", profile.ports.first))
    with holder, watched(profile, tmp_path, known_hosts=[practice.known_hosts]) as w:
        plan = w.session.plan()
        assert [str(t.task) for t in plan.tasks] == ["ps:0", "worker:0", "worker:1"]
        run = w.session.launch(name="first")
        result = run.wait(LIMIT_S)
        assert result is not None
        w.drain()

        assert (result.state, result.left_behind, result.reason) == ("finished", (), "")
        assert tasks_left(practice) == []
        assert result.global_step >= 800
        assert result.examples >= 800 * 64
        assert result.accuracy is not None
        assert result.accuracy > 0.8  # 0.97 as a rule, less where a worker is held up
        assert result.final_loss is not None
        assert result.examples_per_second is not None
        assert result.examples_per_second > 0
        assert result.time_to_first_step_s is not None
        assert 0 < result.time_to_first_step_s < LIMIT_S

        assert w.seen[-1] == result or result in w.seen
        assert [u.state for u in w.of(RunUpdate)] == [
            "preparing",
            "starting",
            "training",
            "finished",
        ]
        for task in ("worker:0", "worker:1"):
            states = w.states(task)
            assert states[:3] == ["pending", "preparing", "starting"] or states[:2] == [
                "preparing",
                "starting",
            ]
            assert states[-2:] == ["training", "finished"]
        assert w.states("ps:0")[-1] == "finished"
        assert w.of(Progress)
        assert [e.step >= 800 for e in w.of(EvalUpdate)] == [True]
        assert "checkpoint" in {m.kind for m in w.of(MarkUpdate)}
        rates = w.of(RateUpdate)
        assert rates
        assert all(r.total == pytest.approx(sum(r.per_worker.values())) for r in rates)
        assert {s.node for s in w.of(NodeSample)} == {"node1", "node2", "node3"}
        moved = [n.text for n in w.of(NoticeUpdate) if "is held by" in n.text]
        assert moved, "the port that somebody holds is named"

        assert_recorded_as_written(practice, w, run.run_id)
        record = w.history.find("last")
        assert (record.name, record.state, record.result) == ("first", "finished", result)
        assert w.history.log(run.run_id, TaskId("worker", 0)) is not None

        again = list(replay(w.history, run.run_id))
        assert again[-1] == result
        assert sum(len(u.steps) for u in again if isinstance(u, StepsUpdate)) == sum(
            len(u.steps) for u in w.of(StepsUpdate)
        )
        ends = {u.task: u.state for u in again if isinstance(u, TaskUpdate)}
        assert set(ends.values()) == {"finished"}


def test_that_stop_ends_everything_and_another_run_can_follow(
    practice: PracticeCluster, tmp_path: Path
) -> None:
    profile = practice_profile(practice.profile, steps=LONG)
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts]) as w:
        run = w.session.launch()
        w.wait_for(is_training, LIMIT_S)
        begin = time.monotonic()
        run.stop()
        run.stop()
        result = run.wait(LIMIT_S)
        assert result is not None
        assert (result.state, result.left_behind) == ("stopped", ())
        assert time.monotonic() - begin < 100
        assert result.global_step > 0
        assert tasks_left(practice) == []
        assert {t.state for t in w.history.tasks(run.run_id)} == {"stopped"}
        assert_recorded_as_written(practice, w, run.run_id)
        second = w.session.launch()
        second.stop()  # while it is prepared or started
        ended = second.wait(LIMIT_S)
        assert ended is not None
        assert (ended.state, ended.left_behind) == ("stopped", ())
        assert tasks_left(practice) == []


def test_that_killed_agents_cost_no_event_and_no_task(
    practice: PracticeCluster, tmp_path: Path
) -> None:
    profile = practice_profile(practice.profile, steps=LONG)
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts]) as w:
        run = w.session.launch()
        w.wait_for(is_training, LIMIT_S)
        before = {p.pid for p in tasks_left(practice)}
        for process in practice.left_running():
            if "sys.argv[1]" in process.command and not process.command.startswith("/bin/sh"):
                os.kill(process.pid, signal.SIGKILL)
        w.wait_for(lambda w: any(u.unknown_since for u in w.of(TaskUpdate)), LIMIT_S)
        assert {"unreachable"} <= {n.state for n in w.of(NodeUpdate)}
        steps = len(w.of(StepsUpdate))
        w.wait_for(lambda w: len(w.of(StepsUpdate)) > steps + 10, LIMIT_S)
        w.wait_for(nothing_is_unknown, LIMIT_S)
        assert {p.pid for p in tasks_left(practice)} >= before, "tasks went on meanwhile"
        run.stop()
        result = run.wait(LIMIT_S)
        assert result is not None
        assert (result.state, result.left_behind) == ("stopped", ())
        assert_recorded_as_written(practice, w, run.run_id)


def test_that_a_killed_worker_is_restarted_and_the_chart_has_a_mark(
    practice: PracticeCluster, tmp_path: Path
) -> None:
    profile = practice_profile(practice.profile, steps=LONG)
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts]) as w:
        run = w.session.launch()
        w.wait_for(lambda w: "training" in w.states("worker:1"), LIMIT_S)
        kill_task(practice, "worker-1")
        w.wait_for(lambda w: any(m.kind == "restart" for m in w.of(MarkUpdate)), LIMIT_S)
        w.wait_for(lambda w: w.states("worker:1").count("training") == 2, LIMIT_S)
        run.stop()
        result = run.wait(LIMIT_S)
        assert result is not None
        assert result.state == "stopped"
        assert_recorded_as_written(practice, w, run.run_id)
        kinds = {m.kind for m in w.history.marks(run.run_id)}
        assert "restart" in kinds


def test_that_a_task_that_dies_for_good_fails_the_run_and_is_named(
    practice: PracticeCluster, tmp_path: Path
) -> None:
    profile = practice_profile(practice.profile, steps=LONG, **{"restart.max": 0})
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts]) as w:
        run = w.session.launch()
        w.wait_for(is_training, LIMIT_S)
        kill_task(practice, "worker-1")
        result = run.wait(LIMIT_S)
        assert result is not None
        assert (result.state, result.left_behind) == ("failed", ())
        node = next(t.node for t in w.history.tasks(run.run_id) if t.task.index == 1)
        assert result.reason.startswith(f"worker:1 on {node}: was killed ")
        assert "signal 9" in result.reason
        assert tasks_left(practice) == []
        assert any(m.kind == "failure" for m in w.history.marks(run.run_id))


def kill_task(practice: PracticeCluster, folder: str) -> None:
    pids = [
        p.pid for p in practice.left_running() if "-m trainer" in p.command and folder in p.command
    ]
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def test_that_a_watcher_that_comes_later_sees_all_of_it(
    practice: PracticeCluster, tmp_path: Path
) -> None:
    """One session launches and is closed; another, with the history, takes the run up."""
    profile = practice_profile(practice.profile, steps=LONG)
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts]) as w:
        run_id = w.session.launch().run_id
        w.wait_for(is_training, LIMIT_S)
        with within(1.0):
            w.session.close()
    assert tasks_left(practice), "closing stops nothing"
    time.sleep(1.0)
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts]) as w:
        found = w.session.runs()
        assert (found[0].run_id, found[0].alive) == (run_id, True)
        run = w.session.attach(run_id)
        assert w.session.attach(run_id).run_id == run_id
        w.wait_for(lambda w: len(w.of(TaskUpdate)) > 2, LIMIT_S)
        assert {update.state for update in w.of(RunUpdate)} == {"training"}
        assert "pending" not in w.states("worker:0")
        w.wait_for(lambda w: len(w.of(StepsUpdate)) > 20, LIMIT_S)
        run.stop()
        result = run.wait(LIMIT_S)
        assert result is not None
        assert (result.state, result.left_behind) == ("stopped", ())
        assert_recorded_as_written(practice, w, run_id)
    # A desktop without this history rebuilds the run from its files.
    with watched(profile, tmp_path / "other", known_hosts=[practice.known_hosts]) as w:
        rebuilt = w.session.attach(run_id).wait(LIMIT_S)
        assert rebuilt is not None
        assert rebuilt.state == "stopped"
        assert rebuilt.global_step == result.global_step
        assert rebuilt.examples == result.examples
        assert_recorded_as_written(practice, w, run_id)
        # Once more: now it is all in the history.
        assert w.session.attach(run_id).wait(LIMIT_S) == rebuilt


def test_that_a_result_is_told_to_whoever_asks_after_the_end(
    practice: PracticeCluster, tmp_path: Path
) -> None:
    profile = practice_profile(practice.profile, steps=20)
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts]) as w:
        run = w.session.launch()
        result = run.wait(LIMIT_S)
        assert isinstance(result, ResultUpdate)
        assert result.state == "finished", result.reason
        steps = [s for u in w.of(StepsUpdate) for s in u.steps]
    with watched(profile, tmp_path, known_hosts=[practice.known_hosts], ready=False) as w:
        assert w.session.attach(run.run_id).wait(LIMIT_S) == result
        assert sorted(s for u in w.of(StepsUpdate) for s in u.steps) == sorted(steps)


def test_that_a_run_that_ended_unwatched_has_ended_as_it_did(
    practice: PracticeCluster, tmp_path: Path
) -> None:
    profile = practice_profile(practice.profile, steps=50)
    known = [practice.known_hosts]
    with watched(profile, tmp_path, known_hosts=known) as w:
        run_id = w.session.launch().run_id
        w.wait_for(lambda w: w.states("worker:1")[-1:] == ["starting"], LIMIT_S)
        w.wait_for(lambda _: len(tasks_left(practice)) >= 6, LIMIT_S)
    until(lambda: not tasks_left(practice), LIMIT_S, pause_s=0.2)
    with watched(profile, tmp_path, known_hosts=known) as w:
        run = w.session.attach(run_id)
        run.stop()  # too late: it is said how it ended by itself
        result = run.wait(LIMIT_S)
        assert result is not None
        assert (result.state, result.left_behind) == ("finished", ())
        assert result.accuracy is not None
        assert_recorded_as_written(practice, w, run_id)
