"""The end of a run is told when all that its nodes have is recorded; what is not is noted."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.errors import Cancelled, HistoryError
from remote.history import Batch, Gap, History
from remote.session import draining
from remote.session import run as runs
from remote.session.attaching import Attachment
from remote.session.run import Run
from remote.updates import NoticeUpdate, ResultUpdate
from tests.support.played_nodes import ROOT, RUN, PlayedHome, PlayedNode, lines
from tests.support.sessions import recorded
from tests.support.waiting import PATIENCE_S, until
from trainer.spec import TaskId

W0, W1 = TaskId("worker", 0), TaskId("worker", 1)


@pytest.fixture
def home(weird_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PlayedHome]:
    monkeypatch.setattr("remote.session.ending.LEAVE_S", 0.2)
    history = History(weird_path / "history.db")
    yield PlayedHome(history)
    history.close()


@pytest.fixture
def chief(home: PlayedHome) -> PlayedNode:
    return home.add("gpu001", W0)


@pytest.fixture
def other(home: PlayedHome, chief: PlayedNode) -> PlayedNode:
    return home.add("gpu 2 ü", W1)


def started(run: Run) -> None:
    """An opening that has started everything and follows it."""
    run.started = True
    for task in run.picture.tasks.values():
        task.launched = True
    for name in run.roots:
        run.ask_node(name)


def end_of(run: Run) -> ResultUpdate:
    assert run.ended.wait(PATIENCE_S)
    assert run.result is not None
    return run.result


def assert_whole(home: PlayedHome) -> None:
    for node in home.nodes.values():
        assert recorded(home.history, RUN, str(node.task)) == node.events
        assert home.history.log_bytes(RUN, node.task) == (0, node.log)


def notices(home: PlayedHome) -> list[str]:
    return [u.text for u in home.told if isinstance(u, NoticeUpdate)]


def test_that_what_came_with_a_launch_that_was_broken_off_is_recorded(
    home: PlayedHome, chief: PlayedNode, other: PlayedNode
) -> None:
    chief.events, other.events, other.log = lines(0, 40), lines(0, 7), b"ready \xff\n"

    def stopped_while_starting(run: Run) -> None:
        started(run)
        until(lambda: chief.asked and other.asked)  # it lies in the inbox, and nobody has read it
        raise Cancelled("the user has had enough")

    result = end_of(home.begin(stopped_while_starting))
    assert_whole(home)
    assert (result.state, result.global_step, result.examples) == ("stopped", 40, 49 * 64)
    assert result.reason == "stopped while it was being started"
    assert home.history.find(RUN).result == result
    assert home.history.gaps.waiting() == []


def test_that_a_history_that_takes_nothing_at_the_end_is_waited_for(
    home: PlayedHome, chief: PlayedNode, other: PlayedNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    chief.events, other.events = lines(0, 30), lines(0, 5)
    refusing, append = [True], home.history.append

    def full(run_id: str, batch: Batch, *, wait_s: float = 4.0) -> None:
        if refusing[0]:
            raise HistoryError("the history cannot be used: database or disk is full")
        append(run_id, batch, wait_s=wait_s)

    monkeypatch.setattr(home.history, "append", full)
    run = home.begin(started)
    until(lambda: "waits to be recorded" in run.detail)
    assert home.history.find(RUN).result is None, "the disk takes a result, but not what led to it"
    assert run.result is None
    refusing[0] = False
    result = end_of(run)
    assert_whole(home)
    assert result.global_step == 30
    assert home.history.find(RUN).result == result
    assert home.history.gaps.waiting() == []


def test_that_a_history_that_stays_full_is_known_to_lack_the_run(
    home: PlayedHome, chief: PlayedNode, other: PlayedNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object, **more: object) -> None:
        raise HistoryError("the history cannot be used: database or disk is full")

    monkeypatch.setattr(draining, "ALL_S", 1.0)
    monkeypatch.setattr(home.history, "append", full)
    chief.events = lines(0, 30)
    result = end_of(home.begin(started))
    assert result.global_step == 30
    assert [(g.node, g.place, g.root) for g in home.history.gaps.of_run(RUN)] == [
        ("gpu 2 ü", "ana@gpu 2 ü:22", ROOT),
        ("gpu001", "ana@gpu001:22", ROOT),
    ]


def test_that_a_result_that_is_not_recorded_is_said_and_the_run_stays_open(
    home: PlayedHome, chief: PlayedNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draining, "ALL_S", 1.0)
    chief.events, chief.state, chief.alive = lines(0, 3), "running", True
    run = home.begin(started)
    until(lambda: recorded(home.history, RUN, "worker:0") == chief.events)
    with sqlite3.connect(home.history.path) as held:
        held.execute("BEGIN IMMEDIATE")  # somebody else writes, for ever
        monkeypatch.setattr(home.history._database, "writing", _impatient(home.history))
        chief.state, chief.alive = "finished", False
        chief.events = lines(0, 9)
        run.ask_node("gpu001")
        assert end_of(run).state == "finished"
        held.execute("ROLLBACK")
    assert "the end of the run is not recorded" in notices(home)[-1]
    record = home.history.find(RUN)
    assert record.result is None, "whoever attaches next gets all of it"


def _impatient(history: History) -> object:
    writing = history._database.writing
    return lambda wait_s=0.0: writing(0.05)


def test_that_an_answer_that_was_lost_is_asked_for_again_at_the_end(
    home: PlayedHome, chief: PlayedNode, other: PlayedNode
) -> None:
    """The task's record came by another way than its last lines, which nobody has sent yet."""
    chief.events, chief.state = lines(0, 2), "finished"
    other.events, other.keeps_back = lines(0, 12), 1
    end_of(home.begin(started))
    assert len(other.asked) == 2
    assert_whole(home)
    assert home.history.gaps.waiting() == []


