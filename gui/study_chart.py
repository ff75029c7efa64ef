"""The chart of a scaling study: speedup against workers, with spread and the ideal line."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QSizePolicy

from gui.axes import CountAxis
from gui.chart import Array, Chart, Line, View, Window
from gui.compare_chart import color_of, style_of
from gui.language import plural, tr
from gui.legend import Entry
from gui.texts import value_text
from gui.theme import colors
from remote.study import Row

IDEAL, ONE = tr("ideal"), tr("one process")


class StudyChart(Chart):
    """A line for each number of ps; error bars from the lowest to the highest run of a size."""

    def __init__(self) -> None:
        super().__init__(tr("Speedup by number of workers"), "×", x_axis=CountAxis())
        self._rows: list[Row] = []
        self._bars: list[pg.ErrorBarItem] = []
        self.plot.setMouseEnabled(x=False, y=False)
        self.plot.setMinimumHeight(180)
        policy = QSizePolicy.Policy
        self.plot.setSizePolicy(policy.Expanding, policy.Ignored)  # as high as there is room
        self.y_axis.setWidth(52)
        self.legend.setFixedWidth(164)
        self.plot.scene().sigMouseMoved.connect(self._hover)
        self.plot.left.connect(lambda: self.set_cross(None))
        self.show_rows([])

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Draw what is known of these sizes."""
        self._rows = list(rows)
        self._make_lines()
        self.refresh()

    def refresh(self) -> None:
        """Draw it anew."""
        self.redraw(View(0.0, 0.0, self._most * 1.06))

    @property
    def _most(self) -> int:
        return max((row.point.workers for row in self._rows), default=1) or 1

    def _make_lines(self) -> None:
        self.remove_lines()
        for bar in self._bars:
            self.plot.removeItem(bar)
        self._bars.clear()
        most = self._most
        dash, dot = Qt.PenStyle.DashLine, Qt.PenStyle.DotLine
        self.add_line(Line(IDEAL, colors()["muted"], _fixed([0.0, most], [0.0, most]), style=dash))
        single = any(row.point.is_single and row.speedup is not None for row in self._rows)
        if single:
            level = _fixed([0.0, most], [1.0, 1.0])
            self.add_line(Line(ONE, colors()["faint"], level, style=dot))
        sizes = sorted({row.point.ps for row in self._rows if not row.point.is_single})
        for number, ps in enumerate(sizes):
            known = [r for r in self._rows if r.point.ps == ps and r.speedup is not None]
            x = [float(row.point.workers) for row in known]
            y = [row.speedup or 0.0 for row in known]
            name, color, style = tr("{ps} ps", ps=ps), color_of(number), style_of(number)
            self.add_line(Line(name, color, _fixed(x, y), 2.0, symbols=True, style=style))
            self._add_bars(number, known)
        self.recolor()

    def _add_bars(self, number: int, rows: list[Row]) -> None:
        spread = [(row, *spread_of(row)) for row in rows]
        spread = [each for each in spread if each[2] > each[1]]
        if not spread:
            return
        y = np.array([row.speedup or 0.0 for row, _, _ in spread])
        bar = pg.ErrorBarItem(
            x=np.array([float(row.point.workers) for row, _, _ in spread]),
            y=y,
            bottom=y - np.array([low for _, low, _ in spread]),
            top=np.array([high for _, _, high in spread]) - y,
            beam=0.03 * self._most,
            pen=pg.mkPen(color_of(number), width=1.5),
        )
        self._bars.append(bar)
        self.plot.addItem(bar, ignoreBounds=True)

    def recolor(self) -> None:
        """The theme's colours; bars are of the colour of their line."""
        special = {IDEAL: colors()["muted"], ONE: colors()["faint"]}
        plain = [line for line in self.lines if line.label not in special]
        for line in self.lines:
            if line.label in special:
                line.paint(special[line.label])
        for number, line in enumerate(plain):
            line.paint(color_of(number))

    def repaint_theme(self) -> None:
        super().repaint_theme()
        if getattr(self, "_rows", None):
            self._make_lines()
            self.refresh()

    def choose_range(self, low: float, high: float) -> tuple[float, float]:
        highest = max([high, *(spread_of(row)[1] for row in self._rows)], default=1.0)
        return (0.0, highest * 1.08) if math.isfinite(highest) and highest > 0 else (0.0, 1.0)

    def draw_extras(self, view: View) -> None:
        known = any(row.speedup is not None for row in self._rows)
        self.message.setText("" if known else tr("nothing to compare yet"))

    def value_text(self, value: float) -> str:
        return "–" if math.isnan(value) else f"{value_text(value, 0.01)}×"

    def cross_text(self, x: float) -> str:
        return plural("{n:.0f} worker", "{n:.0f} workers", round(x))

    def legend_entries(self) -> list[Entry]:
        """The ideal line says what is ideal where the mouse is, and nothing else."""
        return [
            entry if self._cross_x is not None or entry.label != IDEAL else _without_value(entry)
            for entry in super().legend_entries()
        ]

    def _value_at(self, line: Line, x: float) -> float:
        if line.label == IDEAL:
            return x
        if line.label == ONE:
            return 1.0
        xs, ys = line.window(x, x)
        here = np.flatnonzero(xs == x)
        return float(ys[here[0]]) if here.size else math.nan

    def _hover(self, at: QPointF) -> None:
        inside = self.view_box.sceneBoundingRect().contains(at)
        x = round(float(self.view_box.mapSceneToView(at).x())) if inside else 0
        self.set_cross(float(x) if 1 <= x <= self._most else None)


def spread_of(row: Row) -> tuple[float, float]:
    """Lowest and highest speedup of a size's runs; the same where there is one run or none."""
    if not row.rate or row.speedup is None or row.low is None or row.high is None:
        return row.speedup or 0.0, row.speedup or 0.0
    base = row.rate / row.speedup
    return row.low / base, row.high / base


def _fixed(x: Sequence[float], y: Sequence[float]) -> Window:
    xs, ys = np.array(x, dtype=np.float64), np.array(y, dtype=np.float64)

    def window(low: float, high: float) -> tuple[Array, Array]:
        return xs, ys

    return window


def _without_value(entry: Entry) -> Entry:
    return Entry(entry.label, tuple((color, "") for color, _ in entry.cells), entry.style)
