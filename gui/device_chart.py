"""Utilization of each device: lines for a few, a heat map for many."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF

from gui.chart import Chart, Line, View
from gui.device_model import DeviceModel
from gui.heat import FULL, GAP
from gui.legend import Entry
from gui.theme import colors

SILENT_S = 15.0
"""So far behind the others, a device's last value is not what it does now."""


class DeviceChart(Chart):
    """Needs a :class:`DeviceModel`; without one it is empty."""

    def __init__(self) -> None:
        super().__init__("Utilization", "%")
        self.devices: DeviceModel | None = None
        self._layout = -1
        self._drawn_version = -1
        self.image = pg.ImageItem(axisOrder="row-major")
        self.image.setZValue(-5)
        self.image.setVisible(False)
        self.plot.addItem(self.image, ignoreBounds=True)
        self.recolor()

    def set_devices(self, devices: DeviceModel | None) -> None:
        self.devices = devices
        self.remove_lines()
        self._layout = -1
        self._drawn_version = -1
        self.update_lines()

    @property
    def many(self) -> bool:
        return self.devices is not None and self.devices.many

    def update_lines(self) -> None:
        """Follow the devices there are: lines, or from the 17th on the heat map."""
        if self.devices is None or self.devices.layout == self._layout:
            return
        self._layout = self.devices.layout
        self.remove_lines()
        self.image.setVisible(self.many)
        if self.many:
            self.title.setText(f"Utilization of {len(self.devices.heat):,} devices")
        else:
            self.title.setText("Utilization")
            for device in sorted(self.devices.lines.values(), key=lambda d: _natural(d.label)):
                line = Line(device.label, "#888888", device.series.window, group=device.group)
                self.add_line(line)
        self.view_box.invertY(self.many)
        self.y_axis.names = None
        self.recolor()

    def recolor(self) -> None:
        shades = colors().series
        for index, line in enumerate(self.lines):
            line.paint(shades[index % len(shades)])
        if hasattr(self, "image"):
            self.image.setLookupTable(heat_table())

    def choose_range(self, low: float, high: float) -> tuple[float, float]:
        if self.many and self.devices is not None:
            return 0.0, float(self.devices.heat.shown_rows)
        return -2.0, 102.0

    def draw_extras(self, view: View) -> None:
        self._notes()
        if not self.many or self.devices is None:
            return
        heat = self.devices.heat
        if heat.version != self._drawn_version and heat.used_columns:
            self.image.setImage(heat.shown(), autoLevels=False, levels=None)
            self._drawn_version = heat.version
        if heat.start is not None:
            left = heat.start - view.t0
            width = heat.used_columns * heat.span_s
            self.image.setRect(QRectF(left, 0.0, max(width, 1e-3), float(heat.shown_rows)))
        if self.y_axis.names is None:
            self.y_axis.names = [_short(label) for label in heat.row_labels()]
            self.y_axis.forget()

    def legend_entries(self) -> list[Entry]:
        if not self.many or self.devices is None:
            self._forget_silent()
            return super().legend_entries()
        t = None if self._cross_x is None else self._view.t0 + self._cross_x
        cells = self.devices.heat.newest() if t is None else self.devices.heat.at(t)
        known = cells[cells != GAP].astype(np.float64) / 2
        table = heat_table()
        rows = [Entry("devices", ((colors()["faint"], f"{known.size:,} of {cells.size:,}"),))]
        if known.size:
            low, mid, high = known.min(), np.median(known), known.max()
            rows += [
                Entry(name, ((_hex(table[int(v * 2)]), f"{v:.0f}%"),))
                for name, v in (("highest", high), ("median", mid), ("lowest", low))
            ]
        return rows

    def _forget_silent(self) -> None:
        """A node that went away has no value of now, however long its line is still in sight."""
        if self.devices is None:
            return
        last = {d.label: d.series.last_x for d in self.devices.lines.values() if len(d.series)}
        newest = max(last.values(), default=0.0)
        for line in self.lines:
            if last.get(line.label, newest) < newest - SILENT_S:
                line.last = math.nan

    def value_text(self, value: float) -> str:
        return "–" if math.isnan(value) else f"{value:.0f}%"

    def _notes(self) -> None:
        if self.devices is None or not self.devices.notes or self.many:
            group = self.devices.heat.group if self.devices is not None and self.many else 1
            self.message.setText(f"each row is the mean of {group}" if group > 1 else "")
            return
        notes = dict(sorted(self.devices.notes.items(), key=lambda note: _natural(note[0])))
        if len(set(notes.values())) == 1:
            names = ", ".join(notes) if len(notes) <= 3 else f"{len(notes)} nodes"
            self.message.setText(f"{names}: {next(iter(notes.values()))}")
        else:
            self.message.setText("; ".join(f"{n}: {why}" for n, why in list(notes.items())[:3]))


def heat_table() -> NDArray[np.uint8]:
    """256 RGBA colours: cividis for 0 to 100 %, nothing at all for a gap."""
    table = np.zeros((256, 4), dtype=np.uint8)
    cividis = pg.colormap.get("cividis")
    table[: FULL + 1, :3] = cividis.getLookupTable(nPts=FULL + 1)[:, :3]
    table[: FULL + 1, 3] = 255
    return table


def _hex(rgba: NDArray[np.uint8]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*rgba[:3])


def _short(label: str) -> str:
    """What fits beside the axis: the node, its middle left out when it is long, and which GPU."""
    node, _, device = label.rpartition(" ")
    short = node if len(node) <= 7 else f"{node[:3]}…{node[-3:]}"
    return f"{short} · {device.removeprefix('GPU')}"


def _natural(text: str) -> list[tuple[int, str]]:
    parts: list[tuple[int, str]] = []
    digits = ""
    for char in f"{text}\0":
        if char.isdigit():
            digits += char
            continue
        if digits:
            parts.append((int(digits), ""))
            digits = ""
        parts.append((-1, char))
    return parts