def test_that_a_node_that_says_nothing_leaves_a_gap(
    home: PlayedHome, chief: PlayedNode, other: PlayedNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draining, "NODES_S", 0.5)
    chief.state, chief.events, other.events = "finished", lines(0, 4), lines(0, 6)
    other.keeps_back = 100
    run = home.begin(started)
    result = end_of(run)
    assert (result.state, result.global_step) == ("finished", 4)
    gap = Gap(run_id=RUN, node="gpu 2 ü", place="ana@gpu 2 ü:22", root=ROOT)
    assert home.history.gaps.waiting() == run.gaps == [gap]
    assert "the last lines of gpu 2 ü may be missing here" in notices(home)[-1]


def test_that_a_node_that_is_away_at_the_end_leaves_a_gap_and_is_not_waited_for(
    home: PlayedHome, chief: PlayedNode, other: PlayedNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draining, "NODES_S", PATIENCE_S * 4)
    chief.state, other.connected = "finished", False
    end_of(home.begin(started))
    assert [gap.node for gap in home.history.gaps.waiting()] == ["gpu 2 ü"]


def test_that_a_run_that_cannot_be_taken_up_keeps_what_is_recorded_of_it(
    home: PlayedHome, chief: PlayedNode, other: PlayedNode
) -> None:
    def without_a_node(run: Run) -> None:
        del home.nodes["gpu 2 ü"]
        Attachment(lambda found: None)(run)

    run = home.begin(without_a_node)
    assert end_of(run).state == "failed"
    assert "is not in this profile" in str(run.failure)
    record = home.history.find(RUN)
    assert record.result is None, "it goes on there, whatever this profile says"


def test_that_a_run_whose_window_closes_while_it_ends_is_left_as_it_is(
    home: PlayedHome, chief: PlayedNode, other: PlayedNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "TICK_S", 0.05)
    chief.state, chief.events = "finished", lines(0, 4)
    other.keeps_back = 100
    run = home.begin(started)
    until(lambda: len(other.asked) > 1)  # it is asked for the rest
    run.release()
    assert run.ended.wait(PATIENCE_S)
    assert run.result is None
    assert home.history.find(RUN).result is None
