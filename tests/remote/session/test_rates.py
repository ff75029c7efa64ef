"""Throughput is wall-clock, per worker on its own clock, and never from two clocks."""

from __future__ import annotations

import itertools
import math

import pytest

from remote.session.rates import GRID_S, WINDOW_S, Rate, RateMeter
from trainer.spec import TaskId

W0, W1 = TaskId("worker", 0), TaskId("worker", 1)


def feed_evenly(
    meter: RateMeter, worker: TaskId, *, start: float, seconds: float, rate: float, window_s: float
) -> None:
    for i in range(round(seconds / window_s)):
        end = start + (i + 1) * window_s
        meter.add(worker, end=end, window_s=window_s, examples=round(rate * window_s), now=end)


def settled(rates: list[Rate]) -> list[Rate]:
    return [r for r in rates if r.t >= rates[0].t + WINDOW_S]


@pytest.mark.parametrize("window_s", [0.1, 0.25, 4.0])
def test_that_an_even_stream_gives_its_rate(window_s: float) -> None:
    meter = RateMeter()
    feed_evenly(meter, W0, start=1e9, seconds=20, rate=1000, window_s=window_s)
    rates = settled(meter.take(now=1e9 + 20))
    assert len(rates) > 10
    assert all(r.total == pytest.approx(1000, rel=0.02) for r in rates)
    steps = {round((b.t - a.t) / GRID_S, 6) for a, b in itertools.pairwise(rates)}
    assert steps == {1.0}


def test_that_the_total_is_the_sum_of_the_workers() -> None:
    meter = RateMeter()
    feed_evenly(meter, W0, start=1000.0, seconds=5, rate=100, window_s=0.1)
    feed_evenly(meter, W1, start=1000.03, seconds=5, rate=300, window_s=0.1)
    last = meter.take(now=1005.1)[-1]
    assert last.per_worker == {W0: pytest.approx(100, rel=0.1), W1: pytest.approx(300, rel=0.1)}
    assert last.total == pytest.approx(sum(last.per_worker.values()))


def test_that_a_workers_idle_time_counts() -> None:
    meter = RateMeter()
    meter.add(W0, end=101.0, window_s=1.0, examples=round(1000 * WINDOW_S), now=101)
    meter.add(W0, end=110.0, window_s=1.0, examples=round(1000 * WINDOW_S), now=110)
    by_time = {r.t: r.total for r in meter.take(now=110)}
    assert by_time[101.0] == pytest.approx(1000)
    assert by_time.get(105.0, 0.0) == 0.0


def test_that_a_slow_workers_long_windows_do_not_flap() -> None:
    meter, seen = RateMeter(), []
    for i in range(200):
        now = 1000.0 + i * 0.1
        meter.add(W0, end=now, window_s=0.1, examples=10, now=now)
        if i % 50 == 49:
            meter.add(W1, end=now, window_s=5.0, examples=500, now=now)
        seen += meter.take(now=now)
    later = [r.total for r in seen if r.t > 1006.5]
    assert later
    assert all(total == pytest.approx(200, rel=0.05) for total in later)


def test_that_a_silent_worker_does_not_hold_the_others_for_ever() -> None:
    meter = RateMeter()
    feed_evenly(meter, W0, start=1000.0, seconds=1, rate=100, window_s=0.1)
    feed_evenly(meter, W1, start=1000.0, seconds=8, rate=100, window_s=0.1)
    assert meter.take(now=1008.0)[-1].t == pytest.approx(1008.0)


def test_that_a_finished_worker_is_not_waited_for() -> None:
    meter = RateMeter()
    feed_evenly(meter, W0, start=1000.0, seconds=1, rate=100, window_s=0.1)
    meter.done(W0)
    feed_evenly(meter, W1, start=1000.0, seconds=2, rate=100, window_s=0.1)
    assert meter.take(now=1002.0)[-1].t == pytest.approx(1002.0)


@pytest.mark.parametrize(
    ("end", "window_s"),
    [(math.nan, 1.0), (1e9, 0.0), (1e9, -3.0), (math.inf, 1.0), (1e9, math.nan)],
)
def test_that_windows_without_length_are_gaps(end: float, window_s: float) -> None:
    meter = RateMeter()
    meter.add(W0, end=end, window_s=window_s, examples=64, now=0.0)
    assert meter.take(now=0.0) == []


def test_that_no_rate_is_negative_or_huge_when_a_clock_is_set() -> None:
    meter = RateMeter()
    feed_evenly(meter, W0, start=1e9, seconds=3, rate=100, window_s=0.1)
    first = meter.take(now=1e9 + 3)
    feed_evenly(meter, W0, start=1e9 - 86400, seconds=3, rate=100, window_s=0.1)
    feed_evenly(meter, W0, start=1e9 + 86400 * 30, seconds=3, rate=100, window_s=0.1)
    rates = first + meter.take(now=1e9 + 9)
    assert all(0 <= r.total <= 101 for r in rates)
    assert rates[-1].t == pytest.approx(1e9 + 86400 * 30 + 3, abs=GRID_S)
