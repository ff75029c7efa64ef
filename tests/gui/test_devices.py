"""Which devices the utilization chart shows, and under which names."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from gui.dashboard import Dashboard
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
    assert len(devices.heat) == len(devices.lines) == MAX_LINES
    assert not devices.many
    assert not any("CPU" in label for label in devices.heat.labels)


def test_that_a_node_without_gpus_shows_its_cpu() -> None:
    devices = DeviceModel()
    devices.add(sample("node1", T0, 0, "no nvidia-smi"))
    assert devices.heat.labels == ["node1 CPU"]


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
    x, _ = next(iter(devices.lines.values())).series.window(T0, T0 + 200)
    assert x.tolist() == [*(T0 + second for second in range(60)), T0 + 100]
    assert devices.heat.shown()[0, :60].tolist() == [100] * 60
