"""Which devices the utilization chart shows, and under which names."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.dashboard import Dashboard
from gui.device_chart import DeviceChart
from gui.device_model import MAX_LINES, DeviceModel
from remote.updates import GpuSample, NodeSample

T0 = 1_700_000_000.0


def sample(node: str, t: float, gpus: int, note: str = "") -> NodeSample:
    return NodeSample(
        node=node,
        t=t,
        cpu_percent=20.0,
        memory_used_bytes=1,
        memory_total_bytes=2,
        gpus=tuple(
            GpuSample(
                uuid=f"{node}-{index}",
                index=index,
                name="A100",
                utilization_percent=50.0,
                memory_used_bytes=None,
                memory_total_bytes=None,
                temperature_c=None,
                power_watts=None,
            )
            for index in range(gpus)
        ),
        gpu_note=note,
    )


@pytest.mark.parametrize("note", ["", "nvidia-smi does not answer"])
def test_that_a_node_with_gpus_never_keeps_a_cpu_row(note: str) -> None:
    devices = DeviceModel()
    for node in ("gpu001", "gpu002"):
        devices.add(sample(node, T0, 0, note))
    for node in ("gpu001", "gpu002"):
        devices.add(sample(node, T0 + 1, 8))
    assert len(devices.utilization.heat) == len(devices.utilization.lines) == MAX_LINES
    assert not devices.utilization.many
    assert not any("CPU" in label for label in devices.utilization.heat.labels)


def test_that_a_node_without_gpus_shows_its_cpu() -> None:
    devices = DeviceModel()
    devices.add(sample("node1", T0, 0, "no nvidia-smi"))
    assert devices.utilization.heat.labels == ["node1 CPU"]


def test_that_the_chart_follows_a_row_that_became_another(qtbot: QtBot) -> None:
    dashboard, devices = Dashboard(), DeviceModel()
    qtbot.addWidget(dashboard)
    dashboard.show()
    devices.add(sample("a", T0, 0, "nvidia-smi does not answer"))
    dashboard.show_models(None, devices)
    dashboard.refresh(T0 + 1, force=True)
    devices.add(sample("a", T0 + 1, 1))
    dashboard.refresh(T0 + 2, force=True)
    assert [line.label for line in dashboard.device.lines] == ["a GPU0"]


def test_that_rows_of_the_heat_map_are_named_by_node_and_gpu(qtbot: QtBot) -> None:
    dashboard, devices = Dashboard(), DeviceModel()
    qtbot.addWidget(dashboard)
    dashboard.resize(1100, 900)
    dashboard.show()
    for node in ("gpu001", "a-very-long-name"):
        devices.add(sample(node, T0, 16))
    dashboard.show_models(None, devices)
    dashboard.refresh(T0 + 1, force=True)
    names = dashboard.device.y_axis.names
    assert names is not None
    assert names[:2] == ["gpu001 · 0", "gpu001 · 1"]
    assert names[19] == "a-v…ame · 3"


def test_that_recorded_samples_come_in_after_live_ones() -> None:
    devices = DeviceModel()
    devices.add(sample("gpu001", T0 + 100, 1))
    for second in range(60):
        devices.add(sample("gpu001", T0 + second, 1))
    assert devices.first_t == T0
    x, _ = next(iter(devices.utilization.lines.values())).series.window(T0, T0 + 200)
    assert x.tolist() == [*(T0 + second for second in range(60)), T0 + 100]
    assert devices.utilization.heat.shown()[0, :60].tolist() == [100] * 60


def full_sample(node: str, t: float, gpus: int) -> NodeSample:
    return NodeSample(
        node=node,
        t=t,
        cpu_percent=20.0,
        memory_used_bytes=1,
        memory_total_bytes=4,
        gpus=tuple(
            GpuSample(
                uuid=f"{node}-{index}",
                index=index,
                name="A100",
                utilization_percent=50.0,
                memory_used_bytes=30 << 30,
                memory_total_bytes=40 << 30,
                temperature_c=60.0 + index,
                power_watts=None if index == 1 else 250.0,
            )
            for index in range(gpus)
        ),
        gpu_note="" if gpus else "no nvidia-smi",
    )


def shown(chart: DeviceChart) -> dict[str, str]:
    return {e.label: " ".join(text for _, text in e.cells) for e in chart.legend_entries()}


def test_that_memory_power_and_temperature_are_shown_each_on_its_scale(qtbot: QtBot) -> None:
    dashboard, devices = Dashboard(), DeviceModel()
    qtbot.addWidget(dashboard)
    dashboard.show()
    for second in range(3):
        devices.add(full_sample("gpu001", T0 + second, 2))
        devices.add(full_sample("cpu001", T0 + second, 0))
    dashboard.show_models(None, devices)
    dashboard.refresh(T0 + 3, force=True)
    chart = dashboard.device
    found = {}
    for index in range(chart.metric_box.count()):
        chart.metric_box.setCurrentIndex(index)
        dashboard.refresh(T0 + 3, force=True)
        found[chart.title.text()] = shown(chart)
    assert found == {
        "Utilization": {"gpu001": "50% 50%", "cpu001 CPU": "20%"},
        "Memory": {"gpu001": "75% 75%", "cpu001 CPU": "25%"},
        "Power": {"gpu001": "250W –"},
        "Temperature": {"gpu001": "60°C 61°C"},
    }
    assert chart.view_box.viewRange()[1][1] == pytest.approx(1.08 * 61.0)


def test_that_a_click_on_the_heat_map_shows_that_device_and_another_all(qtbot: QtBot) -> None:
    dashboard, devices = Dashboard(), DeviceModel()
    qtbot.addWidget(dashboard)
    dashboard.resize(1100, 1200)
    dashboard.show()
    for second in range(30):
        for node in range(4):
            devices.add(full_sample(f"gpu{node:03}", T0 + second, 8))
    dashboard.show_models(None, devices)
    dashboard.refresh(T0 + 30, force=True)
    chart = dashboard.device
    assert chart.many
    at = chart.view_box.mapViewToScene(QPointF(10.0, 9.5))

    def click() -> None:
        point = chart.plot.mapFromScene(at)
        qtbot.mouseClick(chart.plot.viewport(), Qt.MouseButton.LeftButton, pos=point)

    click()
    dashboard.refresh(T0 + 30, force=True)
    assert [line.label for line in chart.lines] == ["gpu001 GPU1"]
    assert chart.row_box.currentText() == "gpu001 GPU1"
    assert shown(chart) == {"gpu001 GPU1": "50%"}
    assert not chart.image.isVisible()
    qtbot.wait(QApplication.doubleClickInterval() + 50)  # or it would be the second of two
    click()
    dashboard.refresh(T0 + 30, force=True)
    assert chart.many
    assert not chart.lines
    chart.row_box.setCurrentIndex(3)  # as from the keyboard
    dashboard.refresh(T0 + 30, force=True)
    assert [line.label for line in chart.lines] == ["gpu000 GPU2"]
