"""What the devices do: lines for a few, a heat map for many, of the metric that is chosen."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtWidgets import QComboBox

from gui.chart import Array, Chart, Line, View, Window
from gui.device_model import MAX_LINES, DeviceBoard, DeviceModel
from gui.heat import FULL, GAP
from gui.language import plural, tr
from gui.legend import Entry
from gui.metrics import METRICS
from gui.said import said
from gui.theme import colors

SILENT_S = 15.0
"""So far behind the others, a device's last value is not what it does now."""
ALL = tr("All devices")


class DeviceChart(Chart):
    """Needs a :class:`DeviceModel`; without one it is empty."""

    def __init__(self) -> None:
        super().__init__(tr("Devices"))
        self.devices: DeviceModel | None = None
        self.metric_box, self.row_box = QComboBox(), QComboBox()
        self._layout = -1
        self._drawn: tuple[object, int] = (None, -1)
        self.image = pg.ImageItem(axisOrder="row-major")
        self.image.setZValue(-5)
        self.image.setVisible(False)
        self.plot.addItem(self.image, ignoreBounds=True)
        self._build_boxes()
        self.recolor()
        self._show_board()

    def _build_boxes(self) -> None:
        for name, metric in METRICS.items():
            self.metric_box.addItem(metric.title, name)
        self.metric_box.setAccessibleName(tr("Metric of the devices"))
        self.metric_box.currentIndexChanged.connect(self._chosen)
        self.row_box.setAccessibleName(tr("Devices that are shown"))
        self.row_box.setToolTip(
            tr("Show a row of the heat map as lines; a click on it does the same")
        )
        self.row_box.setMaximumWidth(220)
        self.row_box.currentIndexChanged.connect(self._row_chosen)
        self.row_box.hide()
        for box in (self.row_box, self.metric_box):
            self.head.insertWidget(self.head.indexOf(self.at), box)
        self.plot.scene().sigMouseClicked.connect(self._clicked)

    def set_devices(self, devices: DeviceModel | None) -> None:
        self.devices = devices
        self._show_board()

    @property
    def board(self) -> DeviceBoard | None:
        """The devices by the metric that is chosen."""
        if self.devices is None:
            return None
        return self.devices.boards[self.metric_box.currentData()]

    @property
    def many(self) -> bool:
        """Whether the heat map is to be seen."""
        board = self.board
        return board is not None and board.many and self.row_box.currentIndex() <= 0

    def update_lines(self) -> None:
        """Follow the devices there are: lines, or from the 17th on the heat map."""
        board = self.board
        if board is None or board.layout == self._layout:
            return
        self._layout = board.layout
        self._fill_rows(board)
        self._show_lines(board)

    def _show_board(self) -> None:
        self.remove_lines()
        self._layout = -1
        self._drawn = (None, -1)
        self.y_axis.unit = METRICS[self.metric_box.currentData()].unit
        self.y_axis.forget()
        self.row_box.setCurrentIndex(0)
        self.update_lines()

    def _chosen(self) -> None:
        self._show_board()
        self.redraw(self._view)

    def _row_chosen(self) -> None:
        if (board := self.board) is not None:
            self._show_lines(board)
            self.redraw(self._view)

    def _fill_rows(self, board: DeviceBoard) -> None:
        """The rows of the heat map as a list: for the keyboard, and to see which one is shown."""
        blocked = self.row_box.blockSignals(True)
        self.row_box.clear()
        self.row_box.addItems([ALL, *board.heat.row_labels()])
        self.row_box.blockSignals(blocked)
        self.row_box.setVisible(board.many)

    def _show_lines(self, board: DeviceBoard) -> None:
        self.remove_lines()
        self.image.setVisible(self.many)
        title = board.metric.title
        if self.many:
            self.title.setText(
                tr("{title} of {count:,} devices", title=title, count=len(board.heat))
            )
        elif board.many:
            self.title.setText(title)
            self._add_row(board, self.row_box.currentIndex() - 1)
        else:
            self.title.setText(title)
            for device in sorted(board.lines.values(), key=lambda d: _natural(d.label)):
                line = Line(device.label, "#888888", device.series.window, group=device.group)
                self.add_line(line)
        self.view_box.invertY(self.many)
        self.y_axis.names = None
        self.y_axis.forget()
        self.recolor()

    def _add_row(self, board: DeviceBoard, row: int) -> None:
        group = board.heat.group
        for index in range(row * group, min((row + 1) * group, len(board.heat)))[:MAX_LINES]:
            label = board.heat.labels[index]
            self.add_line(Line(label, "#888888", _cells_of(board, index)))

    def _clicked(self, event: object) -> None:
        """A click on a row of the heat map shows its devices as lines, another one all again."""
        board, at = self.board, getattr(event, "scenePos", QPointF)()
        left = getattr(event, "button", lambda: None)() == Qt.MouseButton.LeftButton
        if board is None or not board.many or not left or getattr(event, "double", bool)():
            return
        if not self.view_box.sceneBoundingRect().contains(at):
            return
        row = int(self.view_box.mapSceneToView(at).y())
        inside = self.many and 0 <= row < board.heat.shown_rows
        self.row_box.setCurrentIndex(row + 1 if inside else 0)

    def recolor(self) -> None:
        shades = colors().series
        for index, line in enumerate(self.lines):
            line.paint(shades[index % len(shades)])
        if hasattr(self, "image"):
            self.image.setLookupTable(heat_table())

    def choose_range(self, low: float, high: float) -> tuple[float, float]:
        board = self.board
        if board is None or (low > high and not self.many):
            return -2.0, 102.0
        if self.many:
            return 0.0, float(board.heat.shown_rows)
        full = board.metric.full
        return (-0.02 * full, 1.02 * full) if board.metric.fixed else (0.0, 1.08 * max(high, 1.0))

    def draw_extras(self, view: View) -> None:
        self._notes()
        board = self.board
        if not self.many or board is None:
            return
        heat = board.heat
        if self._drawn != (heat, heat.version) and heat.used_columns:
            self.image.setImage(heat.shown(), autoLevels=False, levels=None)
            self._drawn = heat, heat.version
        if heat.start is not None:
            left = heat.start - view.t0
            width = heat.used_columns * heat.span_s
            self.image.setRect(QRectF(left, 0.0, max(width, 1e-3), float(heat.shown_rows)))
        if self.y_axis.names is None:
            self.y_axis.names = [_short(label) for label in heat.row_labels()]
            self.y_axis.forget()

    def legend_entries(self) -> list[Entry]:
        board = self.board
        if not self.many or board is None:
            self._forget_silent()
            return super().legend_entries()
        t = None if self._cross_x is None else self._view.t0 + self._cross_x
        cells = board.heat.newest() if t is None else board.heat.at(t)
        known = cells[cells != GAP].astype(np.float64)
        table = heat_table()
        rows = [
            Entry(
                tr("devices"),
                (
                    (
                        colors()["faint"],
                        tr("{known:,} of {all:,}", known=known.size, all=cells.size),
                    ),
                ),
            )
        ]
        if known.size:
            low, mid, high = known.min(), np.median(known), known.max()
            scale = board.metric.full / FULL
            rows += [
                Entry(name, ((_hex(table[int(v)]), self.value_text(v * scale)),))
                for name, v in ((tr("highest"), high), (tr("median"), mid), (tr("lowest"), low))
            ]
        return rows

    def _forget_silent(self) -> None:
        """A node that went away has no value of now, however long its line is still in sight."""
        board = self.board
        if board is None:
            return
        last = {d.label: d.series.last_x for d in board.lines.values() if len(d.series)}
        newest = max(last.values(), default=0.0)
        for line in self.lines:
            if last.get(line.label, newest) < newest - SILENT_S:
                line.last = math.nan

    def value_text(self, value: float) -> str:
        return "–" if math.isnan(value) else f"{value:.0f}{self.y_axis.unit.strip()}"

    def _notes(self) -> None:
        board = self.board
        if self.devices is None or board is None or not self.devices.notes or self.many:
            group = board.heat.group if board is not None and self.many else 1
            self.message.setText(
                tr("each row is the mean of {group}", group=group) if group > 1 else ""
            )
            return
        notes = dict(sorted(self.devices.notes.items(), key=lambda note: _natural(note[0])))
        if len(set(notes.values())) == 1:
            names = (
                ", ".join(notes) if len(notes) <= 3 else plural("{n} node", "{n} nodes", len(notes))
            )
            self.message.setText(f"{names}: {said(next(iter(notes.values())))}")
        else:
            self.message.setText(
                "; ".join(f"{n}: {said(why)}" for n, why in list(notes.items())[:3])
            )


def heat_table() -> NDArray[np.uint8]:
    """256 RGBA colours: cividis for 0 to the full value, nothing at all for a gap."""
    table = np.zeros((256, 4), dtype=np.uint8)
    cividis = pg.colormap.get("cividis")
    table[: FULL + 1, :3] = cividis.getLookupTable(nPts=FULL + 1)[:, :3]
    table[: FULL + 1, 3] = 255
    return table


def _cells_of(board: DeviceBoard, index: int) -> Window:
    """The line of one row of the heat map's cells."""

    def window(low: float, high: float) -> tuple[Array, Array]:
        t, cells = board.heat.row(index)
        x, y = t, board.from_cells(cells)
        start = max(0, int(np.searchsorted(x, low, "left")) - 1)
        end = int(np.searchsorted(x, high, "right")) + 1
        return x[start:end], y[start:end]

    return window


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
