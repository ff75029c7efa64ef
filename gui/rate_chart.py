"""Throughput over time: the job's, and each worker's."""

from __future__ import annotations

import math

from gui.chart import Chart, Line
from gui.language import tr
from gui.run_model import RunModel
from gui.said import said
from gui.texts import value_text
from gui.theme import colors


class RateChart(Chart):
    """Examples per second; zero is always in sight."""

    def __init__(self) -> None:
        super().__init__(tr("Throughput"))
        self.title.setText(tr("Throughput  (examples/s)"))
        self.run: RunModel | None = None
        self._labels: tuple[str, ...] = ()

    def set_run(self, run: RunModel | None) -> None:
        self.run = run
        self.remove_lines()
        self._labels = ()
        if run is not None:
            self.add_line(Line(tr("total"), colors().series[0], run.rate.window, width=2.0))
            self.update_lines()

    def update_lines(self) -> None:
        """Add a line for each worker that is new since the last call."""
        run = self.run
        if run is None or tuple(run.worker_rates) == self._labels:
            return
        self._labels = tuple(run.worker_rates)
        total = self.lines[0]
        self.remove_lines()
        self.add_line(Line(tr("total"), total.color, run.rate.window, width=2.0))
        for label in sorted(run.worker_rates, key=_order):
            self.add_line(Line(said(label), "#888888", run.worker_rates[label].window))
        self.recolor()

    def recolor(self) -> None:
        shades = colors().series
        for index, line in enumerate(self.lines):
            line.paint(shades[index % len(shades)])

    def choose_range(self, low: float, high: float) -> tuple[float, float]:
        if low > high:
            return 0.0, 1.0
        return 0.0, high * 1.08 if high > 0 else 1.0

    def value_text(self, value: float) -> str:
        return "–" if not math.isfinite(value) else value_text(value, 1.0)


def _order(label: str) -> tuple[int, str]:
    _, _, index = label.partition(":")
    return (int(index) if index.isdigit() else -1, label)
