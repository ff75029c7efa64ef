"""Numbers and times as short texts."""

from __future__ import annotations

import math

from gui.language import localized


def elapsed_text(seconds: float, step: float = 1.0) -> str:
    """``-1:05``, ``2:03:04``, ``3d 04:00``; fractions when ``step`` is below a second."""
    sign = "-" if seconds < 0 else ""
    seconds = abs(seconds)
    if step < 1:
        digits = max(1, math.ceil(-math.log10(step)))
        return localized(f"{sign}{seconds:.{digits}f} s")
    whole = round(seconds)
    days, rest = divmod(whole, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, secs = divmod(rest, 60)
    if days:
        return f"{sign}{days}d {hours:02d}:{minutes:02d}"
    if hours:
        return f"{sign}{hours}:{minutes:02d}:{secs:02d}"
    return f"{sign}{minutes}:{secs:02d}"


def value_text(value: float, step: float = 0.0) -> str:
    """A short number: ``12,500``, ``0.031``, ``1e-12``; as many digits as ``step`` asks for.

    The one form of numbers on axes, in legends, tiles and tables.
    """
    return localized(_value_text(value, step))


def _value_text(value: float, step: float) -> str:
    size = abs(value)
    if not math.isfinite(value):
        return str(value)
    if size == 0 or (step and size < step * 1e-6):
        return "0"
    if size < 1e-4 or size >= 1e12:
        return f"{value:.3g}" if step else f"{value:.4g}"
    for limit, unit in ((1e9, "G"), (1e7, "M")):
        if size >= limit:
            scale = {"G": 1e9, "M": 1e6}[unit]
            return f"{value / scale:,.{_digits(step / scale) if step else 1}f}{unit}"
    if step:
        return f"{value:,.{_digits(step)}f}"
    return f"{value:,.0f}" if size >= 1000 else f"{value:.4g}"


def _digits(step: float) -> int:
    return max(0, min(9, -math.floor(math.log10(step) + 1e-9))) if step > 0 else 0
