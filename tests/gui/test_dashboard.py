"""The dashboard: its charts side by side, one time for all of them, and what it says in words."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.chart import Chart
from gui.dashboard import REDRAW_S, Dashboard
from gui.device_model import DeviceModel
from remote.updates import (
    EvalUpdate,
    GpuSample,
    MarkUpdate,
    NodeSample,
    RateUpdate,
    RunUpdate,
    StepsUpdate,
)
from tests.gui.chart_runs import T0, run_of
from tests.support.waiting import PATIENCE_S
from trainer.spec import TaskId


@pytest.fixture
def dashboard(qtbot: QtBot) -> Dashboard:
    found = Dashboard()
    qtbot.addWidget(found)
    found.resize(1100, 800)
    found.show()
    return found


def sample(node: str, t: float, gpus: int, percent: float | None = 50.0) -> NodeSample:
    return NodeSample(
        node=node,
        t=t,
        cpu_percent=20.0,
        memory_used_bytes=1,
        memory_total_bytes=2,
        gpus=tuple(
            GpuSample(
                uuid=f"{node}-{i}",
                index=i,
                name="A100",
                utilization_percent=percent,
                memory_used_bytes=None,
                memory_total_bytes=None,
                temperature_c=None,
                power_watts=None,
            )
            for i in range(gpus)
        ),
        gpu_note="" if gpus else "no nvidia-smi",
    )


def test_that_all_three_charts_show_what_was_given(dashboard: Dashboard) -> None:
    run, devices = run_of([3.0, 2.0, 1.0]), DeviceModel()
    run.apply(EvalUpdate(run_id="r", t=T0 + 2, step=3, loss=0.9, accuracy=0.5))
    for t, total in ((1.0, 100.0), (2.0, 120.0)):
        rates = {TaskId("worker", 0): total / 2, TaskId("worker", 1): total / 2}
        run.apply(RateUpdate(run_id="r", t=T0 + t, total=total, per_worker=rates))
        devices.add(sample("a", T0 + t, 2))
        devices.add(sample("b", T0 + t, 0))
    run.apply(MarkUpdate(run_id="r", t=T0 + 1, kind="restart", text="<b>worker:1</b> restarted"))
    dashboard.show_models(run, devices)
    dashboard.refresh(T0 + 3, force=True)
    assert dashboard.loss.raw.item.getData()[1].tolist() == [3.0, 2.0, 1.0]
    assert dashboard.loss.evals.dots.getData()[1].tolist() == [0.9]
    assert [line.label for line in dashboard.rate.lines] == ["total", "worker:0", "worker:1"]
    assert dashboard.rate.lines[0].item.getData()[1].tolist() == [100.0, 120.0]
    labels = [line.label for line in dashboard.device.lines]
    assert labels == ["a GPU0", "a GPU1", "b CPU"]
    assert dashboard.device.lines[2].item.getData()[1].tolist() == [20.0, 20.0]
    assert len(dashboard.loss.shown_marks) == 1
    assert dashboard.tiles.tiles["step"].value.text() == "3"
    assert dashboard.tiles.tiles["accuracy"].value.text() == "50.00%"


def test_that_a_silent_gpu_is_a_gap_not_a_zero_and_not_a_cpu(dashboard: Dashboard) -> None:
    devices = DeviceModel()
    devices.add(sample("a", T0, 1))
    devices.add(sample("a", T0 + 1, 1, None))
    devices.add(sample("a", T0 + 2, 0))
    devices.add(sample("a", T0 + 3, 1))
    dashboard.show_models(None, devices)
    dashboard.refresh(T0 + 4, force=True)
    (line,) = dashboard.device.lines
    y = line.item.getData()[1]
    assert np.isnan(y[1])
    assert y[[0, 2]].tolist() == [50.0, 50.0]


def test_that_a_node_that_went_away_has_no_value_of_now(dashboard: Dashboard) -> None:
    devices = DeviceModel()
    devices.add(sample("gone", T0, 1))
    for second in range(31):
        devices.add(sample("here", T0 + second, 1))
    dashboard.show_models(None, devices)
    dashboard.refresh(T0 + 31, force=True)
    shown = {entry.label: entry.cells[0][1] for entry in dashboard.device.legend_entries()}
    assert shown == {"gone": "–", "here": "50%"}


def test_that_the_17th_device_makes_a_heat_map(dashboard: Dashboard) -> None:
    devices = DeviceModel()
    for second in range(5):
        for node in range(4):
            devices.add(sample(f"n{node}", T0 + second, 4))
    dashboard.show_models(None, devices)
    dashboard.refresh(T0 + 5, force=True)
    assert len(dashboard.device.lines) == 16
    devices.add(sample("n4", T0 + 5, 1))
    dashboard.refresh(T0 + 6, force=True)
    assert not dashboard.device.lines
    image = dashboard.device.image.image
    assert image.dtype == np.uint8
    assert image.shape == (17, 6)
    assert dashboard.device.image.isVisible()


def test_that_axes_are_labelled_for_what_is_shown_now(dashboard: Dashboard) -> None:
    run = run_of([1.0] * 5)
    run.apply(RunUpdate(run_id="r", state="training"))
    run.live = True
    dashboard.show_models(run, DeviceModel())
    for seconds, losses, top in ((4, [1.0] * 5, "1.00"), (600, [80.0] * 600, "80")):
        run.loss.clear()
        run.loss.extend([T0 + i for i in range(len(losses))], losses)
        dashboard.refresh(T0 + seconds, force=True)
        dashboard.grab()
        labels = dashboard.loss.x_axis.words
        assert labels[0] in ("0:00", "0.0 s")
        assert len(labels) > 3
        low, high = dashboard.loss.view_box.viewRange()[0]
        assert low <= 0.0 < seconds <= high
        assert top in dashboard.loss.y_axis.words
    assert "10:00" in dashboard.loss.x_axis.words


def test_that_zooming_stops_following_and_follow_comes_back(dashboard: Dashboard) -> None:
    dashboard.show_models(run_of([3.0, 2.0, 1.0, 1.0, 1.0]), DeviceModel())
    dashboard.refresh(T0 + 5, force=True)
    box = dashboard.loss.view_box
    box.scaleBy((0.5, 0.5))
    box.sigRangeChangedManually.emit([True, True])
    assert not dashboard.follow.isChecked()
    zoomed = box.viewRange()
    dashboard.refresh(T0 + 6, force=True)
    assert box.viewRange()[0] == pytest.approx(zoomed[0])
    assert dashboard.rate.view_box.viewRange()[0] == pytest.approx(zoomed[0])
    dashboard.follow.setChecked(True)
    dashboard.refresh(T0 + 6, force=True)
    assert box.viewRange()[0][0] == 0.0


def test_that_the_crosshair_reads_every_chart_at_one_time(dashboard: Dashboard) -> None:
    run = run_of([3.0, 2.0, 1.0])
    run.apply(RateUpdate(run_id="r", t=T0 + 1, total=100.0))
    dashboard.show_models(run, DeviceModel())
    dashboard.refresh(T0 + 3, force=True)
    at = dashboard.loss.view_box.mapViewToScene(QPointF(1.5, 2.0))
    dashboard._hover(dashboard.loss, at)
    assert dashboard.loss.legend.entries[0].cells[0][1] == "2"
    assert dashboard.rate.legend.entries[0].cells[0][1] == "100"
    assert all(chart.cross.isVisible() for chart in shown_charts(dashboard))


def test_that_the_last_n_leaves_an_old_spike_behind(dashboard: Dashboard) -> None:
    run = run_of([1e9] + [2.0] * 100)
    dashboard.show_models(run, DeviceModel())
    dashboard.window_box.setCurrentIndex(1)
    dashboard.refresh(T0 + 101, force=True)
    assert dashboard.loss.raw.last == 2.0
    run.live = True
    run.state = "training"
    for i in range(10):  # the mean forgets, too
        more = tuple(T0 + 101 + i * 100 + j for j in range(100))
        steps = tuple(range(100))
        run.apply(
            StepsUpdate(
                run_id="r", task=TaskId("worker", 0), steps=steps, losses=(2.0,) * 100, times=more
            )
        )
    dashboard.refresh(T0 + 1100, force=True)
    assert dashboard.loss.y_range[1] < 10


def test_that_a_hidden_dashboard_draws_nothing(dashboard: Dashboard, qtbot: QtBot) -> None:
    run = run_of([1.0])
    dashboard.show_models(run, DeviceModel())
    dashboard.hide()
    drawn: list[bool] = []
    dashboard.redrawn.connect(lambda: drawn.append(True))
    dashboard.refresh(T0 + 1)
    assert not drawn
    dashboard.show()

    def seen() -> bool:
        dashboard.refresh(T0 + 1)
        return bool(drawn)

    qtbot.waitUntil(seen, timeout=int(PATIENCE_S * 1000))
    qtbot.wait(int(REDRAW_S * 2000))
    dashboard.refresh(T0 + 1)  # nothing is new
    assert len(drawn) == 1


def shown_charts(dashboard: Dashboard) -> list[Chart]:
    return [chart for chart in dashboard.charts.values() if chart.isVisible()]


def wheel(dashboard: Dashboard, name: str) -> None:
    plot = dashboard.charts[name].plot
    center = QPointF(plot.rect().center())
    event = QWheelEvent(
        center,
        QPointF(plot.mapToGlobal(center.toPoint())),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(plot.viewport(), event)


def test_that_the_wheel_zooms_time_only_and_a_button_leads_back(dashboard: Dashboard) -> None:
    run = run_of([3.0, 2.0, 1.0, 1.0, 4.0])
    dashboard.show_models(run, DeviceModel())
    dashboard.window_box.setCurrentIndex(3)
    dashboard.refresh(T0 + 5, force=True)
    (low, high), y = dashboard.loss.view_box.viewRange()
    assert not dashboard.reset.isVisible()
    wheel(dashboard, "loss")
    (near, far), after = dashboard.loss.view_box.viewRange()
    assert far - near < 0.9 * (high - low)
    assert after == y
    assert (dashboard.window_box.currentIndex(), dashboard.window_box.placeholderText()) == (
        -1,
        "Custom",
    )
    assert dashboard.reset.isVisible()
    dashboard.refresh(T0 + 5, force=True)
    dashboard.reset.click()
    dashboard.refresh(T0 + 5, force=True)
    assert dashboard.loss.view_box.viewRange()[0] == [low, high]
    assert dashboard.window_box.currentText() == "Last hour"
    assert dashboard.follow.isChecked()
    assert not dashboard.reset.isVisible()


def test_that_the_crosshair_goes_when_the_mouse_leaves_its_chart(dashboard: Dashboard) -> None:
    dashboard.show_models(run_of([3.0, 2.0, 1.0]), DeviceModel())
    dashboard.refresh(T0 + 3, force=True)
    dashboard._hover(dashboard.loss, dashboard.loss.view_box.mapViewToScene(QPointF(1.5, 2.0)))
    assert dashboard.loss.at.text() == "1.5 s · step 2"
    assert dashboard.rate.at.text() == "1.5 s"
    QApplication.sendEvent(dashboard.loss.plot, QEvent(QEvent.Type.Leave))
    assert not any(chart.cross.isVisible() for chart in shown_charts(dashboard))
    assert dashboard.loss.at.text() == ""
    assert dashboard.loss.legend.entries[0].cells[0][1] == "1"


def test_that_a_killed_worker_has_a_gap_in_its_throughput(dashboard: Dashboard) -> None:
    run = run_of([1.0])
    run.live = True
    w0, w1 = TaskId("worker", 0), TaskId("worker", 1)
    for t in range(6):
        rates = {w0: 100.0} if 2 <= t < 5 else {w0: 100.0, w1: 50.0}
        run.apply(RateUpdate(run_id="r", t=T0 + t, total=150.0, per_worker=rates))
    dashboard.show_models(run, DeviceModel())
    dashboard.refresh(T0 + 6, force=True)
    x, y = dashboard.rate.lines[2].item.getData()
    assert x.tolist() == [0.0, 1.0, 2.0, 5.0]
    assert np.isfinite(y).tolist() == [True, True, False, True]


def test_that_a_long_reason_ends_in_an_ellipsis_and_is_told_whole(dashboard: Dashboard) -> None:
    reason = "node2: the data <b>folder</b> is not there. " * 9 + "Correct training.data_dir."
    run = run_of([1.0])
    run.apply(RunUpdate(run_id="r", state="failed", detail=reason))
    dashboard.show_models(run, DeviceModel())
    dashboard.refresh(T0 + 3, force=True)
    assert dashboard.detail.shown_text().endswith("…")
    assert "data &lt;b&gt;folder" in dashboard.detail.toolTip()
    assert dashboard.detail.toolTip().endswith("Correct training.data_dir.</qt>")
    dashboard.grab()
