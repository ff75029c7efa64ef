"""What the windows of steps add up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trainer.events import Steps, decode
from trainer.roles import steps
from trainer.roles.steps import StepWindows, Taken
from trainer.sink import EventSink


@pytest.fixture
def sink(weird_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EventSink]:
    """A sink for windows that end only when they are told to, however slow the machine is."""
    monkeypatch.setattr(steps, "WINDOW_S", 3600.0)
    with EventSink(weird_path / "events.jsonl", 1) as made:
        yield made


def written(weird_path: Path) -> list[Steps]:
    lines = (weird_path / "events.jsonl").read_bytes().splitlines(keepends=True)
    bodies = [decode(line).body for line in lines]
    return [body for body in bodies if isinstance(body, Steps)]


def taken(step: int, loss: float = 1.0, counts: bool = True) -> Taken:
    return Taken(step, loss, counts, compute_s=0.5, exchange_s=0.25, wait_s=0.125)


def test_that_times_add_up_and_dropped_gradients_bring_no_examples(
    sink: EventSink, weird_path: Path
) -> None:
    windows = StepWindows(sink, batch_size=8)
    windows.add(taken(1), input_s=0.0625)
    windows.add(taken(2, counts=False), input_s=0.0625)
    windows.add(taken(3), input_s=0.0625)
    windows.flush()
    (window,) = written(weird_path)
    assert (window.steps, window.examples, window.dropped) == ((1, 3), 16, 1)
    assert (window.input_s, window.compute_s) == (0.1875, 1.5)
    assert (window.exchange_s, window.wait_s) == (0.75, 0.375)
    assert windows.examples == 16


def test_that_a_window_of_dropped_gradients_only_is_the_last(
    sink: EventSink, weird_path: Path
) -> None:
    windows = StepWindows(sink, batch_size=8)
    windows.add(taken(1, counts=False), 0.0)
    windows.flush()
    assert not written(weird_path)
    windows.flush(last=True)
    (window,) = written(weird_path)
    assert (window.steps, window.examples, window.dropped) == ((), 0, 1)


def test_that_workers_that_are_driven_together_report_one_step(
    sink: EventSink, weird_path: Path
) -> None:
    windows = StepWindows(sink, batch_size=8, together=2)
    for step, loss in ((1, 1.0), (1, 3.0), (2, 5.0)):
        windows.add(taken(step, loss), 0.0)
    windows.flush()
    (window,) = written(weird_path)
    assert (window.steps, window.losses, window.examples) == ((1,), (2.0,), 24)
