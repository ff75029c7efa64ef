"""Charts show exactly the points given, on both axes, through gaps and odd values."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.chart import View
from gui.loss_chart import LossChart
from gui.run_model import RunModel
from gui.texts import elapsed_text, value_text
from remote.updates import RunUpdate, StepsUpdate
from tests.gui.chart_runs import T0, run_of
from tests.support.waiting import SLACK
from trainer.spec import TaskId, TrainingSpec

FIXTURES = Path(__file__).parent.parent / "fixtures" / "gui"
SERIES: dict[str, list[float]] = {
    name: [math.nan if v is None else float(v) for v in values]
    for name, values in json.loads((FIXTURES / "chart-values.json").read_text()).items()
}


@pytest.fixture
def chart(qtbot: QtBot) -> LossChart:
    found = LossChart()
    qtbot.addWidget(found)
    found.resize(800, 300)
    found.show()
    return found


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("name", sorted(SERIES))
def test_that_only_what_cannot_be_shown_is_left_out(chart: LossChart, name: str, log: bool) -> None:
    values = SERIES[name]
    chart.set_run(run_of(values))
    chart.set_log(log)
    chart.redraw(View(T0, 0.0, 10.0))
    shown = [v for v in values if math.isfinite(v) and (v > 0 or not log)]
    assert chart.raw.drawn == len(shown)
    assert chart.bad_points == len(values) - len(shown)
    low, high = chart.view_box.viewRange()[1]
    assert math.isfinite(low)
    assert math.isfinite(high)
    assert low < high
    for value in shown:
        assert low <= (math.log10(value) if log else value) <= high


@pytest.mark.parametrize("name", ["leading_nan", "with_inf", "one_point"])
def test_that_gaps_stay_gaps_and_lone_points_are_dots(chart: LossChart, name: str) -> None:
    chart.set_run(run_of(SERIES[name]))
    chart.redraw(View(T0, 0.0, 10.0))
    _, y = chart.raw.item.getData()
    assert np.isfinite(y).tolist() == [math.isfinite(v) for v in SERIES[name]]
    finite = [False, *map(math.isfinite, SERIES[name]), False]
    alone = sum(
        finite[i] and not finite[i - 1] and not finite[i + 1] for i in range(len(finite) - 1)
    )
    assert len(chart.raw.dots.data) == alone
    assert chart.raw.item.opts["connect"] == "finite"


def test_that_hidden_values_are_counted_in_words(chart: LossChart) -> None:
    chart.set_run(run_of(SERIES["zero_and_negative"]))
    chart.set_log(True)
    chart.redraw(View(T0, 0.0, 10.0))
    assert chart.message.text() == "3 values ≤ 0 not shown"
    chart.set_run(run_of(SERIES["with_inf"]))
    chart.redraw(View(T0, 0.0, 10.0))
    assert chart.message.text() == "2 values not finite"


def test_that_toggling_log_restores_the_picture(chart: LossChart) -> None:
    chart.set_run(run_of(SERIES["spike"]))
    chart.redraw(View(T0, 0.0, 10.0))
    before = (chart.view_box.viewRange(), chart.raw.item.getData()[1].tolist())
    chart.set_log(True)
    chart.set_log(False)
    assert (chart.view_box.viewRange(), chart.raw.item.getData()[1].tolist()) == before


@pytest.mark.parametrize("log", [False, True])
def test_that_zooming_out_far_stays_quick_and_finite(chart: LossChart, log: bool) -> None:
    chart.set_run(run_of([2.0, 1.0, 0.5]))
    chart.set_log(log)
    chart.redraw(View(T0, 0.0, 10.0))
    center = QPointF(chart.plot.rect().center())
    slowest = 0.0
    for _ in range(50):
        began = time.perf_counter()
        event = QWheelEvent(
            center,
            QPointF(chart.plot.mapToGlobal(center.toPoint())),
            QPoint(),
            QPoint(0, -120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(chart.plot.viewport(), event)
        QApplication.processEvents()
        slowest = max(slowest, time.perf_counter() - began)
    assert slowest < 0.5 * SLACK  # no freeze; the usual time is a few milliseconds
    low, high = chart.view_box.viewRange()[1]
    assert -1e31 < low < high < 1e31


def test_that_time_is_elapsed_and_even_over_the_end_of_summer_time(
    chart: LossChart, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = json.loads((FIXTURES / "times.json").read_text())["points"]
    drawn = []
    for zone in ("Europe/Berlin", "UTC"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        run = RunModel("r", started_at=points[0][0], live=False)
        for t, loss in points:
            run.apply(
                StepsUpdate(
                    run_id="r", task=TaskId("worker", 0), steps=(1,), losses=(loss,), times=(t,)
                )
            )
        chart.set_run(run)
        chart.redraw(View(points[0][0], 0.0, 11000.0))
        drawn.append(chart.raw.item.getData()[0].tolist())
    monkeypatch.undo()
    time.tzset()
    assert drawn == [[0.0, 3600.0, 7200.0, 10800.0]] * 2
    labels = chart.x_axis.tickStrings([0.0, 3600.0, 7200.0], 1.0, 3600.0)
    assert labels == ["0:00", "1:00:00", "2:00:00"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0:00"), (65, "1:05"), (3723, "1:02:03"), (273600, "3d 04:00"), (-5, "-0:05")],
)
def test_that_elapsed_time_reads_well(seconds: float, text: str) -> None:
    assert elapsed_text(seconds) == text


def test_that_eta_follows_the_pace_and_ends_with_the_run() -> None:
    run = RunModel("r", training=TrainingSpec(steps=1000), started_at=T0)
    run.apply(RunUpdate(run_id="r", state="training"))
    for i in range(11):
        run.apply(
            StepsUpdate(
                run_id="r",
                task=TaskId("worker", 0),
                steps=(i * 10,),
                losses=(1.0,),
                times=(T0 + i,),
            )
        )
    assert run.eta_s(T0 + 10) == pytest.approx(90.0)
    run.apply(RunUpdate(run_id="r", state="stopped"))
    assert run.eta_s(T0 + 10) is None


def test_that_an_evaluation_is_drawn_above_the_checkpoint(chart: LossChart) -> None:
    assert chart.evals.dots.zValue() > chart.flags.zValue()


@pytest.mark.parametrize(
    ("value", "step", "text"),
    [
        (4000.0, 0.0, "4,000"),
        (4000.0, 2000.0, "4,000"),
        (12500.0, 500.0, "12,500"),
        (1234567.0, 1.0, "1,234,567"),
        (25e6, 5e6, "25M"),
        (0.03125, 0.0, "0.03125"),
        (3.9412e-6, 0.0, "3.941e-06"),
        (math.inf, 0.0, "inf"),
    ],
)
def test_that_numbers_read_alike_everywhere(value: float, step: float, text: str) -> None:
    assert value_text(value, step) == text
