"""One chart: a card with a title, a plot over elapsed time and a legend that reads values out.

Drawing is ours to decide: every redraw takes the visible window of each line, thins it to the
pixels there are, and sets ranges from what is drawn. pyqtgraph's own auto-ranging is off.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout

from gui.axes import ElapsedAxis, ValueAxis
from gui.chart_menu import PictureMenu
from gui.chart_words import chart_words
from gui.elided import ElidedLabel
from gui.language import tr
from gui.legend import Entry, Legend
from gui.texts import elapsed_text, value_text
from gui.theme import UNIT, colors, scaled, tabular, theme
from gui.thinning import sample_for_pixels, thin_for_pixels

Array = NDArray[np.float64]
Window = Callable[[float, float], tuple[Array, Array]]
AXIS_WIDTH = 84
LIMIT = 1e30
LOG_LIMIT = 30.0
TELL_EVERY_S = 1.0
"""Screen readers read the newest words; more often would only cost."""


@dataclass
class Line:
    """One curve and where its points come from: ``window(low, high)`` in epoch seconds."""

    label: str
    color: str
    window: Window
    width: float = 1.0
    group: str = ""
    """Lines of one group share a row of the legend."""
    symbols: bool = False
    smooth: bool = False
    """A mean: it has no spikes to keep."""
    style: Qt.PenStyle = Qt.PenStyle.SolidLine
    item: pg.PlotCurveItem = field(init=False)
    dots: pg.ScatterPlotItem = field(init=False)
    drawn: int = 0
    """Points on the screen, gaps not counted."""
    not_positive: int = 0
    last: float = math.nan

    def __post_init__(self) -> None:
        self.item = pg.PlotCurveItem(connect="finite", antialias=True)
        self.dots = pg.ScatterPlotItem(size=7 if self.symbols else 4, pxMode=True)
        self.paint(self.color)

    def paint(self, color: str) -> None:
        self.color = color
        self.item.setPen(pg.mkPen(color, width=self.width, style=self.style))
        self.dots.setPen(None)
        self.dots.setBrush(pg.mkBrush(color))


@dataclass(frozen=True)
class View:
    """What all charts show: elapsed seconds ``low`` to ``high`` after the epoch time ``t0``."""

    t0: float
    low: float
    high: float


class Plot(pg.PlotWidget):  # type: ignore[misc]
    """A plot that says when the mouse has left it."""

    left = Signal()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.left.emit()


class Chart(QFrame):
    """A card with linked x. Subclasses say which lines there are."""

    def __init__(self, title: str, unit: str = "", x_axis: ElapsedAxis | None = None) -> None:
        super().__init__()
        self.setObjectName("card")
        self.name = title
        self.lines: list[Line] = []
        self.log = False
        self.y_range = (0.0, 1.0)
        self._cross_x: float | None = None
        self._told_at = -TELL_EVERY_S
        self._view = View(0.0, 0.0, 60.0)
        self.y_axis = ValueAxis(unit)
        self.x_axis = x_axis if x_axis is not None else ElapsedAxis()
        self.plot = Plot(axisItems={"left": self.y_axis, "bottom": self.x_axis})
        self.title = QLabel(title)
        self.message = ElidedLabel()
        self.at = QLabel("")
        """The time under the crosshair."""
        self.legend = Legend()
        self.cross = pg.InfiniteLine(angle=90, movable=False)
        self._build(title)
        self.picture_menu = PictureMenu(self, [self, self.plot], title.casefold())
        theme().watch(self, self.repaint_theme)
        self.repaint_theme()

    def _build(self, title: str) -> None:
        self.title.setFont(scaled(self.title.font(), 1.0, bold=True))
        self.message.setProperty("tone", "muted")
        self.message.setFont(scaled(self.message.font(), 0.9))
        self.plot.setAccessibleName(tr("{title} chart", title=title))
        self.legend.setAccessibleName(tr("{title} values", title=title))
        plot = self.plot.getPlotItem()
        plot.setMenuEnabled(False)
        plot.hideButtons()
        plot.disableAutoRange()
        plot.setMouseEnabled(x=True, y=False)  # y always shows all there is in the time shown
        plot.showGrid(x=True, y=True, alpha=0.25)
        plot.layout.setContentsMargins(0, 8, 20, 0)
        self.y_axis.setWidth(AXIS_WIDTH)
        self.x_axis.setStyle(tickTextOffset=6)
        view = plot.getViewBox()
        view.setLimits(xMin=-1e9, xMax=1e10, minXRange=0.05, yMin=-4 * LIMIT, yMax=4 * LIMIT)
        self.cross.setVisible(False)
        plot.addItem(self.cross, ignoreBounds=True)
        self.plot.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.plot.setMinimumHeight(90)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(UNIT)
        head.addWidget(self.title)
        head.addWidget(self.message, 1)
        self.at.setFont(tabular(scaled(self.at.font(), 0.9)))
        head.addWidget(self.at)
        self.head = head
        body = QHBoxLayout()
        body.setSpacing(UNIT)
        body.addWidget(self.plot, 1)
        body.addWidget(self.legend)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addLayout(body, 1)

    @property
    def view_box(self) -> pg.ViewBox:
        return self.plot.getPlotItem().getViewBox()

    def add_line(self, line: Line) -> Line:
        self.lines.append(line)
        self.plot.addItem(line.item, ignoreBounds=True)
        self.plot.addItem(line.dots, ignoreBounds=True)
        return line

    def remove_lines(self) -> None:
        for line in self.lines:
            self.plot.removeItem(line.item)
            self.plot.removeItem(line.dots)
        self.lines.clear()

    def set_log(self, log: bool) -> None:
        """Show y logarithmically; what is not positive is left out and counted in a note."""
        self.log = self.y_axis.log = log
        limit = LOG_LIMIT + 2 if log else 4 * LIMIT
        self.view_box.setLimits(yMin=-limit, yMax=limit)
        self.y_axis.forget()
        self.redraw(self._view)

    def set_cross(self, x: float | None) -> None:
        """Put the crosshair at ``x`` elapsed seconds, or take it away."""
        self._cross_x = x
        self.cross.setVisible(x is not None)
        if x is not None:
            self.cross.setPos(x)
        self.at.setText("" if x is None else self.cross_text(x))
        self._show_legend()

    def redraw(self, view: View) -> None:
        """Draw ``view``: at most one ``setData`` for each line."""
        self._view = view
        pixels = max(100, int(self.view_box.width()))
        low, high = math.inf, -math.inf
        for line in self.lines:
            least, most = self._draw_line(line, pixels)
            low, high = min(low, least), max(high, most)
        self.y_range = self.choose_range(low, high)
        self.draw_extras(view)
        self.view_box.setRange(
            xRange=(view.low, view.high),
            yRange=self.y_range,
            padding=0,
            disableAutoRange=True,
        )
        self.view_box.updateMatrix()  # now, or painting would find out and paint once more
        self._show_legend()
        self._tell()

    def _draw_line(self, line: Line, pixels: int) -> tuple[float, float]:
        view = self._view
        x, y = line.window(view.t0 + view.low, view.t0 + view.high)
        x = x - view.t0
        line.last = float(y[-1]) if y.size else math.nan
        y = self.transform(line, y)
        if line.smooth:
            x, y = sample_for_pixels(x, y, pixels // 3)
        elif not line.symbols:
            # Wide pens are slow: a wide line gets a point for every third pixel.
            x, y = thin_for_pixels(x, y, pixels if line.width <= 1 else pixels // 3)
        finite = np.isfinite(y)
        y = np.where(finite, y, np.nan)
        line.drawn = int(np.count_nonzero(finite))
        # A dense line is noise: smooth edges would only cost time there.
        line.item.setData(x, y, antialias=line.width > 1 or line.drawn < pixels)
        alone = finite if line.symbols else _alone(finite)
        line.dots.setVisible(bool(alone.any()))  # what is empty would be painted, too
        line.dots.setData(x[alone], y[alone])
        visible = y[finite & (x >= view.low) & (x <= view.high)]
        if visible.size == 0:
            visible = y[finite]
        return (
            (float(visible.min()), float(visible.max()))
            if visible.size
            else (
                math.inf,
                -math.inf,
            )
        )

    def transform(self, line: Line, y: Array) -> Array:
        """Values to what is drawn: themselves, or their powers of ten with gaps for the rest."""
        if not self.log:
            return y
        positive = np.isfinite(y) & (y > 0)
        line.not_positive = int(np.count_nonzero(np.isfinite(y) & ~positive))
        return np.where(positive, np.log10(np.where(positive, y, 1.0)), np.nan)

    def choose_range(self, low: float, high: float) -> tuple[float, float]:
        """A range with air around drawn values ``low`` to ``high``; infinite: there are none."""
        if low > high:
            return (-2.0, 1.0) if self.log else (0.0, 1.0)
        if low == high:
            half = 0.5 if self.log else max(abs(low) * 0.1, 1e-12 if low else 0.5)
            return low - half, high + half
        air = (high - low) * 0.06
        return low - air, high + air

    def draw_extras(self, view: View) -> None:
        """Whatever a chart shows beside its lines; called when the range is known."""

    def value_text(self, value: float) -> str:
        return "–" if math.isnan(value) else value_text(value)

    def cross_text(self, x: float) -> str:
        """What ``x`` elapsed seconds are called beside the legend."""
        view = self._view
        return elapsed_text(x, 0.1 if view.high - view.low < 30 else 1.0)

    def legend_entries(self) -> list[Entry]:
        rows: dict[str, Entry] = {}
        for line in self.lines:
            value = line.last if self._cross_x is None else self._value_at(line, self._cross_x)
            cell = (line.color, self.value_text(value))
            key = line.group or line.label
            before = rows[key].cells if key in rows else ()
            rows[key] = Entry(key, (*before, cell), line.style)
        return list(rows.values())

    def summary(self) -> str:
        """What the chart shows, in words."""
        span = (self._view.low, self._view.high)
        low, high = self.y_range
        values = (10**low, 10**high) if self.log else (low, high)
        return chart_words(self.title.text(), span, values, self.legend_entries())

    def _tell(self) -> None:
        """Renew the words for screen readers, not at every redraw."""
        now = time.monotonic()
        if now - self._told_at >= TELL_EVERY_S:
            self._told_at = now
            self.plot.setAccessibleDescription(self.summary())

    def _value_at(self, line: Line, x: float) -> float:
        """The last value at or before ``x``; not a number where there is none."""
        t = self._view.t0 + x
        xs, ys = line.window(t, t)
        at = int(np.searchsorted(xs, t, "right")) - 1
        return float(ys[at]) if 0 <= at < ys.size else math.nan

    def _show_legend(self) -> None:
        self.legend.show_entries(self.legend_entries())

    def repaint_theme(self) -> None:
        """Take the theme's colours anew."""
        c = colors()
        self.plot.setBackground(c["surface"])
        self.cross.setPen(pg.mkPen(c["muted"], width=1, style=Qt.PenStyle.DashLine))
        font = tabular(scaled(self.font(), 0.9))
        for axis in (self.x_axis, self.y_axis):
            axis.setPen(pg.mkPen(QColor(c["border"])))
            axis.setTickPen(pg.mkPen(QColor(c["grid"])))
            axis.setTextPen(pg.mkPen(QColor(c["muted"])))
            axis.setTickFont(font)
        self.recolor()
        self.legend.update()

    def recolor(self) -> None:
        """Give each line its colour of the new theme."""


def _alone(finite: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Points between gaps: a curve has nothing to draw there, so they become dots."""
    if finite.size == 0:
        return finite
    padded = np.concatenate(([False], finite, [False]))
    return np.asarray(finite & ~padded[:-2] & ~padded[2:])
