"""Axes: elapsed time, and values that are linear or logarithmic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QPainter

from gui.texts import elapsed_text, value_text

_STEPS_S = (
    *(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5),
    *(1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800),
    *(3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000),
)
Ticks = list[tuple[float, list[float]]]
MAX_TICKS = 200


def nice_step(span: float, most: float) -> float:
    """The least of 1, 2, 5 times a power of ten that gives at most ``most`` steps in ``span``."""
    raw = span / max(1.0, most)
    if not (raw > 0 and math.isfinite(raw)):
        return 1.0
    power = 10.0 ** math.floor(math.log10(raw))
    return next((k * power for k in (1.0, 2.0, 5.0) if k * power >= raw), 10.0 * power)


def multiples(low: float, high: float, step: float) -> list[float]:
    """Multiples of ``step`` in ``[low, high]``; none when there would be absurdly many."""
    if not (step > 0 and (high - low) / step < MAX_TICKS):
        return []
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


_DRAWN: Any = object()
"""In an axis' ``picture``: nothing has changed since it was painted. pyqtgraph sets it to None."""


class _Axis(pg.AxisItem):  # type: ignore[misc]
    """An axis that paints its lines and words itself: replaying a QPicture costs 2 ms a time."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self._specs: tuple[Any, ...] = ()
        self.picture: Any = None
        # Off: labels have their own units, and a change of range would lay out HTML each time.
        self.enableAutoSIPrefix(False)
        # Show every label that tickValues asks for, also at the very ends.
        self.setStyle(hideOverlappingLabels=False, textFillLimits=[(0, 2.0)])

    @property
    def words(self) -> list[str]:
        """The labels as they were painted last."""
        return [text for _, _, text in self._specs[2]] if self._specs else []

    def forget(self) -> None:
        """Make the next painting start from the ticks."""
        self.picture = None
        self.update()

    def paint(self, painter: QPainter, option: object, widget: object) -> None:
        if self.picture is None:
            self._specs = self.generateDrawSpecs(painter)
            self.picture = _DRAWN
        axis, ticks, words = self._specs
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for pen, start, end in (axis, *ticks):  # rectangles: twenty times as fast as lines
            size = QPointF(end) - QPointF(start)
            box = QRectF(start, QSizeF(size.x() or 1.0, size.y() or 1.0)).normalized()
            painter.fillRect(box, pen.color())
        painter.setPen(self.textPen())
        painter.setFont(self.style["tickFont"])
        for rect, flags, text in words:
            painter.drawText(rect, int(flags), text)


class ElapsedAxis(_Axis):
    """Seconds since the start of the run. Elapsed time knows no zones and no summer time."""

    def __init__(self) -> None:
        super().__init__("bottom")

    def tickValues(self, low: float, high: float, size: float) -> Ticks:
        low, high = min(low, high), max(low, high)
        span = high - low
        if not (span > 0 and math.isfinite(span)):
            return []
        raw = span / max(2.0, size / 95)
        step = next((s for s in _STEPS_S if s >= raw), 864000 * math.ceil(raw / 864000))
        return [(step, multiples(low, high, step))]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [elapsed_text(value, spacing) for value in values]

    def boundingRect(self) -> QRectF:
        return QRectF(super().boundingRect()).adjusted(-24, 0, 24, 0)


class CountAxis(ElapsedAxis):
    """Steps or examples, counted from 0."""

    def tickValues(self, low: float, high: float, size: float) -> Ticks:
        low, high = min(low, high), max(low, high)
        span = high - low
        if not (span > 0 and math.isfinite(span)):
            return []
        step = max(1.0, nice_step(span, max(2.0, size / 95)))
        return [(step, multiples(low, high, step))]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [value_text(value, spacing) for value in values]


class ValueAxis(_Axis):
    """Values on the left; with ``log`` the axis runs over powers of ten of the values."""

    def __init__(self, unit: str = "") -> None:
        super().__init__("left")
        self.log = False
        self.unit = unit
        self.names: list[str] | None = None
        """Names of rows 0, 1, ... instead of numbers."""

    def tickValues(self, low: float, high: float, size: float) -> Ticks:
        low, high = min(low, high), max(low, high)
        span = high - low
        if not (span > 0 and math.isfinite(span)):
            return []
        most = max(2.0, size / 30)
        if self.names is not None:
            return self._name_ticks(low, high, size)
        if self.log:
            return _log_ticks(low, high, most)
        step = nice_step(span, most)
        return [(step, multiples(low, high, step))]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        if self.names is not None:
            return [self.names[int(v)] if 0 <= v < len(self.names) else "" for v in values]
        if self.log:
            return [value_text(10.0**v) if -307 < v < 308 else "" for v in values]
        return [value_text(value, spacing) + self.unit for value in values]

    def boundingRect(self) -> QRectF:
        return QRectF(super().boundingRect()).adjusted(0, -9, 0, 9)

    def _name_ticks(self, low: float, high: float, size: float) -> Ticks:
        names = self.names or []
        step = max(1, math.ceil((high - low) / max(1.0, size / 20)))
        rows = range(max(0, math.floor(low)), min(len(names), math.ceil(high)), step)
        return [(step, [row + 0.5 for row in rows])]


def _log_ticks(low: float, high: float, most: float) -> Ticks:
    span = high - low
    if span >= most or span > 3:
        step = max(1.0, math.ceil(span / most))
        return [(step, multiples(low, high, step))]
    decades = range(math.floor(low), math.ceil(high) + 1)
    for parts in (range(1, 10), (1, 2, 5), (1, 3), (1,)):
        ticks = [d + math.log10(p) for d in decades for p in parts]
        ticks = [t for t in ticks if low <= t <= high]
        if 2 <= len(ticks) <= most:
            return [(1.0, ticks)]
    values_step = nice_step(10.0**high - 10.0**low, most)
    values = multiples(10.0**low, 10.0**high, values_step)
    return [(1.0, [math.log10(v) for v in values if v > 0])]
