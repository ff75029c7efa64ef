"""Scaling studies in the window: what is asked for, what is made, what is shown of it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from gui.study_chart import spread_of
from gui.study_window import StudyWindow
from gui.theme import theme
from gui.window import MainWindow
from remote.errors import PlanError
from remote.history import RunRecord
from remote.profile import Profile, to_data
from remote.session.studying import new_study, plan_of, store_of
from remote.study import Outcome, Point, Turn, summarize
from remote.updates import NodeUpdate, ResultUpdate, RunState, RunUpdate
from trainer.spec import TrainingSpec, to_json

Wait = Callable[[Callable[[], bool], float], None]
LIMIT_S = 60.0


class Handle:
    """Stands where a run's handle does; ``stops`` is what was asked of it."""

    controlled_from = ""
    started = True

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.result: ResultUpdate | None = None
        self.stops: list[str] = []

    def stop(self, depth: str) -> None:
        self.stops.append(depth)


class Nodes:
    """Stands where the session does: runs are on record, and end when a test says so."""

    def __init__(self, window: MainWindow, profile: Profile) -> None:
        self.profile = profile
        self.controller = window.controller
        self.history = window.controller.history()
        self.nodes: dict[str, object] = {}
        self.handles: list[Handle] = []
        self.names: list[str] = []
        self.attached: list[str] = []
        self.most = 64

    def plan(self, training: TrainingSpec, placement: object) -> object:
        if (training.workers or 1) > self.most:
            raise PlanError("they do not fit", remedy="Add nodes.")
        return SimpleNamespace()

    def launch(self, training: TrainingSpec, *, name: str, placement: object) -> Handle:
        handle = Handle(f"20261130-15{self.history.count():02d}-aaaa")
        spec = json.dumps(to_json(training))
        run = RunRecord(run_id=handle.run_id, name=name, started_at=900.0, training=spec)
        self.history.add_run(run, [])
        self.handles.append(handle)
        self.names.append(name)
        return handle

    def attach(self, run_id: str) -> Handle:
        self.attached.append(run_id)
        return next(handle for handle in self.handles if handle.run_id == run_id)

    def active_runs(self) -> list[str]:
        return [handle.run_id for handle in self.handles if handle.result is None]

    def carrying_out_orders(self) -> bool:
        return False

    def runs(self) -> list[object]:
        return []

    def close(self) -> None:
        """Nothing is held."""

    def end(self, state: RunState = "finished", rate: float = 100.0) -> None:
        """The run that is on ends."""
        handle = self.handles[-1]
        result = ResultUpdate(
            run_id=handle.run_id,
            state=state,
            global_step=10,
            final_loss=0.1,
            accuracy=0.9,
            examples=640,
            examples_per_second=rate,
            time_to_first_step_s=2.0,
            reason="" if state == "finished" else "it broke",
        )
        self.history.finish(result, 1000.0)
        self.controller.bridge.updates.put(RunUpdate(run_id=handle.run_id, state=state))
        self.controller.bridge.updates.put(result)
        handle.result = result


@pytest.fixture
def nodes(window: MainWindow, profile_file: Path) -> Nodes:
    """The nodes of ``profile_file``, as if they had answered."""
    assert window.open_profile(str(profile_file))
    profile = window.controller.document.profile
    assert profile is not None
    found = Nodes(window, profile)
    connect(window, found)
    return found


def connect(window: MainWindow, nodes: Nodes) -> None:
    """All nodes have answered."""
    controller = window.controller
    controller.session = cast(Any, nodes)
    controller._session_profile = nodes.profile
    for node in nodes.profile.nodes:
        controller.models.apply(NodeUpdate(node=node.name, state="ready"))
    controller.changed.emit()


@pytest.fixture
def studies(window: MainWindow, nodes: Nodes, wait: Wait) -> StudyWindow:
    """The window of studies, with a new one to begin."""
    return opened(window, wait)


def opened(window: MainWindow, wait: Wait) -> StudyWindow:
    window.actions_by_name["study"].trigger()
    found = window.studies.window
    assert found is not None
    wait(found.isVisible, LIMIT_S)
    return found


