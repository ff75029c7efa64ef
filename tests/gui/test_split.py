"""Where time goes, and what limits the run: on the dashboard, from a run's windows."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from gui.dashboard import Dashboard
from gui.live_page import TaskLine
from gui.run_model import RunModel
from gui.settings import Settings
from gui.split_model import SplitModel
from remote.updates import EvalUpdate, RunUpdate, Spent, StepsUpdate, TaskUpdate
from tests.gui.chart_runs import T0
from trainer.spec import TaskId, TrainingSpec

CHIEF, SECOND = TaskId("worker", 0), TaskId("worker", 1)


def feed(run: RunModel, task: TaskId, seconds: int, **parts: float) -> None:
    """Ten windows a second; ``parts`` are shares of the worker's time."""
    for number in range(seconds * 10):
        run.apply(
            StepsUpdate(
                run_id="r",
                task=task,
                steps=(number + 1,),
                losses=(1.0,),
                times=(T0 + number / 10,),
                spent=Spent(window_s=0.1, **{f"{k}_s": v / 10 for k, v in parts.items()}),
            )
        )


@pytest.fixture
def run() -> RunModel:
    return RunModel("r", training=TrainingSpec(update="sync"), started_at=T0)


@pytest.fixture
def dashboard(qtbot: QtBot) -> Dashboard:
    found = Dashboard()
    qtbot.addWidget(found)
    found.resize(1200, 900)
    found.show()
    return found


def test_that_the_parts_lie_upon_each_other_and_are_read_one_by_one(
    dashboard: Dashboard, run: RunModel
) -> None:
    feed(run, CHIEF, 20, compute=0.5, exchange=0.25, wait=0.15, input=0.05)
    run.apply(RunUpdate(run_id="r", state="finished"))
    dashboard.show_models(run, None)
    dashboard.refresh(T0 + 20, force=True)
    shown = {e.label: e.cells[0][1] for e in dashboard.split.legend_entries()}
    assert shown == {
        "computing": "50%",
        "push and pull": "25%",
        "waiting": "15%",
        "input": "5%",
        "other": "5%",
    }
    tops = [line.item.getData()[1][-1] for line in dashboard.split.lines]
    assert tops == pytest.approx([100, 95, 90, 75, 50])


def test_that_time_without_steps_is_a_gap(run: RunModel) -> None:
    model = run.split
    for second in (0, 1, 2, 30, 31, 32):
        model.add(CHIEF, T0 + second, Spent(window_s=1.0, compute_s=1.0), 1)
    model.finish()
    x, y = model.parts["compute"].window(T0, T0 + 40)
    assert np.isnan(y[(x > T0 + 4) & (x < T0 + 29)]).all()
    assert y[np.isfinite(y)].tolist() == [100.0] * 6


def test_that_the_line_says_what_limits_the_run_and_whom_all_wait_for(
    dashboard: Dashboard, run: RunModel
) -> None:
    feed(run, CHIEF, 12, compute=0.3, wait=0.6)
    feed(run, SECOND, 12, compute=0.95, wait=0.02)
    dashboard.show_models(run, None)
    dashboard.refresh(T0 + 12, force=True)
    assert dashboard.limit.isVisible()
    assert "worker:1 holds the others up" in dashboard.limit.text.text()
    assert run.stragglers() == [SECOND]


def test_that_a_slow_worker_is_marked_also_where_not_all_tasks_have_a_chip(qtbot: QtBot) -> None:
    line = TaskLine()
    qtbot.addWidget(line)
    tasks = [
        TaskUpdate(run_id="r", task=TaskId("worker", i), node="n", state="training")
        for i in range(TaskLine.MOST + 20)
    ]
    late = TaskId("worker", TaskLine.MOST + 10)
    line.show_tasks(tasks, [late])
    texts = [chip.accessibleName() or chip.toolTip() for chip in line._chips]
    assert any(str(late) in text for text in texts)
    assert "slower than the other workers" in line._chips[0].toolTip()


def test_that_only_the_last_seconds_count_while_a_run_goes_on() -> None:
    model = SplitModel()
    for second in range(100):
        part = (
            Spent(window_s=1.0, exchange_s=0.9)
            if second < 80
            else Spent(window_s=1.0, compute_s=0.9)
        )
        model.add(CHIEF, T0 + second, part, 1)
    now = model.limit(sync=False)
    model.finish()
    whole = model.limit(sync=False)
    assert now is not None
    assert whole is not None
    assert (now.part, whole.part) == ("compute", "exchange")


def test_that_charts_are_chosen_and_one_is_always_left(dashboard: Dashboard, run: RunModel) -> None:
    assert not dashboard.accuracy.isVisible()
    run.apply(EvalUpdate(run_id="r", t=T0 + 2, step=3, loss=0.9, accuracy=0.5))
    dashboard.show_models(run, None)
    actions = {a.text(): a for a in dashboard.chooser.menu().actions()}
    actions["Accuracy"].trigger()
    dashboard.refresh(T0 + 3, force=True)
    assert dashboard.accuracy.isVisible()
    assert dashboard.accuracy.lines[0].dots.getData()[1].tolist() == [50.0]
    for action in actions.values():
        if action.isChecked():
            action.trigger()
    assert dashboard.chooser.chosen


def test_that_the_chosen_charts_are_remembered(tmp_path: object) -> None:
    store = QSettings(f"{tmp_path}/é settings.ini", QSettings.Format.IniFormat)
    assert Settings(store).charts == []
    for names in (["loss"], ["loss", "time"]):
        Settings(store).charts = names
        store.sync()
        again = QSettings(store.fileName(), QSettings.Format.IniFormat)
        assert Settings(again).charts == names
