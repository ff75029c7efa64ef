"""One way to print what a bench measured and to say whether it holds."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(kw_only=True)
class Row:
    """One measured quantity against its bound.

    ``samples`` are what was measured (ratios, milliseconds, percent: ``unit`` says which);
    ``bound`` is compared with their median, or with ``quantile`` of them where that is given.
    """

    what: str
    samples: Sequence[float]
    bound: float
    at_most: bool = True
    unit: str = "x"
    quantile: float = 0.5

    @property
    def value(self) -> float:
        ordered = sorted(self.samples)
        if self.quantile == 0.5:
            return statistics.median(ordered)
        return ordered[min(len(ordered) - 1, int(self.quantile * len(ordered)))]

    @property
    def holds(self) -> bool:
        return self.value <= self.bound if self.at_most else self.value >= self.bound

    def line(self) -> str:
        sign = "<=" if self.at_most else ">="
        spread = f"{min(self.samples):.3g}..{max(self.samples):.3g}"
        verdict = "holds" if self.holds else "MISSED"
        return (
            f"{self.what:<58} {self.value:>9.3g} {self.unit:<3} {spread:>18} "
            f"n={len(self.samples):<5}{sign} {self.bound:g} {verdict}"
        )


@dataclass
class Report:
    """The rows of one bench; ``finish`` prints the verdict and gives the exit status."""

    title: str
    rows: list[Row] = field(default_factory=list)

    def add(self, row: Row) -> None:
        self.rows.append(row)
        print(row.line(), flush=True)

    def begin(self) -> None:
        print(f"\n{self.title}")
        print(f"{'':<58} {'median':>9}     {'spread':>18}", flush=True)

    def finish(self) -> int:
        missed = [row.what for row in self.rows if not row.holds]
        print(f"{self.title}: {'missed: ' + '; '.join(missed) if missed else 'passed'}", flush=True)
        return 1 if missed or not self.rows else 0
