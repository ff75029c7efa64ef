"""Line charts as SVG for a page: colours by CSS classes, so that it prints and is dark at night."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from remote.export.curves import Points
from remote.wording import elapsed_words

WIDTH, HEIGHT = 760, 250
LEFT, RIGHT, TOP, BOTTOM = 66, 14, 12, 30
_MOST = 1e300
"""Beyond it a difference of two numbers need be none."""
_STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200)


class Curve(NamedTuple):
    """Points, a name, and a class of the style sheet: ``raw``, ``main``, ``dots``."""

    label: str
    points: Points
    style: str


class _Scale(NamedTuple):
    low: float
    high: float
    log: bool

    def y(self, value: float) -> float:
        at = math.log10(value) if self.log else max(-_MOST, min(_MOST, value))
        share = (at - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def line_chart(
    title: str,
    curves: Sequence[Curve],
    *,
    unit: str = "",
    from_zero: bool = False,
    marks: Sequence[tuple[float, str, str]] = (),
    end: float = 0.0,
) -> str:
    """The chart as ``<svg>``; empty when there is nothing to draw. All texts are escaped.

    The time axis goes from 0 to ``end`` seconds, or to the last point if that is later.
    """
    shown = [c for c in curves if any(math.isfinite(y) for _, y in c.points)]
    if not shown:
        return ""
    scale = _scale(shown, from_zero)
    end = max(end, 1e-3, *(x for curve in shown for x, _ in curve.points))

    def place(x: float) -> float:
        return LEFT + min(1.0, max(0.0, x / end)) * (WIDTH - LEFT - RIGHT)

    words = escape(title)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{words}">'
        f"<title>{words}</title>"
    ]
    parts += _value_ticks(scale, unit)
    parts += _time_ticks(end, place)
    parts += [
        f'<line class="mark {escape(kind)}" x1="{place(x):.1f}" x2="{place(x):.1f}" y1="{TOP}" '
        f'y2="{HEIGHT - BOTTOM}"><title>{escape(text)}</title></line>'
        for x, kind, text in marks[-200:]
        if kind in ("restart", "failure") and math.isfinite(x)
    ]
    for curve in shown:
        parts.append(_drawn(curve, scale, place))
    return "".join([*parts, "</svg>"])


def legend(curves: Sequence[Curve]) -> str:
    """The names of the curves beside their strokes."""
    return "".join(
        f'<span class="key"><i class="{c.style}"></i>{escape(c.label)}</span>'
        for c in curves
        if c.points
    )


def number_words(value: float) -> str:
    """A short number."""
    size = abs(value)
    if size >= 1e9 or 0 < size < 1e-4:
        return f"{value:.3g}"
    return f"{value:,.0f}" if size >= 1000 else f"{value:.4g}"


def _scale(curves: Sequence[Curve], from_zero: bool) -> _Scale:
    values = [y for curve in curves for _, y in curve.points if math.isfinite(y)]
    low, high = max(-_MOST, min(values)), min(_MOST, max(values))
    if low > 0 and high / low > 200 and not from_zero:
        return _Scale(math.log10(low) - 0.05, math.log10(high) + 0.05, True)
    low = min(0.0, low) if from_zero else low
    if low == high:
        half = abs(low) * 0.1 or 0.5
        return _Scale(low - half, high + half, False)
    air = (high - low) * 0.06
    return _Scale(low if from_zero and low == 0 else low - air, high + air, False)


def _value_ticks(scale: _Scale, unit: str) -> list[str]:
    if scale.log:
        first, last = math.ceil(scale.low), math.floor(scale.high)
        every = max(1, (last - first) // 6)
        ticks = [10.0**power for power in range(first, last + 1, every)]
    else:
        step = _nice((scale.high - scale.low) / 5)
        ticks = [k * step for k in range(math.ceil(scale.low / step),
                                         math.floor(scale.high / step) + 1)]  # fmt: skip
    return [
        f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{scale.y(v):.1f}" '
        f'y2="{scale.y(v):.1f}"/><text class="y" x="{LEFT - 8}" y="{scale.y(v) + 4:.1f}">'
        f"{number_words(round(v, 12))}{escape(unit)}</text>"
        for v in ticks
    ]


def _time_ticks(end: float, place: object) -> list[str]:
    days = 86400 * math.ceil(end / 86400 / 7)
    step = next((s for s in _STEPS_S if end / s <= 7), days)
    found = []
    for k in range(int(end / step) + 1):
        x = place(k * step)  # type: ignore[operator]
        found.append(
            f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
            f'<text class="x" x="{x:.1f}" y="{HEIGHT - 10}">{elapsed_words(k * step)}</text>'
        )
    return found


def _drawn(curve: Curve, scale: _Scale, place: object) -> str:
    def shows(y: float) -> bool:
        return math.isfinite(y) and (y > 0 or not scale.log)

    at = [(place(x), scale.y(y)) if shows(y) else None for x, y in curve.points]  # type: ignore[operator]
    if curve.style == "dots":
        return "".join(f'<circle class="dots" cx="{p[0]:.1f}" cy="{p[1]:.1f}" r="3.5"/>'
                       for p in at if p is not None)  # fmt: skip
    path, dots, pen = [], [], False
    for number, point in enumerate(at):
        if point is None:
            pen = False
            continue
        alone = not pen and (number + 1 == len(at) or at[number + 1] is None)
        if alone:  # a curve has nothing to draw there
            dots.append(f'<circle class="{curve.style}" cx="{point[0]:.1f}" cy="{point[1]:.1f}" '
                        'r="1.8"/>')  # fmt: skip
        path.append(f"{'L' if pen else 'M'}{point[0]:.1f} {point[1]:.1f}")
        pen = True
    return f'<path class="{curve.style}" d="{"".join(path)}"/>{"".join(dots)}'


def _nice(raw: float) -> float:
    power = 10.0 ** math.floor(math.log10(raw)) if raw > 0 else 1.0
    return next((k * power for k in (1.0, 2.0, 5.0) if k * power >= raw), 10.0 * power)
