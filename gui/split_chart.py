"""Where a step's time goes: the parts of the workers' time, one upon the other, in percent."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg

from gui.chart import Array, Chart, Line, Window
from gui.language import tr
from gui.legend import Entry
from gui.run_model import RunModel
from gui.split_model import SplitModel
from gui.theme import colors
from remote.limits import PARTS, Part

LABELS: dict[Part, str] = {
    "compute": tr("computing"),
    "exchange": tr("push and pull"),
    "wait": tr("waiting"),
    "input": tr("input"),
    "other": tr("other"),
}
_SHADES: dict[Part, int] = {"compute": 2, "exchange": 0, "wait": 1, "input": 3, "other": 7}
"""Which of the theme's line colours a part has."""


class SplitChart(Chart):
    """Needs a :class:`RunModel`; without one it is empty."""

    def __init__(self) -> None:
        super().__init__(tr("Where time goes"), "%")
        self.model: SplitModel | None = None
        self.plot.setToolTip(tr("All workers together: computing, push and pull, waiting, input"))

    def set_run(self, run: RunModel | None) -> None:
        self.model = run.split if run is not None else None
        self.remove_lines()
        if self.model is None:
            return
        for count in range(len(PARTS), 0, -1):  # the highest is painted first
            part = PARTS[count - 1]
            self.add_line(Line(LABELS[part], "#888888", _sum_of(self.model, count), smooth=True))
        self.recolor()

    def recolor(self) -> None:
        shades = colors().series
        for line, part in zip(self.lines, reversed(PARTS), strict=False):
            shade = shades[_SHADES[part]]
            line.paint(shade)
            line.item.setFillLevel(0.0)
            line.item.setBrush(pg.mkBrush(shade))

    def choose_range(self, low: float, high: float) -> tuple[float, float]:
        return 0.0, 102.0

    def legend_entries(self) -> list[Entry]:
        """Each part's own share, in the order in which they lie."""
        entries = []
        for line, part in zip(reversed(self.lines), PARTS, strict=False):
            entries.append(Entry(line.label, ((line.color, self._share(part)),)))
        return entries

    def _share(self, part: Part) -> str:
        if self.model is None:
            return "–"
        view = self._view
        at = view.high if self._cross_x is None else self._cross_x
        x, y = self.model.parts[part].window(view.t0 + at, view.t0 + at)
        known = y[x <= view.t0 + at] if self._cross_x is not None else y
        value = float(known[-1]) if known.size else math.nan
        return "–" if math.isnan(value) else f"{value:.0f}%"


def _sum_of(model: SplitModel, count: int) -> Window:
    def window(low: float, high: float) -> tuple[Array, Array]:
        found = [model.parts[part].window(low, high) for part in PARTS[:count]]
        return found[0][0], np.sum([y for _, y in found], axis=0)

    return window
