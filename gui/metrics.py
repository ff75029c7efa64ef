"""What is measured of devices: how each is read from a sample, and on which scale it is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gui.heat import COLUMNS
from gui.language import tr
from remote.updates import GpuSample, NodeSample

FEW_COLUMNS = 900
"""Of the heat maps that are looked at less: a quarter of the memory."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    """``gpu`` and ``node`` give the value of a GPU, and of a node without one; None: unknown.

    ``full`` is what the brightest colour of a heat map stands for.
    """

    title: str
    unit: str
    full: float
    gpu: Callable[[GpuSample], float | None]
    node: Callable[[NodeSample], float | None]
    columns: int = FEW_COLUMNS
    fixed: bool = True
    """The axis always goes to ``full``."""


def _part(used: int | None, total: int | None) -> float | None:
    return 100.0 * used / total if used is not None and total else None


METRICS: dict[str, Metric] = {
    "utilization": Metric(
        title=tr("Utilization"),
        unit="%",
        full=100.0,
        gpu=lambda gpu: gpu.utilization_percent,
        node=lambda node: node.cpu_percent,
        columns=COLUMNS,
    ),
    "memory": Metric(
        title=tr("Memory"),
        unit="%",
        full=100.0,
        gpu=lambda gpu: _part(gpu.memory_used_bytes, gpu.memory_total_bytes),
        node=lambda node: _part(node.memory_used_bytes, node.memory_total_bytes),
    ),
    "power": Metric(
        title=tr("Power"),
        unit=" W",
        full=1000.0,
        gpu=lambda gpu: gpu.power_watts,
        node=lambda node: None,
        fixed=False,
    ),
    "temperature": Metric(
        title=tr("Temperature"),
        unit=" °C",
        full=100.0,
        gpu=lambda gpu: gpu.temperature_c,
        node=lambda node: None,
        fixed=False,
    ),
}
