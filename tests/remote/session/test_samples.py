"""Samples that came live and those that nodes have kept: each moment once, whatever clocks do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remote.history import Batch, History, RunRecord, TaskRecord
from remote.link import KeptSamples
from remote.session.samples import Samples
from remote.updates import NodeSample
from trainer.spec import TaskId

RUN = "20261130-1502-k3f9"


def sample(tick: float, *, t: float | None = None, boot: str = "b1", node: str = "n") -> NodeSample:
    return NodeSample(
        node=node,
        t=1000.0 + tick if t is None else t,
        cpu_percent=1.0,
        memory_used_bytes=1,
        memory_total_bytes=2,
        boot=boot,
        tick=tick,
    )


def kept(*samples: NodeSample, number: int = 9) -> KeptSamples:
    return KeptSamples(run_id=RUN, node="n", samples=samples, number=number)


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    made = History(tmp_path / "history.db")
    task = TaskRecord(task=TaskId("worker", 0), node="n", root="/r")
    made.add_run(RunRecord(run_id=RUN, name="n", started_at=0.0), [task])
    yield made
    made.close()


def store(history: History, samples: Samples) -> None:
    history.append(
        RUN, Batch(samples=samples.live, recorded=samples.kept, sampled=samples.unstored)
    )
    samples.stored()


def test_that_moments_nobody_watched_are_filled_and_others_stay_single(history: History) -> None:
    samples = Samples(history, RUN)
    for tick in (1.0, 2.0, 3.0, 9.0):
        samples.add(sample(tick))
    new = samples.take(
        kept(*(sample(tick + 0.4, t=float(tick)) for tick in range(1, 10)), number=31)
    )
    assert [s.tick for s in new] == [4.4, 5.4, 6.4, 7.4]
    store(history, samples)
    assert sorted(s.tick or 0 for s in history.samples(RUN)) == [1, 2, 3, 4.4, 5.4, 6.4, 7.4, 9]
    assert history.sampled(RUN) == {"n": 31}


def test_that_a_later_desktop_process_asks_for_the_rest_only(history: History) -> None:
    first = Samples(history, RUN)
    first.take(kept(sample(1.0), sample(2.0), number=2))
    store(history, first)
    again = Samples(history, RUN)
    assert again.numbers == {"n": 2}
    assert [s.tick for s in again.take(kept(sample(2.0), sample(3.0), number=3))] == [3.0]
    store(history, again)
    assert [s.tick for s in history.samples(RUN)] == [1.0, 2.0, 3.0]


def test_that_clocks_that_were_set_double_and_hide_nothing(history: History) -> None:
    samples = Samples(history, RUN)
    samples.add(sample(5.0, t=9000.0))  # the clock was set by hours after this
    assert samples.take(kept(sample(5.1, t=100.0))) == [], "the same moment by another clock"
    reboot = sample(5.1, boot="b2", t=9000.5)
    assert samples.take(kept(reboot)) == [reboot], "another boot's fifth second"
    store(history, samples)
    assert [(s.boot, s.t) for s in history.samples(RUN)] == [("b1", 9000.0), ("b2", 9000.5)]


def test_that_two_processes_that_share_a_history_store_a_moment_once(history: History) -> None:
    one, two = Samples(history, RUN), Samples(history, RUN)
    for samples in (one, two):
        samples.take(kept(sample(1.0), sample(2.0)))
    two.take(kept(sample(2.3), sample(4.0)))
    store(history, one)
    store(history, two)
    assert [s.tick for s in history.samples(RUN)] == [1.0, 2.0, 4.0]


def test_that_samples_wait_while_nothing_can_be_recorded(history: History) -> None:
    samples = Samples(history, RUN)
    samples.add(sample(1.0))
    samples.take(kept(sample(3.0), number=4))
    assert history.sampled(RUN) == {}
    store(history, samples)
    assert [s.tick for s in history.samples(RUN)] == [1.0, 3.0]
    assert (samples.live, samples.kept, samples.unstored) == ([], [], {})
