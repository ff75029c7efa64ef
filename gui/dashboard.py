"""The live dashboard: tiles and charts over one time axis, drawn from the models."""

from __future__ import annotations

import math
import time

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.accuracy_chart import AccuracyChart
from gui.axes import nice_step
from gui.chart import Chart, View
from gui.chart_chooser import AT_FIRST, ChartChooser
from gui.chip import StateChip
from gui.device_chart import DeviceChart
from gui.device_model import DeviceModel
from gui.elided import ElidedLabel
from gui.language import tr
from gui.limit_line import LimitLine
from gui.loss_chart import LossChart
from gui.rate_chart import RateChart
from gui.run_model import RunModel
from gui.split_chart import SplitChart
from gui.theme import UNIT, scaled
from gui.tiles import Tiles

WINDOWS: tuple[tuple[str, float | None], ...] = (
    (tr("Whole run"), None),
    (tr("Last minute"), 60.0),
    (tr("Last 10 minutes"), 600.0),
    (tr("Last hour"), 3600.0),
    (tr("Last day"), 86400.0),
)
REDRAW_S = 0.05
"""Least time between two redraws, whatever the data rate."""
DRAWING_SHARE = 0.25
"""Most of the window's time that redraws may take: dear ones come less often."""


class Dashboard(QWidget):
    """Shows one run and the devices of its nodes; holds nothing that the models have."""

    redrawn = Signal()

    def __init__(self, *, controls: bool = True) -> None:
        super().__init__()
        self.run: RunModel | None = None
        self.devices: DeviceModel | None = None
        self.tiles = Tiles()
        self.limit = LimitLine()
        self.loss, self.accuracy, self.rate = LossChart(), AccuracyChart(), RateChart()
        self.split, self.device = SplitChart(), DeviceChart()
        self.charts: dict[str, Chart] = {
            "loss": self.loss,
            "accuracy": self.accuracy,
            "throughput": self.rate,
            "time": self.split,
            "utilization": self.device,
        }
        self.chooser = ChartChooser(self.charts)
        self.chip = StateChip()
        self.name = QLabel("")
        self.detail = ElidedLabel()
        self.window_box = QComboBox()
        self.follow = QCheckBox(tr("Follow"))
        self.reset = QPushButton(tr("Reset zoom"))
        self.log = QCheckBox(tr("Log loss"))
        self._last_draw = self._draw_cost_s = 0.0
        self._drawn: tuple[object, ...] = ()
        self._manual: tuple[float, float] = (0.0, 60.0)
        self._drawing = False
        self._chosen_window = 0
        self._build(controls)

    def show_models(self, run: RunModel | None, devices: DeviceModel | None) -> None:
        """Show these from now on."""
        self.run, self.devices = run, devices
        self.loss.set_run(run)
        self.accuracy.set_run(run)
        self.rate.set_run(run)
        self.split.set_run(run)
        self.device.set_devices(devices)
        self.follow.setChecked(True)
        self._drawn = ()
        self._last_draw = 0.0

    @property
    def t0(self) -> float:
        """Epoch seconds of zero on the time axis."""
        if self.run is not None:
            return self.run.started_at
        if self.devices is not None and self.devices.first_t is not None:
            return self.devices.first_t
        return time.time()

    def insert_row(self, widget: QWidget) -> None:
        """Put ``widget`` between the head and the tiles."""
        layout = self.layout()
        if isinstance(layout, QVBoxLayout):
            layout.insertWidget(1, widget)

    def refresh(self, now: float, *, force: bool = False) -> None:
        """Redraw if something changed, but not more often than REDRAW_S."""
        clock = time.monotonic()
        pause_s = max(REDRAW_S, self._draw_cost_s / DRAWING_SHARE)
        if not force and (clock - self._last_draw < pause_s or not self.isVisible()):
            return
        view = self.current_view(now)
        state = (
            self.run.version if self.run else -1,
            self.devices.version if self.devices else -1,
            view,
            self.log.isChecked(),
            self.chooser.chosen,
            self.width(),
            self.height(),
        )
        self.tiles.show_run(self.run, now)
        self.limit.show_run(self.run, self.devices)
        self._show_head()
        if state == self._drawn and not force:
            return
        self._drawn, self._last_draw = state, clock
        self._draw(view)
        self._draw_cost_s = time.monotonic() - clock

    def current_view(self, now: float) -> View:
        """What the charts show at ``now``: the chosen window, or what the user zoomed to."""
        t0 = self.t0
        if not self.follow.isChecked():
            return View(t0, *self._manual)
        end = self._end(now) - t0
        span = self.window_box.currentData()
        if span is None or span >= end:
            return View(t0, 0.0, _room(end, max(end, 5.0)))
        high = _room(end, span)
        return View(t0, high - span, high)

    def _end(self, now: float) -> float:
        if self.run is not None and (self.run.ended or not self.run.live):
            ended = self.run.ended_at or self.run.last_step_at or self.run.started_at
            return max(ended, self.run.started_at + 1.0)
        return now

    @property
    def _shown(self) -> list[Chart]:
        return [self.charts[name] for name in self.chooser.chosen]

    def _draw(self, view: View) -> None:
        self._drawing = True
        self.rate.update_lines()
        self.device.update_lines()
        for chart in self._shown:
            chart.redraw(view)
        self._drawing = False
        self.redrawn.emit()

    def _show_head(self) -> None:
        run = self.run
        if run is None:
            self.chip.set_state("")
            self.name.setText(tr("No run yet"))
            self.detail.setText(tr("Launch one to see its loss and throughput here."))
            return
        self.chip.show_state(run.state)
        self.name.setText(run.run_id)
        self.detail.setText(run.detail)

    def _build(self, controls: bool) -> None:
        for label, seconds in WINDOWS:
            self.window_box.addItem(label, seconds)
        self.window_box.setPlaceholderText(tr("Custom"))
        self.window_box.setAccessibleName(tr("Time window"))
        self.window_box.setToolTip(tr("How much of the run the charts show while following"))
        self.follow.setChecked(True)
        self.follow.setToolTip(tr("Keep the newest values in sight (F). Zooming turns it off."))
        self.log.setToolTip(tr("Logarithmic axis for the loss (L)"))
        self.follow.setShortcut("F")
        self.log.setShortcut("L")
        self.name.setFont(scaled(self.name.font(), 1.0, bold=True))
        self.name.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.detail.setProperty("tone", "muted")
        self.name.setTextFormat(Qt.TextFormat.PlainText)
        head = QHBoxLayout()
        head.setSpacing(12)
        for widget in (self.chip, self.name):
            head.addWidget(widget)
        head.addWidget(self.detail, 1)
        head.addWidget(self.reset)
        self.reset.setToolTip(tr("Show the chosen window again (double click)"))
        self.reset.setFixedHeight(self.window_box.sizeHint().height())
        self.reset.hide()
        for control in (self.log, self.follow, self.window_box, self.chooser):
            head.addWidget(control)
            if not controls:  # to show what has no parent yet would open a window
                control.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT)
        layout.addLayout(head)
        layout.addWidget(self.tiles)
        layout.addWidget(self.limit)
        for name, chart in self.charts.items():
            layout.addWidget(chart, 5 if name == "loss" else 4)
        self.chooser.choose(AT_FIRST)
        self._connect()

    def _connect(self) -> None:
        self.log.toggled.connect(self._log_toggled)
        self.follow.toggled.connect(self._follow_toggled)
        self.reset.clicked.connect(lambda: self.follow.setChecked(True))
        self.window_box.currentIndexChanged.connect(self._window_chosen)
        for chart in self.charts.values():
            chart.view_box.sigRangeChangedManually.connect(self._zoomed)
            chart.plot.scene().sigMouseMoved.connect(lambda at, c=chart: self._hover(c, at))
            chart.plot.left.connect(self._unhover)
            chart.plot.scene().sigMouseClicked.connect(self._clicked)

    def _log_toggled(self, log: bool) -> None:
        self.loss.set_log(log)

    def _follow_toggled(self, follow: bool) -> None:
        if not follow:
            view = self.loss.view_box.viewRange()[0]
            self._manual = (view[0], view[1])
        self.reset.setVisible(not follow)
        blocked = self.window_box.blockSignals(True)
        self.window_box.setCurrentIndex(self._chosen_window if follow else -1)
        self.window_box.blockSignals(blocked)
        self._drawn = ()

    def _window_chosen(self) -> None:
        self._chosen_window = max(0, self.window_box.currentIndex())
        self.follow.setChecked(True)
        self._drawn = ()

    def _zoomed(self, *_: object) -> None:
        if self._drawing:
            return
        box = self.sender()
        chart = next((c for c in self._shown if c.view_box is box), self.loss)
        (low, high), _y = chart.view_box.viewRange()
        self.follow.setChecked(False)
        self._manual = (low, high)
        self._drawn = ()

    def _hover(self, chart: Chart, at: QPointF) -> None:
        inside = chart.view_box.sceneBoundingRect().contains(at)
        x = float(chart.view_box.mapSceneToView(at).x()) if inside else None
        for each in self._shown:
            each.set_cross(x)

    def _clicked(self, event: object) -> None:
        if getattr(event, "double", lambda: False)():
            self.follow.setChecked(True)

    def _unhover(self) -> None:
        for each in self._shown:
            each.set_cross(None)


def _room(end: float, span: float) -> float:
    """A right edge that ``end`` reaches in a while: axes that stand still are cheap and calm."""
    step = nice_step(span, 40)
    return (math.floor(end / step) + 1) * step
