"""What is told when nobody looks at the window: when, how, and where it leads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from gui.attention import Happening, Watch
from gui.notifying import choose_way, desktop_command, plain_words
from gui.run_model import RunModel
from gui.settings import Settings
from gui.tray import Tray, state_icon, tray_state
from gui.window import MainWindow
from remote.updates import Leftover, ResultUpdate, RunState, RunUpdate, TaskState, TaskUpdate
from trainer.events import Level
from trainer.spec import TaskId, TrainingSpec

Wait = Callable[[Callable[[], bool], float], None]
RUN = "20261130-1502-k3f9"


def task(name: str, state: TaskState, detail: str = "") -> TaskUpdate:
    found = TaskId.parse(name)
    return TaskUpdate(run_id=RUN, task=found, node="gpu1", state=state, detail=detail)


def result(state: RunState, reason: str = "", left: tuple[Leftover, ...] = ()) -> ResultUpdate:
    return ResultUpdate(
        run_id=RUN,
        state=state,
        global_step=1200,
        final_loss=None,
        accuracy=None,
        examples=0,
        examples_per_second=None,
        time_to_first_step_s=None,
        reason=reason,
        left_behind=left,
    )


def watched(*states: tuple[str, TaskState]) -> tuple[Watch, RunModel]:
    run = RunModel(RUN, state="training")
    for name, state in states:
        run.apply(task(name, state))
    watch = Watch()
    assert watch.look(run) == []
    return watch, run


def test_that_a_stall_is_told_once_and_again_after_it_went_on() -> None:
    watch, run = watched(("worker:0", "training"))
    run.apply(task("worker:0", "stalled", "no step for 40 s"))
    (told,) = watch.look(run)
    assert told == Happening("warning", "worker:0 on gpu1 is stalled: no step for 40 s", "logs")
    run.apply(task("worker:0", "stalled", "no step for 50 s"))
    assert watch.look(run) == []
    run.apply(task("worker:0", "training"))
    assert watch.look(run) == []
    run.apply(task("worker:0", "stalled"))
    assert len(watch.look(run)) == 1


def test_that_many_tasks_that_fail_together_are_one_sentence() -> None:
    watch, run = watched(*((f"worker:{n}", "training") for n in range(20)))
    for n in range(20):
        run.apply(task(f"worker:{n}", "failed", "exit status 1"))
    (told,) = watch.look(run)
    assert told.level == "error"
    assert told.text == "worker:0 on gpu1 has failed, and 19 more: exit status 1"


@pytest.mark.parametrize(
    ("end", "level", "words", "page"),
    [
        (result("finished"), "info", "finished at step 1,200", "live"),
        (result("failed", "worker:0: out of memory"), "error", "out of memory", "logs"),
        (
            result("stopped", left=(Leftover(node="gpu2", what="a process"),)),
            *("error", "left on gpu2", "live"),
        ),
    ],
)
def test_that_an_end_is_told_once(end: ResultUpdate, level: Level, words: str, page: str) -> None:
    watch, run = watched(("worker:0", "training"))
    run.apply(RunUpdate(run_id=RUN, state="stopping"))
    run.apply(task("worker:0", "failed"))
    assert watch.look(run) == [], "tasks of a run that is being stopped end as they were asked to"
    run.apply(end)
    (told,) = watch.look(run)
    assert (told.level, told.page) == (level, page)
    assert words in told.text
    run.apply(task("worker:0", "stopped"))
    assert watch.look(run) == []


def test_that_what_was_over_at_the_first_look_is_no_news() -> None:
    ended = RunModel(RUN, state="finished")
    ended.apply(result("finished"))
    watch = Watch()
    assert watch.look(ended) == []
    past = RunModel("20261130-0000-aaaa", live=False)
    past.apply(result("failed"))
    assert watch.look(past) == []
    assert watch.look(None) == []


@pytest.mark.parametrize(
    ("wanted", "in_front", "tray", "command", "way"),
    [
        (True, True, True, True, "none"),
        (False, False, True, True, "none"),
        (True, False, True, True, "tray"),
        (True, False, False, True, "desktop"),
        (True, False, False, False, "alert"),
    ],
)
def test_that_the_best_way_is_chosen(
    wanted: bool, in_front: bool, tray: bool, command: bool, way: str
) -> None:
    assert choose_way(wanted=wanted, in_front=in_front, tray=tray, command=command) == way


def test_that_without_a_session_of_a_desktop_no_program_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    assert desktop_command() == ""


def test_that_words_of_a_node_are_no_markup() -> None:
    words = plain_words("gpu<b>1\n\nfailed " + "x" * 400)
    assert words.startswith("gpu‹b>1 failed x")
    assert len(words) == 300


class PlayedTray(Tray):
    """A desktop that has a tray, and keeps what it was told to show."""

    def __init__(self, window: QWidget, actions: dict[str, QAction]) -> None:
        super().__init__(window, actions, available=lambda: True)
        self.messages: list[tuple[str, str, Level]] = []

    def message(self, title: str, text: str, level: Level) -> None:
        self.messages.append((title, text, level))


@pytest.fixture
def tray(window: MainWindow) -> Iterator[PlayedTray]:
    notifying = window.notifying
    notifying.tray = found = PlayedTray(window, window.actions_by_name)
    found.message_clicked.connect(lambda: notifying.bring_up("logs"))
    notifying.in_front = lambda: False
    notifying.show_tray()
    yield found
    found.choose(False)


def test_that_a_failure_is_told_beside_the_tray_and_leads_to_the_logs(
    window: MainWindow, tray: PlayedTray, wait: Wait
) -> None:
    window.controller.models.show_run(RUN, None, time.time(), "training")
    wait(lambda: "training" in tray.state_line.text(), 5)
    window.controller.bridge.updates.put(result("failed", "<b>worker:0</b> was killed"))
    wait(lambda: bool(tray.messages), 5)
    ((title, text, level),) = tray.messages
    assert (title, level) == (f"Clew: run {RUN}", "error")
    assert text == "The run failed: ‹b>worker:0‹/b> was killed"
    assert "failed" in tray.state_line.text()
    window.showMinimized()
    tray.message_clicked.emit()
    assert not window.isMinimized()
    assert window.current_page == "logs"


def test_that_the_choice_of_the_menu_is_kept(
    window: MainWindow, tray: PlayedTray, settings: Settings
) -> None:
    assert tray.on
    window.actions_by_name["tray"].trigger()
    assert not tray.on
    assert not settings.tray
    window.actions_by_name["tray"].trigger()
    assert tray.on
    window.actions_by_name["notify"].trigger()
    assert not settings.notify
    assert window.notifying.tell(Happening("info", "The run is finished.", "live")) == "none"
    assert tray.messages == []


def test_that_a_desktop_without_a_tray_takes_the_choice_away(window: MainWindow) -> None:
    notifying = window.notifying
    notifying.tray = Tray(window, window.actions_by_name, available=lambda: False)
    notifying.in_front, notifying.command = (lambda: False), (lambda: "")
    notifying.show_tray()
    action = window.actions_by_name["tray"]
    assert not notifying.tray.on
    assert not action.isEnabled()
    assert action.property("why") == "This desktop has no tray."
    assert notifying.tell(Happening("info", "The run is finished.", "live")) == "alert"


def test_that_the_icon_tells_states_by_form_and_words(window: MainWindow) -> None:
    run = RunModel(RUN, training=TrainingSpec(steps=200), state="training")
    run.step = 50
    state = tray_state(run)
    assert (state.percent, state.words) == (25, "Clew: training 25 %")
    run.apply(task("worker:0", "stalled"))
    assert tray_state(run).words == "Clew: training 25 %, 1 stalled"
    run.apply(result("failed"))
    images = [
        state_icon(s).pixmap(64, 64).toImage() for s in (tray_state(None), state, tray_state(run))
    ]
    grey = [image.convertToFormat(image.Format.Format_Grayscale8) for image in images]
    assert grey[0] != grey[1]
    assert grey[1] != grey[2]
