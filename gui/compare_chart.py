"""A chart of several runs, one line each, over steps, elapsed time or examples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap

from gui.axes import CountAxis, ElapsedAxis
from gui.chart import Array, Chart, Line, Window
from gui.compare_data import By, RunCurves
from gui.language import localized, plural, tr
from gui.texts import value_text
from gui.theme import colors

What = Literal["loss", "accuracy", "rate"]
TITLES: dict[What, str] = {
    "loss": tr("Loss"),
    "accuracy": tr("Accuracy"),
    "rate": tr("Throughput  (examples/s)"),
}
STYLES = (
    *(Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine),
    Qt.PenStyle.DashDotLine,
)
"""With eight colours no two runs look the same, also to who sees fewer colours."""


def style_of(number: int) -> Qt.PenStyle:
    return STYLES[number % len(STYLES)]


def color_of(number: int) -> str:
    shades = colors().series
    return shades[number % len(shades)]


def stroke(number: int) -> QIcon:
    """A piece of a run's line, for tables."""
    image = QPixmap(QSize(56, 24))
    image.setDevicePixelRatio(2.0)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(color_of(number)), 2.5, style_of(number)))
    painter.drawLine(QPointF(1, 6), QPointF(27, 6))
    painter.end()
    return QIcon(image)


class CompareChart(Chart):
    """One quantity of all runs. ``t0`` of its views is 0: x counts from each run's launch."""

    def __init__(self, what: What) -> None:
        super().__init__(TITLES[what], "%" if what == "accuracy" else "", x_axis=_Axis())
        self._what = what
        self.by: By = "step"
        self.smooth = True
        self._runs: list[tuple[str, RunCurves]] = []

    def show_runs(self, runs: list[tuple[str, RunCurves]]) -> None:
        """Lines for these runs, with their names, in their order."""
        self._runs = list(runs)
        self._make_lines()

    def set_by(self, by: By, *, smooth: bool) -> None:
        """Count by ``by``; the loss smooth, or each step."""
        self.by, self.smooth = by, smooth
        axis = self.x_axis
        if isinstance(axis, _Axis):
            axis.counts = by != "time"
            axis.forget()
        self._make_lines()

    def _make_lines(self) -> None:
        self.remove_lines()
        for number, (name, curves) in enumerate(self._runs):
            line = Line(
                name,
                color_of(number),
                self._window(curves),
                width=2.0 if self._what != "loss" or self.smooth else 1.0,
                symbols=self._what == "accuracy",
                smooth=self._what == "loss" and self.smooth,
                style=style_of(number),
            )
            self.add_line(line)
        self.recolor()

    def _window(self, curves: RunCurves) -> Window:
        if self._what == "loss":
            series = curves.loss[self.by]
            return series.smoothed_window if self.smooth else series.window
        if self._what == "rate":
            return curves.rate[self.by].window
        accuracy = curves.accuracy[self.by]

        def percent(low: float, high: float) -> tuple[Array, Array]:
            x, y = accuracy.window(low, high)
            return x, 100.0 * y

        return percent

    def recolor(self) -> None:
        for number, line in enumerate(self.lines):
            line.paint(color_of(number))

    def choose_range(self, low: float, high: float) -> tuple[float, float]:
        if self._what == "rate":
            return (0.0, high * 1.08) if low <= high and high > 0 else (0.0, 1.0)
        return super().choose_range(low, high)

    def draw_extras(self, view: object) -> None:
        missing = [line.label for line in self.lines if not line.drawn]
        hidden = sum(line.not_positive for line in self.lines) if self.log else 0
        notes = []
        if missing and self._runs:
            notes.append(tr("nothing on record for {names}", names=", ".join(missing)))
        if hidden:
            notes.append(plural("{n} value ≤ 0 not shown", "{n} values ≤ 0 not shown", hidden))
        self.message.setText(" · ".join(notes))

    def value_text(self, value: float) -> str:
        if not math.isfinite(value):
            return "–"
        return localized(f"{value:.2f}%") if self._what == "accuracy" else value_text(value)

    def cross_text(self, x: float) -> str:
        if self.by == "time":
            return super().cross_text(x)
        at = max(0.0, x)
        return tr("step {at:,.0f}", at=at) if self.by == "step" else tr("examples {at:,.0f}", at=at)


class _Axis(CountAxis):
    """Elapsed time or a count, as :attr:`counts` says."""

    counts = True

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        kind = CountAxis if self.counts else ElapsedAxis
        return kind.tickValues(self, low, high, size)

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        kind = CountAxis if self.counts else ElapsedAxis
        return kind.tickStrings(self, values, scale, spacing)
