"""What part of the examples was right, in each evaluation."""

from __future__ import annotations

import math

from gui.chart import Chart, Line
from gui.language import localized, tr
from gui.run_model import RunModel
from gui.theme import colors


class AccuracyChart(Chart):
    """Needs a :class:`RunModel`; without one it is empty."""

    def __init__(self) -> None:
        super().__init__(tr("Accuracy"), "%")

    def set_run(self, run: RunModel | None) -> None:
        self.remove_lines()
        if run is None:
            return
        series = run.accuracies
        self.add_line(
            Line(
                tr("evaluation"),
                "#888888",
                lambda low, high: (series.window(low, high)[0], 100 * series.window(low, high)[1]),
                width=2.0,
                symbols=True,
            )
        )
        self.recolor()

    def recolor(self) -> None:
        for line in self.lines:
            line.paint(colors().series[1])

    def choose_range(self, low: float, high: float) -> tuple[float, float]:
        least, most = super().choose_range(low, high) if low <= high else (0.0, 100.0)
        return max(-1.0, least), min(101.0, most)

    def value_text(self, value: float) -> str:
        return "–" if math.isnan(value) else localized(f"{value:.2f}%")
