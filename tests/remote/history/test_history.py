"""Every run and every event, exactly once, and read back as they were written."""

from __future__ import annotations

from pathlib import Path

import pytest

from remote.errors import HistoryError
from remote.history import Batch, EventAssembler, FilePart, History, new_run_id
from remote.history.write import LOG_LIMIT_BYTES, SAMPLES_LIMIT
from remote.updates import GpuSample, Leftover, MarkUpdate, NodeSample, ResultUpdate
from tests.remote.history.records import W0, add_run, event_file, part_of
from trainer.events import Body, CheckpointSaved, Evaluated, Event, encode
from trainer.spec import TaskId


def test_that_a_run_reads_back_as_it_was_written(path: Path) -> None:
    history = History(path)
    run_id = add_run(history)
    data = event_file(20)
    history.append(run_id, Batch(files=[part_of(EventAssembler(), 0, data)]))
    sample = NodeSample(
        node="gpu 2",
        t=1.0,
        cpu_percent=None,
        memory_used_bytes=1,
        memory_total_bytes=2,
        gpus=(
            GpuSample(
                uuid="GPU-1",
                index=0,
                name="A100",
                utilization_percent=None,
                memory_used_bytes=1,
                memory_total_bytes=2,
                temperature_c=40.0,
                power_watts=3.0,
            ),
        ),
    )
    mark = MarkUpdate(run_id=run_id, t=2.0, kind="restart", text="again", task=W0)
    history.append(run_id, Batch(samples=[sample], marks=[mark, mark]))
    result = ResultUpdate(
        run_id=run_id,
        state="failed",
        global_step=19,
        final_loss=0.05,
        accuracy=None,
        examples=1280,
        examples_per_second=12.5,
        time_to_first_step_s=1.0,
        left_behind=(Leftover(node="gpu 2", what="pid 7"),),
        reason="broke",
    )
    history.finish(result, ended_at=1100.0)
    history.close()

    again = History(path)
    run = again.find("k3f9")
    assert (run.state, run.ended_at, run.result, run.profile) == (
        "failed",
        1100.0,
        result,
        "clew: 1",
    )
    assert [(t.task, t.node, t.gpus) for t in again.tasks(run_id)] == [
        (TaskId("ps", 0), "gpu001", ()),
        (W0, "gpu 2", ("GPU-1",)),
    ]
    series = again.steps(run_id)[W0]
    assert series.steps == list(range(20))
    assert series.times[3] == pytest.approx(0.3 + 5.0)
    assert b"".join(e.raw + b"\n" for e in again.events(run_id, W0)) == data
    assert again.samples(run_id) == [sample]
    assert again.marks(run_id) == [mark]
    again.close()


def test_that_evaluations_and_checkpoints_are_found(path: Path) -> None:
    history = History(path)
    run_id = add_run(history)
    bodies: list[Body] = [
        CheckpointSaved(step=5, path="/c", bytes=1, seconds=0.1),
        Evaluated(step=9, loss=0.1, accuracy=0.97, examples=100, seconds=1.0),
    ]
    data = b"".join(
        encode(Event(t=float(i), seq=i, attempt=1, body=b)) for i, b in enumerate(bodies)
    )
    history.append(run_id, Batch(files=[part_of(EventAssembler(), 0, data)]))
    assert [(e.step, e.accuracy) for e in history.evals(run_id)] == [(9, 0.97)]
    assert [(m.kind, m.text) for m in history.marks(run_id)] == [
        ("checkpoint", "checkpoint at step 5")
    ]
    history.close()


def test_that_what_is_delivered_again_is_not_doubled(path: Path) -> None:
    history = History(path)
    run_id = add_run(history)
    data = event_file(30)
    for _ in range(3):  # three watchers that know nothing of each other
        history.append(run_id, Batch(files=[part_of(EventAssembler(), 0, data)]))
    assert b"".join(e.raw + b"\n" for e in history.events(run_id, W0)) == data
    assert history.resume(run_id)[W0].offsets == {"events": len(data)}
    assert history.resume(run_id)[W0].seen == {1: 29}
    history.close()