def begin(studies: StudyWindow, nodes: Nodes, wait: Wait, workers: str = "1, 2") -> None:
    studies.form.workers.setText(workers)
    studies.form.repeats.setText("1")
    assert studies.start_button.isEnabled(), studies.words.text()
    studies.start_button.click()
    on(nodes, wait, 1)


def on(nodes: Nodes, wait: Wait, number: int) -> None:
    wait(lambda: len(nodes.handles) == number, LIMIT_S)


def shown(studies: StudyWindow, row: int, column: int) -> str:
    return studies.view.table.texts()[row][column]


def test_that_a_study_is_made_run_by_run_and_fills_chart_and_table(
    window: MainWindow, studies: StudyWindow, nodes: Nodes, wait: Wait, tmp_path: Path
) -> None:
    assert "9 runs" not in studies.form.words.text()
    begin(studies, nodes, wait)
    assert window.current_page == "live"
    wait(lambda: "Run 1 of 3: one process" in studies.words.text(), LIMIT_S)
    window.show_page("runs")
    nodes.end(rate=100.0)
    on(nodes, wait, 2)
    assert window.current_page == "runs", "only the first run brings the live page up"
    wait(lambda: shown(studies, 0, 2) == "100", LIMIT_S)
    wait(lambda: "about" in studies.words.text(), LIMIT_S)
    nodes.end(rate=90.0)
    on(nodes, wait, 3)
    nodes.end(rate=150.0)
    wait(lambda: not studies.maker.active and shown(studies, 2, 5) == "1.50x", LIMIT_S)
    assert studies.words.text() == "All runs are made."
    assert studies.view.advice.text().startswith("2 workers, 1 ps: 1.50 times one process")
    assert nodes.names == [
        "lab: one process #1",
        "lab: 1 worker, 1 ps #1",
        "lab: 2 workers, 1 ps #1",
    ]
    assert not studies.resume_button.isVisible()
    assert studies.list.ids() == [studies.list.current()]
    _exported(studies, tmp_path)


def _exported(studies: StudyWindow, folder: Path) -> None:
    for name in ("läb 'x'.png", "study.svg", "study.csv", "study-runs.csv"):
        studies.view.save(folder / name)
        assert (folder / name).stat().st_size > 100, name
    table = list(csv.DictReader(io.StringIO((folder / "study.csv").read_text("utf-8"))))
    assert [row["speedup"] for row in table] == ["1.0", "0.9", "1.5"]
    runs = list(csv.DictReader(io.StringIO((folder / "study-runs.csv").read_text("utf-8"))))
    assert [run["state"] for run in runs] == ["finished"] * 3


def test_that_a_failure_is_told_two_end_it_and_it_is_gone_on_with(
    window: MainWindow, studies: StudyWindow, nodes: Nodes, wait: Wait
) -> None:
    begin(studies, nodes, wait)
    nodes.end("failed")
    on(nodes, wait, 2)
    told = [notice.text for notice in window.controller.notices.past]
    assert any("A run of the study failed, one process: it broke" in text for text in told)
    nodes.end("failed")
    wait(lambda: not studies.maker.active, LIMIT_S)
    assert "2 runs failed one after another, the last at 1 worker, 1 ps" in studies.words.text()
    wait(lambda: studies.resume_button.isVisible() and studies.resume_button.isEnabled(), LIMIT_S)
    studies.resume_button.click()
    for number in (3, 4, 5):
        on(nodes, wait, number)
        nodes.end()
    wait(lambda: studies.words.text() == "All runs are made.", LIMIT_S)


@pytest.mark.parametrize("answer", ["After this &run", "Stop &now"])
def test_that_a_study_is_stopped_after_a_question(
    studies: StudyWindow, nodes: Nodes, wait: Wait, answer: str
) -> None:
    begin(studies, nodes, wait)
    studies.stop_button.click()
    box = studies.box
    assert box is not None
    next(button for button in box.buttons() if button.text() == answer).click()
    now = answer == "Stop &now"
    assert nodes.handles[0].stops == (["now"] if now else [])
    nodes.end("stopped" if now else "finished")
    wait(lambda: not studies.maker.active, LIMIT_S)
    assert "Stopped. Resume goes on" in studies.words.text()
    assert len(nodes.handles) == 1
    wait(lambda: studies.resume_button.isVisible(), LIMIT_S)


