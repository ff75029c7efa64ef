"""What every GPU did, and the CPU and memory of nodes that have none: one board a metric."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gui.heat import FULL, GAP, HeatMap
from gui.metrics import METRICS, Metric
from gui.series import Series
from remote.updates import NodeSample

MAX_LINES = 16
"""More devices than this are shown as a heat map instead of lines."""


@dataclass
class Device:
    label: str
    group: str = ""
    """The node, for GPUs: its devices share a row of the legend."""
    series: Series = field(default_factory=Series)


class DeviceBoard:
    """One metric: lines for the first devices and a heat map of all."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.lines: dict[Hashable, Device] = {}
        self.heat = HeatMap(columns=metric.columns)
        self.layout = 0
        """Changes when there are other devices than before."""

    @property
    def many(self) -> bool:
        return len(self.heat) > MAX_LINES

    def put(self, key: Hashable, label: str, t: float, value: float | None, group: str) -> None:
        """Enter one device's value; None leaves a gap."""
        if key not in self.heat:
            self.layout += 1
        part = None if value is None else 100 * value / self.metric.full
        self.heat.put(key, label, t, part)
        device = self.lines.get(key)
        if device is None:
            if len(self.lines) >= MAX_LINES:
                return
            device = self.lines[key] = Device(label, group)
        device.series.append(t, math.nan if value is None else value)

    def remove(self, key: Hashable) -> None:
        """Take a device out."""
        if self.lines.pop(key, None) is not None or key in self.heat:
            self.heat.remove(key)
            self.layout += 1

    def from_cells(self, cells: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Values of the heat map's cells, in the metric's unit; a gap is not a number."""
        values = cells.astype(np.float64) * (self.metric.full / FULL)
        values[cells == GAP] = np.nan
        return values


class DeviceModel:
    """Filled from node samples."""

    def __init__(self) -> None:
        self.boards = {name: DeviceBoard(metric) for name, metric in METRICS.items()}
        self.utilization = self.boards["utilization"]
        self.notes: dict[str, str] = {}
        """Node to the reason why it shows no GPU."""
        self.version = 0
        self._with_gpus: set[str] = set()

    @property
    def first_t(self) -> float | None:
        return self.utilization.heat.start

    def add(self, sample: NodeSample) -> None:
        """Enter one node's sample."""
        if sample.gpu_note:
            self.notes[sample.node] = sample.gpu_note
        if sample.gpus:
            self._with_gpus.add(sample.node)
            for board in self.boards.values():
                self._put_gpus(board, sample)
        elif sample.gpu_note and sample.node not in self._with_gpus:
            # Without a note nvidia-smi has not answered yet; and a GPU that fell silent is a gap.
            key, label = ("cpu", sample.node), f"{sample.node} CPU"
            for board in self.boards.values():
                value = board.metric.node(sample)
                if value is not None or key in board.heat:
                    board.put(key, label, sample.t, value, "")
        self.version += 1

    def mean_gpu_percent(self) -> float | None:
        """How busy all GPUs were over the last seconds; None: there are none, or none that says."""
        if not self._with_gpus:
            return None
        heat = self.utilization.heat
        gpus = [isinstance(key, tuple) and key[0] == "gpu" for key in heat.devices()]
        values = self.utilization.from_cells(heat.newest()[np.array(gpus, dtype=bool)])
        known = values[np.isfinite(values)]
        return float(known.mean()) if known.size else None

    def _put_gpus(self, board: DeviceBoard, sample: NodeSample) -> None:
        board.remove(("cpu", sample.node))
        for gpu in sample.gpus:
            key, label = (
                ("gpu", gpu.uuid),
                f"{sample.node} GPU{gpu.index}",
            )
            board.put(key, label, sample.t, board.metric.gpu(gpu), sample.node)
