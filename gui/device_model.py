"""Utilization of every GPU, and of the CPU of nodes that have none."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np

from gui.heat import GAP, HeatMap
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


class DeviceModel:
    """Lines for the first devices and a heat map of all, filled from node samples."""

    def __init__(self) -> None:
        self.lines: dict[Hashable, Device] = {}
        self.heat = HeatMap()
        self.notes: dict[str, str] = {}
        """Node to the reason why it shows no GPU."""
        self.version = 0
        self.layout = 0
        """Changes when there are other devices than before."""
        self._with_gpus: set[str] = set()

    @property
    def many(self) -> bool:
        return len(self.heat) > MAX_LINES

    @property
    def first_t(self) -> float | None:
        return self.heat.start

    def add(self, sample: NodeSample) -> None:
        """Enter one node's sample."""
        if sample.gpu_note:
            self.notes[sample.node] = sample.gpu_note
        if sample.gpus:
            self._with_gpus.add(sample.node)
            self._remove(("cpu", sample.node))
            for gpu in sample.gpus:
                label = f"{sample.node} GPU{gpu.index}"
                self._put(("gpu", gpu.uuid), label, sample.t, gpu.utilization_percent, sample.node)
        elif sample.gpu_note and sample.node not in self._with_gpus:
            # Without a note nvidia-smi has not answered yet; and a GPU that fell silent is a gap.
            self._put(("cpu", sample.node), f"{sample.node} CPU", sample.t, sample.cpu_percent)
        self.version += 1

    def mean_gpu_percent(self) -> float | None:
        """How busy all GPUs were over the last seconds; None: there are none, or none that says."""
        if not self._with_gpus:
            return None
        gpus = [isinstance(key, tuple) and key[0] == "gpu" for key in self.heat.devices()]
        values = self.heat.newest()[np.array(gpus, dtype=bool)]
        known = values[values != GAP]
        return float(known.mean()) / 2 if known.size else None

    def _remove(self, key: Hashable) -> None:
        if self.lines.pop(key, None) is not None or key in self.heat:
            self.heat.remove(key)
            self.layout += 1

    def _put(
        self, key: Hashable, label: str, t: float, percent: float | None, group: str = ""
    ) -> None:
        if key not in self.heat:
            self.layout += 1
        self.heat.put(key, label, t, percent)
        device = self.lines.get(key)
        if device is None:
            if len(self.lines) >= MAX_LINES:
                return
            device = self.lines[key] = Device(label, group)
        value = math.nan if percent is None else percent
        device.series.append(t, value)
