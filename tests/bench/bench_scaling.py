"""The model of saturated parameter servers against measured scaling that was published.

Needs no TensorFlow and no load: the rows are simulated. What they assume is printed first.
"""

from __future__ import annotations

import sys

from remote.scaling import Links, StepCost, gigabits, saturating_workers, simulate
from tests.bench import published_scaling as published
from tests.bench.report import Report, Row

POINTS = 3.0
"""Percentage points between simulated and measured efficiency."""
PART = 10.0
"""Percent between simulated and measured speedup, and between formula and simulation."""
MANY = 64


def main() -> int:
    print((published.__doc__ or "").partition("\n\n")[2])
    report = Report("scaling: simulated against published")
    report.begin()
    for point in published.on_ec2():
        _add(report, point, abs(point.simulated - point.measured), POINTS)
    point = published.on_minotauro()
    _add(report, point, 100 * abs(point.simulated / point.measured - 1), PART)
    for compute_s in (0.1, 0.4, 1.6):
        report.add(_formula(compute_s))
    return report.finish()


def _add(report: Report, point: published.Published, off: float, bound: float) -> None:
    found = (f"{name} {value:.1f}{point.unit}" for name, value in point.values())
    print(f"  {point.what}: {', '.join(found)}")
    report.add(Row(what="  off by", samples=[off], bound=bound, unit="%"))


def _formula(compute_s: float) -> Row:
    """Workers that fill one ps on 10 Gbit/s with 100 MB each way, by formula and by simulation."""
    cost = StepCost(pull_bytes=1e8, push_bytes=1e8, compute_s=compute_s)
    links = Links(bytes_per_s=gigabits(10))
    one, many = (simulate(cost, links, n, sync=False).steps_per_s for n in (1, MANY))
    by_formula = saturating_workers(cost, links)
    return Row(
        what=f"100 MB, {compute_s:g} s a step: {by_formula:.1f} workers fill a ps; off by",
        samples=[100 * abs(many / one / by_formula - 1)],
        bound=PART,
        unit="%",
    )


if __name__ == "__main__":
    sys.exit(main())
