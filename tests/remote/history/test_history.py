"""Every run, every event, exactly once, whatever happens to the writer or the file."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from remote.errors import HistoryError
from remote.history import (
    Batch,
    EventAssembler,
    FilePart,
    History,
    RunRecord,
    TaskRecord,
    new_run_id,
)
from remote.history.write import LOG_LIMIT_BYTES, SAMPLES_LIMIT
from remote.updates import GpuSample, Leftover, MarkUpdate, NodeSample, ResultUpdate
from trainer.events import Body, CheckpointSaved, Evaluated, Event, Steps, encode
from trainer.spec import TaskId

W0 = TaskId("worker", 0)
ROOT = Path(__file__).parents[3]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a 'quoted' folder ü" / "history.db"


def add_run(history: History, run_id: str = "20261130-1502-k3f9", at: float = 1000.0) -> str:
    tasks = [
        TaskRecord(task=TaskId("ps", 0), node="gpu001", root="/r"),
        TaskRecord(task=W0, node="gpu 2", root="/r ü", gpus=("GPU-1",)),
    ]
    history.add_run(RunRecord(run_id=run_id, name="lab", started_at=at, profile="clew: 1"), tasks)
    return run_id


def event_file(count: int) -> bytes:
    data = bytearray()
    for i in range(count):
        body = Steps(steps=(i,), losses=(1 / (i + 1),), times=(i / 10,), examples=64, window_s=0.1)
        data += encode(Event(t=i / 10, seq=i, attempt=1, body=body))
    return bytes(data)


def part_of(assembler: EventAssembler, at: int, data: bytes, task: TaskId = W0) -> FilePart:
    events = [(p.event.t + 5.0, p) for p in assembler.feed(at, data)]
    return FilePart(
        task=task,
        file="events",
        generation=assembler.generation,
        offset=assembler.committed,
        events=events,
        odd=assembler.odd,
    )


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


WRITER = """
    import sys
    from pathlib import Path
    from remote.history import Batch, EventAssembler, FilePart, History
    from trainer.spec import TaskId

    path, source, run_id = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    data, task = source.read_bytes(), TaskId("worker", 0)
    history = History(path)
    resume = history.resume(run_id)[task]
    at = resume.offsets.get("events", 0)
    assembler = EventAssembler(at, seen=resume.seen)
    while at < len(data):
        placed = assembler.feed(at, data[at : at + 300])
        at = min(len(data), at + 300)
        part = FilePart(task=task, file="events", generation=0, offset=assembler.committed,
                        events=[(p.event.t, p) for p in placed])
        history.append(run_id, Batch(files=[part]))
        print(at, flush=True)
    history.close()
"""


def test_that_a_writer_killed_at_any_moment_loses_and_doubles_nothing(
    path: Path, tmp_path: Path
) -> None:
    history = History(path)
    run_id = add_run(history)
    history.close()
    source = tmp_path / "events.jsonl"
    source.write_bytes(event_file(3000))
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(path), str(source), run_id]
    kills = 0
    while True:
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
        assert process.stdout is not None
        for _ in range(200):  # far enough that something is written, at no special moment
            line = process.stdout.readline()
            if not line:
                break
        if line:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.stdout.close()
        if process.wait(60) == 0:
            break
    assert kills >= 3
    history = History(path)
    assert history.notice == ""
    assert b"".join(e.raw + b"\n" for e in history.events(run_id, W0)) == source.read_bytes()
    history.close()


def test_that_a_damaged_file_is_kept_aside_and_a_new_one_started(path: Path) -> None:
    history = History(path)
    run_id = add_run(history)
    history.append(run_id, Batch(files=[part_of(EventAssembler(), 0, event_file(2000))]))
    history.close()
    content = bytearray(path.read_bytes())
    content[4096 : len(content) // 2] = b"\xa5" * (len(content) // 2 - 4096)
    path.write_bytes(content)

    again = History(path)
    kept = list(path.parent.glob("history.db.damaged-*"))
    assert [k.read_bytes() for k in kept] == [bytes(content)]
    assert str(kept[0]) in again.notice
    assert again.runs() == []
    add_run(again)
    again.close()


def test_that_a_file_of_something_else_is_kept_aside(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"My diary. Nothing to do with databases.\n" * 100)
    history = History(path)
    assert "kept as" in history.notice
    assert next(path.parent.glob("*.damaged-*")).read_bytes().startswith(b"My diary")
    history.close()


def test_that_a_newer_history_is_left_alone(path: Path) -> None:
    History(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version=99")
    db.close()
    with pytest.raises(HistoryError, match="newer Clew"):
        History(path)
    assert not list(path.parent.glob("*.damaged-*"))


def test_that_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HistoryError, match="cannot be used") as caught:
        History(tmp_path / "file" / "history.db")
    assert "CLEW_DATA_DIR" in caught.value.remedy


def test_that_the_data_folder_follows_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_DATA_DIR", str(tmp_path / "дом"))
    history = History()
    assert history.path == tmp_path / "дом" / "history.db"
    history.close()


FULL = """
    import sys
    from pathlib import Path
    from remote.errors import HistoryError
    from remote.history import Batch, FilePart, History, RunRecord, TaskRecord
    from trainer.spec import TaskId

    folder = Path(sys.argv[1])
    task = TaskId("worker", 0)
    history = History(folder / "history.db")
    history.add_run(RunRecord(run_id="r", name="n", started_at=1.0),
                    [TaskRecord(task=task, node="n", root="/r")])
    piece, at = bytes(60_000), 0
    def write():
        part = FilePart(task=task, file="log", generation=0, offset=at + len(piece),
                        log=[(at, piece)])
        history.append("r", Batch(files=[part]))
    try:
        while True:
            write()
            at += len(piece)
    except HistoryError as error:
        print(error)
    assert history.resume("r")[task].offsets["log"] == at
    (folder / "ballast").unlink()
    write()
    assert history.resume("r")[task].offsets["log"] == at + len(piece)
    assert len(history.log_bytes("r", task)[1]) == at + len(piece)
    history.close()
    print("whole")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make a small disk")
def test_that_a_full_disk_is_an_error_and_changes_nothing(tmp_path: Path) -> None:
    mount = f"mount -t tmpfs -o size=3m tmpfs '{tmp_path}' && head -c 1000000 /dev/zero > "
    script = f"{mount}'{tmp_path}/ballast' && exec \"$@\""
    command = ["unshare", "--mount", "sh", "-c", script, "sh", sys.executable, "-c"]
    done = subprocess.run(
        [*command, textwrap.dedent(FULL), str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Make room on this disk" in done.stdout
    assert done.stdout.endswith("whole\n")


def test_that_two_processes_may_write_one_history(path: Path) -> None:
    one, two = History(path), History(path)
    first, second = add_run(one, "20261130-1502-aaaa"), add_run(two, "20261130-1503-bbbb", 2000.0)
    data = event_file(5)
    one.append(second, Batch(files=[part_of(EventAssembler(), 0, data)]))
    two.append(first, Batch(files=[part_of(EventAssembler(), 0, data)]))
    assert [run.run_id for run in one.runs()] == [second, first]
    assert len(two.steps(second)[W0].steps) == 5
    one.close()
    two.close()


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


def test_that_reading_does_not_wait_for_a_writer(path: Path) -> None:
    history = History(path)
    add_run(history)
    with history._database.writing():
        begin = time.monotonic()
        assert len(history.runs()) == 1
        assert time.monotonic() - begin < 1
    history.close()