def test_that_a_run_is_named_by_what_is_unique(path: Path) -> None:
    history = History(path)
    with pytest.raises(HistoryError, match="no run yet"):
        history.find("last")
    add_run(history, "20261130-1502-k3f9", 1.0)
    add_run(history, "20261130-1502-k4aa", 2.0)
    assert history.find("20261130-1502-k3").run_id == "20261130-1502-k3f9"
    assert history.find("k4aa").run_id == "20261130-1502-k4aa"
    assert history.find("last").run_id == "20261130-1502-k4aa"
    with pytest.raises(HistoryError, match="could be"):
        history.find("20261130")
    for odd in ("", "zzz", "../x", "%", "k3f"):
        with pytest.raises(HistoryError):
            history.find(odd)
    history.close()


def test_that_ids_sort_by_time() -> None:
    ids = [new_run_id(now) for now in (0.0, 1.8e9, 1.9e9)]
    assert ids == sorted(ids)
    assert all(len(i) == 18 for i in ids)


def test_that_samples_are_thinned_and_the_newest_stay(path: Path) -> None:
    history = History(path)
    run_id = add_run(history)
    for block in range(0, 3 * SAMPLES_LIMIT, 512):
        samples = [
            NodeSample(
                node="n",
                t=float(t),
                cpu_percent=1.0,
                memory_used_bytes=None,
                memory_total_bytes=None,
            )
            for t in range(block, block + 512)
        ]
        history.append(run_id, Batch(samples=samples))
    times = [s.t for s in history.samples(run_id)]
    assert SAMPLES_LIMIT / 2 <= len(times) <= SAMPLES_LIMIT
    assert times[-1] == 3 * SAMPLES_LIMIT - 1
    assert times[0] < 16
    history.close()


def test_that_a_long_log_keeps_its_end(path: Path) -> None:
    history = History(path)
    run_id = add_run(history)
    piece = (b"x" * 1023 + b"\n") * 1024
    for i in range(20):
        at = i * len(piece)
        part = FilePart(
            task=W0, file="log", generation=0, offset=at + len(piece), log=[(at, piece)]
        )
        history.append(run_id, Batch(files=[part]))
    start, data = history.log_bytes(run_id, W0)
    assert start + len(data) == 20 * len(piece)
    assert LOG_LIMIT_BYTES <= len(data) <= LOG_LIMIT_BYTES + 2 * len(piece)
    history.close()


def test_that_pieces_of_a_log_that_overlap_are_joined(path: Path) -> None:
    history = History(path)
    run_id = add_run(history)
    text = b"one\rtwo\x1b[31m\nthree\nfo\xc3\xbcr"
    for start, end in [(0, 4), (0, 9), (4, 12), (9, len(text))]:
        part = FilePart(
            task=W0, file="log", generation=0, offset=end, log=[(start, text[start:end])]
        )
        history.append(run_id, Batch(files=[part]))
    assert history.log_bytes(run_id, W0) == (0, text)
    assert history.log(run_id, W0) == ["two", "three", "foür"]
    assert history.log(run_id, W0, from_line=2) == ["foür"]
    history.close()


def test_that_a_deleted_run_is_gone_and_its_id_can_be_found_anew(path: Path) -> None:
    history = History(path)
    run_id = add_run(history)
    history.append(run_id, Batch(files=[part_of(EventAssembler(), 0, event_file(3))]))
    history.delete(run_id)
    assert history.run(run_id) is None
    add_run(history, run_id)
    assert history.steps(run_id) == {}
    history.append(run_id, Batch(files=[part_of(EventAssembler(), 0, event_file(3))]))
    assert len(history.steps(run_id)[W0].steps) == 3
    history.close()
