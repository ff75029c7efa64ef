"""Loss over time: every step's, its running mean, evaluations, and marks of what happened."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Signal

from gui.chart import Array, Chart, Line, View
from gui.language import plural, tr
from gui.legend import Entry
from gui.run_model import RunModel
from gui.said import said
from gui.texts import elapsed_text
from gui.theme import colors
from remote.updates import MarkUpdate

_SHOWN_RULES = 100
_EMPTY = np.empty(0)


class LossChart(Chart):
    """Needs a :class:`RunModel`; without one it is empty.

    ``mark_asked`` when a mark is clicked, with its :class:`MarkUpdate`.
    """

    mark_asked = Signal(object)

    def __init__(self) -> None:
        super().__init__(tr("Loss"))
        self.run: RunModel | None = None
        self.shown_marks: list[MarkUpdate] = []
        self.bad_points = 0
        c = colors()
        self.raw = self.add_line(Line(tr("each step"), c["raw"], self._raw))
        self.mean = self.add_line(
            Line(tr("running mean"), c.series[0], self._mean, width=2.0, smooth=True)
        )
        self.evals = self.add_line(Line(tr("evaluation"), c.series[1], self._evals, symbols=True))
        self.bad = pg.ScatterPlotItem(size=8, symbol="x", pxMode=True)
        self.flags = pg.ScatterPlotItem(size=9, pxMode=True, hoverable=True, tip=_tip)
        self.flags.sigClicked.connect(self._mark_clicked)
        self.rules = pg.PlotCurveItem(connect="pairs")
        for item in (self.rules, self.bad, self.flags):
            self.plot.addItem(item, ignoreBounds=True)
        self.flags.setZValue(10)
        self.evals.dots.setZValue(12)  # an evaluation comes with a checkpoint, at the same time
        self.recolor()

    def set_run(self, run: RunModel | None) -> None:
        self.run = run

    def draw_extras(self, view: View) -> None:
        self._draw_bad(view)
        self._draw_marks(view)

    def legend_entries(self) -> list[Entry]:
        entries = super().legend_entries()
        if self.run is None or not len(self.run.evals):
            entries = [entry for entry in entries if entry.label != tr("evaluation")]
        return entries

    def recolor(self) -> None:
        if not hasattr(self, "rules"):
            return
        c = colors()
        for line, color in (
            (self.raw, c["raw"]),
            (self.mean, c.series[0]),
            (self.evals, c.series[1]),
        ):
            line.paint(color)
        self.bad.setPen(pg.mkPen(c["error"], width=2))
        self.flags.setPen(pg.mkPen(c["surface"]))
        self.rules.setPen(pg.mkPen(c["warn"], width=1))

    def _mark_clicked(self, _: object, points: Sequence[pg.SpotItem]) -> None:
        if len(points) and points[0].index() < len(self.shown_marks):
            self.mark_asked.emit(self.shown_marks[points[0].index()])

    def _raw(self, low: float, high: float) -> tuple[Array, Array]:
        return self.run.loss.window(low, high) if self.run else (_EMPTY, _EMPTY)

    def _mean(self, low: float, high: float) -> tuple[Array, Array]:
        return self.run.loss.smoothed_window(low, high) if self.run else (_EMPTY, _EMPTY)

    def _evals(self, low: float, high: float) -> tuple[Array, Array]:
        return self.run.evals.window(low, high) if self.run else (_EMPTY, _EMPTY)

    def _draw_bad(self, view: View) -> None:
        """Crosses at the lower edge where a loss cannot be drawn."""
        x, y = self._raw(view.t0 + view.low, view.t0 + view.high)
        wrong = ~np.isfinite(y)
        not_finite = int(np.count_nonzero(wrong))
        if self.log:
            wrong |= y <= 0
        marks = x[wrong] - view.t0
        self.bad_points = int(marks.size)
        if marks.size > 400:
            marks = marks[:: -(-marks.size // 400)]
        bottom, top = self.y_range
        edge = bottom + (top - bottom) * 0.03
        self.bad.setVisible(bool(marks.size))
        self.bad.setData(marks, np.full(marks.size, edge))
        notes = []
        if not_finite:
            notes.append(plural("{n} value not finite", "{n} values not finite", not_finite))
        if self.log and self.raw.not_positive:
            notes.append(
                plural("{n} value ≤ 0 not shown", "{n} values ≤ 0 not shown", self.raw.not_positive)
            )
        self.message.setText(" · ".join(notes))

    def _draw_marks(self, view: View) -> None:
        low, high = view.t0 + view.low, view.t0 + view.high
        marks = [m for m in self.run.marks if low <= m.t <= high] if self.run else []
        self.shown_marks = marks
        bottom, top = self.y_range
        edge = top - (top - bottom) * 0.05
        c = colors()
        shade = {
            "checkpoint": c["faint"],
            "restored": c["busy"],
            "restart": c["warn"],
            "failure": c["error"],
        }
        shape = {"checkpoint": "t", "restored": "t1", "restart": "d", "failure": "x"}
        self.flags.setVisible(bool(marks))
        self.flags.setData(
            x=[m.t - view.t0 for m in marks],
            y=[edge] * len(marks),
            brush=[pg.mkBrush(shade[m.kind]) for m in marks],
            symbol=[shape[m.kind] for m in marks],
            data=[f"{elapsed_text(m.t - view.t0)}  {said(m.text)}" for m in marks],
        )
        rules = [m.t - view.t0 for m in marks if m.kind in ("restart", "failure")][-_SHOWN_RULES:]
        self.rules.setData(
            np.repeat(np.array(rules, dtype=float), 2), _pairs(len(rules), *self.y_range)
        )

    def cross_text(self, x: float) -> str:
        step = self.run.step_at(self._view.t0 + x) if self.run is not None else None
        at = super().cross_text(x)
        return at if step is None else tr("{at} · step {step:,}", at=at, step=step)


def _pairs(count: int, bottom: float, top: float) -> Array:
    return np.tile(np.array([bottom, top]), count)


def _tip(x: float, y: float, data: object) -> str:
    return tr("{data}\nClick: what was written to the logs then", data=data)
