"""Two steps under way at a time: each is noted once, in the order of step numbers."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from trainer.events import Steps, decode
from trainer.failures import BadSpec, StopRequested
from trainer.roles import steps
from trainer.roles.flight import Flight, calls_in_flight, flight_notice
from trainer.roles.steps import StepWindows, Taken
from trainer.sink import EventSink
from trainer.spec import ClusterSpec, TaskId, TaskSpec, TrainingSpec

LIMIT_S = 60.0
BATCH: Any = (np.zeros(1), np.zeros(1))


def taken(step: int) -> Taken:
    return Taken(step, 1.0, True, compute_s=0.5, exchange_s=0.25, wait_s=0.0)


class Ps:
    """Gives out step numbers; the calls with the numbers of ``slow`` come back when told to."""

    def __init__(self, last: int, slow: tuple[int, ...] = ()) -> None:
        self._numbers = itertools.count(1)
        self._last = last
        self.holds = {step: threading.Event() for step in slow}

    def take(self, batch: object) -> Taken | None:
        step = next(self._numbers)
        if step > self._last:
            return None
        if step in self.holds:
            assert self.holds[step].wait(LIMIT_S)
        return taken(step)


def fly(
    take: Callable[[Any], Taken | None],
    supply: Callable[[], Any] = lambda: (BATCH, 0.0),
    follow: Callable[[Taken], None] = lambda taken: None,
    calls: int = 2,
) -> tuple[list[int], BaseException | None]:
    """The recorded steps, and what the flight ended with."""
    recorded: list[int] = []
    flight = Flight(calls, supply, take, lambda taken, _: recorded.append(taken.step), follow)
    try:
        flight.run()
    except Exception as failure:
        return recorded, failure
    return recorded, None


def test_that_a_step_waits_for_one_under_way_that_may_come_before() -> None:
    ps = Ps(last=9, slow=(1,))
    followed: list[int] = []
    counted = threading.Event()

    def take(batch: Any) -> Taken | None:
        found = ps.take(batch)
        if found is None or found.step == 9:  # the other call had all numbers but the first
            counted.set()
        return found

    def release() -> None:
        assert counted.wait(LIMIT_S)
        assert followed == []
        ps.holds[1].set()

    releasing = threading.Thread(target=release)
    releasing.start()
    recorded, failure = fly(take, follow=lambda taken: followed.append(taken.step))
    releasing.join(LIMIT_S)
    assert failure is None
    assert recorded == followed == list(range(1, 10))


@pytest.mark.parametrize("calls", [1, 2])
def test_that_what_others_took_is_no_gap_to_wait_for(calls: int) -> None:
    lock = threading.Lock()
    numbers = iter([3, 4, 8, 15, 16, 23, 42])

    def take(batch: Any) -> Taken | None:
        with lock:
            step = next(numbers, None)
        return None if step is None else taken(step)

    assert fly(take, calls=calls) == ([3, 4, 8, 15, 16, 23, 42], None)


def test_that_two_calls_are_under_way_at_a_time_and_no_more() -> None:
    meeting = threading.Barrier(2, timeout=LIMIT_S)
    numbers = itertools.count(1)
    lock, under_way, most = threading.Lock(), 0, 0

    def take(batch: Any) -> Taken | None:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
            step = next(numbers)
        meeting.wait()  # goes on only when the other call is here as well
        with lock:
            under_way -= 1
        return taken(step) if step <= 8 else None

    assert fly(take) == (list(range(1, 9)), None)
    assert most == 2


def test_that_a_failure_waits_for_the_other_call_and_loses_none_of_its_steps() -> None:
    ps = Ps(last=100, slow=(2,))
    begun = threading.Barrier(2, timeout=LIMIT_S)

    def take(batch: Any) -> Taken | None:
        begun.wait()
        found = ps.take(batch)
        if found is not None and found.step == 1:
            ps.holds[2].set()
            raise BadSpec("out of sorts")
        return found

    recorded, failure = fly(take)
    assert isinstance(failure, BadSpec)
    assert recorded == [2]


def test_that_nothing_follows_a_step_that_ends_the_run_but_its_records() -> None:
    begun = threading.Barrier(2, timeout=LIMIT_S)
    calls = itertools.count(1)
    ps = Ps(last=100)
    followed: list[int] = []

    def take(batch: Any) -> Taken | None:
        if next(calls) <= 2:
            begun.wait()
        return ps.take(batch)

    def follow(found: Taken) -> None:
        followed.append(found.step)
        raise BadSpec("no number any more")

    recorded, failure = fly(take, follow=follow)
    assert isinstance(failure, BadSpec)
    assert recorded[:2] == [1, 2]  # and maybe a third that was under way then
    assert followed == [1]


def test_that_a_stop_ends_both_calls_and_keeps_what_they_took() -> None:
    stop = threading.Event()

    def supply() -> Any:
        if stop.is_set():
            raise StopRequested
        return BATCH, 0.0

    ps = Ps(last=10**9)
    recorded, failure = fly(ps.take, supply, lambda found: stop.set() if found.step == 50 else None)
    assert isinstance(failure, StopRequested)
    assert len(recorded) >= 50
    assert recorded == list(range(1, len(recorded) + 1))


def test_that_the_times_of_two_calls_are_those_of_their_worker(
    weird_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "WINDOW_S", 3600.0)
    with EventSink(weird_path / "events.jsonl", 1) as sink:
        windows = StepWindows(sink, batch_size=8)
        windows.add(taken(1), 0.125, calls=2)
        windows.add(taken(2), 0.125, calls=2)
        windows.flush()
    (line,) = (weird_path / "events.jsonl").read_bytes().splitlines(keepends=True)
    window = decode(line).body
    assert isinstance(window, Steps)
    assert window.examples == 16
    assert (window.input_s, window.compute_s, window.exchange_s) == (0.125, 0.5, 0.25)


def made(local: bool, **choices: Any) -> tuple[TaskSpec, Any]:
    """A task, and as much of its graph as says how many calls there are."""
    spec = TaskSpec(
        run_id="r",
        task=TaskId("worker", 0),
        cluster=ClusterSpec(ps=("a:1",), worker=("b:1", "c:1")),
        training=TrainingSpec(**choices),
        data_dir=None,
        checkpoint_dir="/c",
    )
    graph = Mock()
    graph.local_initializers = ["seed"] if local else []
    return spec, graph


@pytest.mark.parametrize(
    ("choices", "local", "calls"),
    [
        ({}, False, 1),
        ({"update": "sync"}, False, 1),
        ({"calls_in_flight": 2}, False, 2),
        ({"calls_in_flight": 2, "replication": "in-graph"}, False, 2),
        ({"calls_in_flight": 2}, True, 1),
        ({"calls_in_flight": 2, "baseline": "single"}, False, 1),
    ],
)
def test_that_spec_and_model_say_how_many_calls_there_are(
    choices: dict[str, Any], local: bool, calls: int
) -> None:
    spec, graph = made(local, **choices)
    assert calls_in_flight(spec, graph) == calls
    assert bool(flight_notice(spec, graph)) == local


def test_that_a_sync_step_has_no_other_beside_it() -> None:
    (problem,) = TrainingSpec(update="sync", calls_in_flight=2).problems()
    assert (problem.path, "set update to async" in problem.message) == ("calls_in_flight", True)
    assert TrainingSpec(update="sync", calls_in_flight=1).problems() == []
    assert TrainingSpec(update="sync", calls_in_flight=2, baseline="single").problems() == []