def test_that_a_study_goes_on_without_its_window_and_survives_a_lost_session(
    window: MainWindow, studies: StudyWindow, nodes: Nodes, wait: Wait
) -> None:
    begin(studies, nodes, wait)
    studies.close()
    nodes.end()
    on(nodes, wait, 2)
    window.controller.disconnect_nodes()
    wait(lambda: not studies.maker.active, LIMIT_S)
    again = opened(window, wait)
    assert again is studies
    assert "The nodes were let go" in studies.words.text()
    kept = store_of(nodes.history).load("last")
    assert list(kept.runs) == [Turn(Point(0, 0), 1), Turn(Point(1, 1), 1)]


def test_that_a_run_that_was_left_going_on_is_followed_again(
    window: MainWindow, studies: StudyWindow, nodes: Nodes, wait: Wait
) -> None:
    begin(studies, nodes, wait)
    window.controller.disconnect_nodes()
    wait(lambda: not studies.maker.active, LIMIT_S)
    connect(window, nodes)
    wait(lambda: studies.resume_button.isVisible() and studies.resume_button.isEnabled(), LIMIT_S)
    studies.resume_button.click()
    wait(lambda: nodes.attached == [nodes.handles[0].run_id], LIMIT_S)
    assert len(nodes.handles) == 1, "no other run is made beside it"
    nodes.end()
    on(nodes, wait, 2)
    studies.maker.stop(now=False)
    nodes.end()
    wait(lambda: not studies.maker.active, LIMIT_S)


def test_that_a_size_that_does_not_fit_is_told_before_anything_runs(
    studies: StudyWindow, nodes: Nodes, wait: Wait
) -> None:
    nodes.most = 1
    studies.form.workers.setText("1, 2")
    studies.start_button.click()
    wait(lambda: "2 workers, 1 ps: they do not fit" in studies.words.text(), LIMIT_S)
    assert not nodes.handles
    assert not studies.maker.active


def test_that_whatever_keeps_a_study_from_starting_is_one_sentence(
    window: MainWindow, profile_file: Path, wait: Wait
) -> None:
    studies = opened(window, wait)
    assert studies.words.text() == "Open a profile first."
    assert not studies.start_button.isEnabled()
    assert window.open_profile(str(profile_file))
    assert studies.words.text() == "Connect to the nodes first."
    window.controller.document.set_training({"steps": -1}, "test")
    assert studies.words.text().startswith("Fix the profile first:")


def test_that_another_run_is_waited_for(
    window: MainWindow, studies: StudyWindow, nodes: Nodes, wait: Wait
) -> None:
    window.controller.start(TrainingSpec())
    assert "A run is going on" in studies.words.text()
    assert not studies.start_button.isEnabled()
    nodes.end()
    wait(studies.start_button.isEnabled, LIMIT_S)


def test_that_a_study_of_another_profile_offers_to_open_it(
    window: MainWindow, nodes: Nodes, profile_file: Path, wait: Wait
) -> None:
    other = nodes.profile.model_copy(update={"nodes": nodes.profile.nodes[:2], "name": "óther"})
    study = new_study(other, plan_of(other), path="/gone.yaml")
    store_of(nodes.history).save(study)
    studies = opened(window, wait)
    wait(lambda: studies.list.ids() == [study.study_id], LIMIT_S)
    studies.list.choose(study.study_id)
    assert studies.profile_button.isVisible()
    assert not studies.resume_button.isEnabled()
    assert "belongs to another profile" in studies.words.text()
    studies.profile_button.click()
    opened_profile = window.controller.document.profile
    assert opened_profile is not None
    assert to_data(opened_profile)["nodes"] == to_data(other)["nodes"]


