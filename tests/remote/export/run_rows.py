"""A history with one run that has something in every table."""

from __future__ import annotations

import json
from pathlib import Path

from remote.history import (
    Batch,
    EventAssembler,
    FilePart,
    History,
    RunRecord,
    TaskRecord,
)
from remote.updates import GpuSample, Leftover, MarkUpdate, NodeSample, ResultUpdate
from trainer.events import (
    CheckpointSaved,
    Evaluated,
    Event,
    Failed,
    Finished,
    Notice,
    PhaseChanged,
    Started,
    Steps,
    encode,
)
from trainer.spec import TaskId, TrainingSpec, to_json

ID = "20261130-1502-k3f9"
W0, P0 = TaskId("worker", 0), TaskId("ps", 0)
T0 = 1_700_000_000.0
HOSTILE = "<script>alert(1)</script> & \"läb\" 'x' \u202e"


def events_of(steps: int = 40) -> bytes:
    """Two attempts of a worker: the first fails, the second goes to the end."""
    bodies: list[tuple[int, object]] = [
        (1, Started(task="worker:0", pid=7, host="n", python="3.11", tensorflow="2.21.0")),
        (1, PhaseChanged(phase="training", total_steps=steps)),
    ]
    bodies += [
        (1, Steps(steps=(i,), losses=(2.0 / i,), times=(T0 + i,), examples=64, window_s=1.0))
        for i in range(1, steps // 2)
    ]
    bodies += [
        (1, Notice(level="warning", text=f"slow disk {HOSTILE}")),
        (1, Failed(reason=f"cannot read {HOSTILE}; look at the disk")),
        (2, Started(task="worker:0", pid=8, host="n", python="3.11", tensorflow="2.21.0")),
    ]
    bodies += [
        (2, Steps(steps=(i,), losses=(2.0 / i,), times=(T0 + i,), examples=64, window_s=1.0))
        for i in range(steps // 2, steps + 1)
    ]
    bodies += [
        (2, CheckpointSaved(step=steps, path="/r/c", bytes=10, seconds=0.1)),
        (2, Evaluated(step=steps, loss=0.5, accuracy=0.875, examples=100, seconds=1.0)),
        (
            2,
            Finished(step=steps, examples=64 * steps, train_seconds=40.0, first_step_seconds=1.0),
        ),
    ]
    counts = {1: 0, 2: 0}
    data = b""
    for number, (attempt, body) in enumerate(bodies):
        event = Event(t=T0 + number, seq=counts[attempt], attempt=attempt, body=body)  # type: ignore[arg-type]
        counts[attempt] += 1
        data += encode(event)
    # A killed process leaves half a line, and the next event stands behind it.
    torn = Event(t=T0 + 90, seq=counts[2], attempt=2, body=Notice(level="info", text="bye"))
    return data + b'{"v":1,"ty\xff' + encode(torn)


def fill(history: History, run_id: str = ID, *, name: str = HOSTILE, steps: int = 40) -> None:
    """Put the run into ``history``, ended."""
    training = json.dumps(to_json(TrainingSpec(model="mlp", steps=steps)))
    record = RunRecord(
        run_id=run_id, name=name, started_at=T0, profile="clew: 1\nname: läb\n", training=training
    )
    tasks = [
        TaskRecord(task=P0, node="gpu001", root="/r"),
        TaskRecord(
            task=W0, node=HOSTILE, root="/r ü", gpus=("GPU-1",), state="finished", attempt=2
        ),
    ]
    history.add_run(record, tasks)
    data = events_of(steps)
    events = [(p.event.t + 0.1, p) for p in EventAssembler().feed(0, data)]
    gpu = GpuSample(
        uuid="GPU-1",
        index=0,
        name="A<b>100",
        utilization_percent=50.0,
        memory_used_bytes=1 << 30,
        memory_total_bytes=1 << 33,
        temperature_c=None,
        power_watts=250.5,
    )
    history.append(
        run_id,
        Batch(
            files=[
                FilePart(
                    task=W0, file="events", generation=0, offset=len(data), events=events, odd=1,
                    before=data[-512:],
                ),
                FilePart(
                    task=W0,
                    file="log",
                    generation=0,
                    offset=12,
                    log=[(0, b"a\xff\x00\n"), (4, b"b" * 8)],
                ),
            ],
            samples=[
                NodeSample(node="gpu001", t=T0 + 1, cpu_percent=12.5, memory_used_bytes=1,
                           memory_total_bytes=None, gpus=(gpu,), boot="b00t-1", tick=4711.25),
                NodeSample(node=HOSTILE, t=T0 + 2, cpu_percent=None, memory_used_bytes=None,
                           memory_total_bytes=None),
            ],
            marks=[MarkUpdate(run_id=run_id, t=T0 + 20, kind="restart", text=HOSTILE, task=W0)],
        ),
    )  # fmt: skip
    history.set_note(run_id, f"a note {HOSTILE}")
    history.set_tags(run_id, ["best", "läb"])
    history.finish(
        ResultUpdate(
            run_id=run_id,
            state="finished",
            global_step=steps,
            final_loss=2.0 / steps,
            accuracy=0.875,
            examples=64 * steps,
            examples_per_second=64.0,
            time_to_first_step_s=1.5,
            left_behind=(Leftover(node="gpu001", what="a process"),),
        ),
        T0 + 100.0,
    )


def all_rows(history: History, run_id: str = ID) -> dict[str, object]:
    """Every row of a run as the history has it."""
    with history.rows(run_id) as rows:
        found: dict[str, object] = {"run": rows.run, "tasks": rows.tasks}
        for table in ("samples", "marks"):
            found[table] = list(rows.part(table))
        for task in rows.tasks:
            for table in ("events", "files", "log"):
                found[f"{table} {task['task']}"] = list(rows.part(table, task["task"]))
        return found


def filled(path: Path, **more: int) -> History:
    """A history at ``path`` with the run in it."""
    history = History(path)
    fill(history, **more)  # type: ignore[arg-type]
    return history
