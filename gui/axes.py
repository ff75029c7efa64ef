"""Axes: elapsed time, and values that are linear or logarithmic."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QRectF

_STEPS_S = (
    *(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5),
    *(1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800),
    *(3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000),
)
Ticks = list[tuple[float, list[float]]]
MAX_TICKS = 200


def elapsed_text(seconds: float, step: float = 1.0) -> str:
    """``-1:05``, ``2:03:04``, ``3d 04:00``; fractions when ``step`` is below a second."""
    sign = "-" if seconds < 0 else ""
    seconds = abs(seconds)
    if step < 1:
        return f"{sign}{seconds:.{max(1, math.ceil(-math.log10(step)))}f} s"
    whole = round(seconds)
    days, rest = divmod(whole, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, secs = divmod(rest, 60)
    if days:
        return f"{sign}{days}d {hours:02d}:{minutes:02d}"
    if hours:
        return f"{sign}{hours}:{minutes:02d}:{secs:02d}"
    return f"{sign}{minutes}:{secs:02d}"


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


def value_text(value: float, step: float = 0.0) -> str:
    """A short number: ``12.5k``, ``0.031``, ``1e-12``; as many digits as ``step`` asks for."""
    size = abs(value)
    if size == 0 or (step and size < step * 1e-6):
        return "0"
    if size < 1e-4 or size >= 1e12:
        return f"{value:.3g}"
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if size >= limit:
            scale = {"G": 1e9, "M": 1e6, "k": 1e3}[unit]
            return f"{value / scale:.{_digits(step / scale)}f}{unit}" if step else f"{value:.3g}"
    return f"{value:.{_digits(step)}f}" if step else f"{value:.4g}"


def _digits(step: float) -> int:
    return max(0, min(9, -math.floor(math.log10(step) + 1e-9))) if step > 0 else 0


class ElapsedAxis(pg.AxisItem):  # type: ignore[misc]
    """Seconds since the start of the run. Elapsed time knows no zones and no summer time."""

    def __init__(self) -> None:
        super().__init__("bottom")
        _own_spacing(self)

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


class ValueAxis(pg.AxisItem):  # type: ignore[misc]
    """Values on the left; with ``log`` the axis runs over powers of ten of the values."""

    def __init__(self, unit: str = "") -> None:
        super().__init__("left")
        _own_spacing(self)
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


def _own_spacing(axis: pg.AxisItem) -> None:
    """Show every label that ``tickValues`` asks for, also at the very ends."""
    axis.setStyle(hideOverlappingLabels=False, textFillLimits=[(0, 2.0)])


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