@pytest.mark.parametrize(
    ("field", "text", "says"),
    [
        ("workers", "two", "no list of numbers of workers"),
        ("ps", "0", "no list of numbers of ps"),
        ("repeats", "1, 2", "one number"),
        ("target", "1.5", "no accuracy"),
        ("workers", "", "no workers"),
    ],
)
def test_that_wrong_fields_are_one_sentence(
    studies: StudyWindow, field: str, text: str, says: str
) -> None:
    assert studies.start_button.isEnabled()
    getattr(studies.form, field).setText(text)
    assert says in studies.form.words.text()
    assert not studies.start_button.isEnabled()


def test_that_the_form_says_how_many_runs_and_how_long(studies: StudyWindow) -> None:
    assert studies.form.workers.text() == "1, 2, 3", "up to a worker for each node"
    assert "12 runs: 4 sizes, 3 of each." in studies.form.words.text()
    studies.form.take_rates({Point(0, 0): 1000.0}, 2.0)
    assert "About" in studies.form.words.text()
    studies.form.target.setText("98 %")
    assert studies.form.plan().target == 0.98


def test_that_the_keyboard_does_it_all_and_everything_has_a_name(
    window: MainWindow, studies: StudyWindow, nodes: Nodes, qtbot: QtBot, wait: Wait
) -> None:
    assert window.actions_by_name["study"].shortcut().toString() == "Ctrl+Shift+Return"
    for field in studies.findChildren(QLineEdit):
        assert field.accessibleName()
    for button in studies.findChildren(QPushButton):
        assert button.text() or button.accessibleName()
    studies.form.repeats.setFocus()
    qtbot.keyClick(studies.form.repeats, Qt.Key.Key_Return)
    on(nodes, wait, 1)
    qtbot.keyClick(studies, Qt.Key.Key_Escape)
    assert not studies.isVisible()
    assert studies.maker.active


def made(rates: dict[Point, list[float]]) -> list[Outcome]:
    return [
        Outcome(
            turn=Turn(point, number),
            run_id=f"{point}-{number}",
            state="finished",
            rate=rate,
            accuracy=None,
            to_target_s=None,
        )
        for point, found in rates.items()
        for number, rate in enumerate(found, 1)
    ]


def test_that_the_chart_has_a_line_for_each_ps_with_spread_and_the_ideal(
    studies: StudyWindow, nodes: Nodes
) -> None:
    plan = plan_of(nodes.profile, workers=[1, 2, 4], ps=[1, 2])
    found = made(
        {Point(0, 0): [100.0], Point(2, 1): [150.0, 180.0, 200.0], Point(4, 2): [300.0]},
    )
    view, chart = studies.view, studies.view.chart
    view.show_study(new_study(nodes.profile, plan), found)
    assert [line.label for line in chart.lines] == ["ideal", "one process", "1 ps", "2 ps"]
    assert chart.lines[0].style is Qt.PenStyle.DashLine
    assert [line.drawn for line in chart.lines[2:]] == [1, 1]
    (row,) = [row for row in summarize(plan.points, found) if row.point == Point(2, 1)]
    assert spread_of(row) == pytest.approx((1.5, 2.0))
    assert len(chart._bars) == 1, "one run alone has no spread"
    assert chart.y_range[1] > 4.0
    chart.set_cross(2.0)
    values = {entry.label: entry.cells[0][1] for entry in chart.legend.entries}
    assert values == {"ideal": "2.00×", "one process": "1.00×", "1 ps": "1.80×", "2 ps": "–"}
    before = chart.lines[2].color
    theme().choose("dark")
    assert chart.lines[2].color != before


def test_that_a_small_window_cuts_nothing_off(studies: StudyWindow, nodes: Nodes) -> None:
    view = studies.view
    plan = plan_of(nodes.profile, workers=[1, 2], target=0.9)
    view.show_study(new_study(nodes.profile, plan), made({Point(0, 0): [1.0]}))
    studies.stack.setCurrentIndex(1)
    studies.resize(studies.minimumSize())
    assert studies.size() == studies.minimumSize()
    table = view.table
    assert table.whole_width() > table.width(), "it scrolls"
    needed = sum(table.rowHeight(row) for row in range(table.rowCount()))
    assert table.viewport().height() >= needed
