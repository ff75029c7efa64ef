"""A run whose job waits: why, where, how long; what it says when it starts; and the way out."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from gui.attention import Watch
from gui.live_page import LivePage
from gui.queue_words import STUCK, facts, headline, limit_words, start_words
from gui.run_model import RunModel
from gui.window import MainWindow
from remote.updates import QueueUpdate, RunUpdate, StepsUpdate, StopDepth
from trainer.spec import TaskId

RUN = "20261201-1200-slrm"
NOW = 1_800_000_000.0


def waiting(**more: object) -> QueueUpdate:
    base: dict[str, object] = {"job": "4711", "words": "others are in front of it"}
    return QueueUpdate(run_id=RUN, **{**base, **more})  # type: ignore[arg-type]


class Handle:
    """What the window asks of a run that it has started."""

    run_id = RUN
    controlled_from = ""

    def __init__(self) -> None:
        self.stopped: list[StopDepth] = []

    def stop(self, depth: StopDepth) -> None:
        self.stopped.append(depth)


@pytest.fixture
def handle(window: MainWindow) -> Handle:
    """A run of this window that waits in the queue."""
    found = Handle()
    controller = window.controller
    controller.document.new({"cluster": {"slurm": {"login": "login1"}}})
    controller.handle = found  # type: ignore[assignment]
    controller.models.show_run(RUN, None, time.time() - 600)
    controller.run_shown.emit()
    controller.models.apply(RunUpdate(run_id=RUN, state="queued"))
    controller.changed.emit()
    return found


@pytest.fixture
def page(window: MainWindow, handle: Handle) -> LivePage:
    window.show_page("live")
    found = window.page("live")
    assert isinstance(found, LivePage)
    return found


def show(window: MainWindow, page: LivePage, update: object) -> None:
    window.controller.models.apply(update)  # type: ignore[arg-type]
    page.refresh(time.time())


def test_that_the_live_page_says_how_the_job_stands(page: LivePage, window: MainWindow) -> None:
    card = page.queue
    show(window, page, waiting(cluster="lab", position=3, start_at=time.time() + 5400))
    assert card.isVisible()
    assert card.name.text() == "Job 4711 on lab waits"
    assert card.words.text() == "Others are in front of it"
    assert "2 in front of it" in card.facts.text()
    assert "expected at" in card.facts.text()
    assert not card.stuck.isVisible()
    assert "may be closed" in card.close_words.text()
    charts = {id(words.parentWidget()): words for words in page._empty}
    shown = [chart for chart in page.dashboard.charts.values() if chart.isVisible()]
    assert shown
    for chart in shown:
        assert charts[id(chart)].isVisible()
        assert "job waits" in charts[id(chart)].text()


def test_that_a_job_that_will_not_start_is_marked(page: LivePage, window: MainWindow) -> None:
    show(window, page, waiting(will_start=False, words="its account has no hours left"))
    assert page.queue.stuck.isVisible()
    assert page.queue.stuck.text() == STUCK
    assert page.queue.words.text() == "Its account has no hours left"
    show(window, page, waiting(will_start=True))
    assert not page.queue.stuck.isVisible()


def test_that_the_card_and_the_words_go_when_the_run_begins(
    page: LivePage, window: MainWindow
) -> None:
    show(window, page, waiting())
    show(window, page, RunUpdate(run_id=RUN, state="training"))
    assert not page.queue.isVisible()
    assert not any(words.isVisible() for words in page._empty)
    show(window, page, waiting(state="running", time_left_s=300.0))
    assert "5:00 left" in page.queue.name.text()
    assert not page.queue.cancel_button.isVisible()


@pytest.mark.parametrize("go", [True, False])
def test_that_cancelling_is_asked_first(
    page: LivePage, window: MainWindow, handle: Handle, qtbot: QtBot, go: bool
) -> None:
    show(window, page, waiting())
    qtbot.mouseClick(page.queue.cancel_button, Qt.MouseButton.LeftButton)
    box = window.stopping.box
    assert isinstance(box, QMessageBox)
    assert "4711" in box.text()
    words = "Cancel the job" if go else "Keep waiting"
    next(button for button in box.buttons() if button.text() == words).click()
    qtbot.waitUntil(lambda: window.stopping.box is None)
    assert handle.stopped == (["now"] if go else [])
    assert window.settings.stop_depth == "checkpoint", "the next run's question is as before"


def test_that_its_start_is_told_once() -> None:
    watch, run = Watch(), RunModel(RUN, state="queued")
    run.apply(waiting())
    assert watch.look(run) == []
    run.apply(RunUpdate(run_id=RUN, state="starting"))
    (told,) = watch.look(run)
    assert (told.level, told.page) == ("info", "live")
    assert told.text == "Job 4711 has its nodes: the run starts."
    run.apply(RunUpdate(run_id=RUN, state="training"))
    assert watch.look(run) == []


def test_that_a_job_that_got_stuck_is_told_once() -> None:
    watch, run = Watch(), RunModel(RUN, state="queued")
    run.apply(waiting())
    assert watch.look(run) == []
    for _ in range(2):
        run.apply(waiting(state="held", will_start=False, words="an administrator holds it"))
    (told,) = watch.look(run)
    assert told.level == "warning"
    assert "is held" in told.text
    assert STUCK in told.text
    run.apply(waiting(state="held", will_start=False, position=2))
    assert watch.look(run) == []


def test_that_a_preempted_run_waits_again_and_keeps_its_charts() -> None:
    watch, run = Watch(), RunModel(RUN, state="training")
    watch.look(run)
    run.apply(StepsUpdate(run_id=RUN, task=TaskId("worker", 0), times=(1.0,), steps=(5,),
                          losses=(1.0,)))  # fmt: skip
    run.apply(RunUpdate(run_id=RUN, state="queued"))
    run.apply(waiting())
    assert watch.look(run) == []
    from gui.queue_words import empty_words

    assert empty_words(run) == ""
    run.apply(RunUpdate(run_id=RUN, state="training"))
    (told,) = watch.look(run)
    assert "has its nodes" in told.text


def test_that_a_silent_slurm_is_not_taken_for_an_end() -> None:
    run = RunModel(RUN, state="queued", started_at=NOW - 60)
    assert headline(run) == "The job is being handed in"
    run.apply(waiting(state="unknown", words="Slurm does not answer"))
    assert headline(run) == "Job 4711 waits, as far as is known"
    assert facts(run, NOW) == ["Slurm does not say when it starts", "waiting for 1:00"]
    assert not run.ended
    assert limit_words(run) == ""


def test_that_estimates_have_a_day_when_it_is_not_today() -> None:
    assert start_words(NOW - 5, NOW) == "expected any moment"
    assert ":" in start_words(NOW + 60, NOW)
    assert "," in start_words(NOW + 5 * 86400, NOW).partition(", in ")[0]
