"""What tests put into a history: a run of two tasks and their events."""

from __future__ import annotations

from remote.history import EventAssembler, FilePart, History, RunRecord, TaskRecord
from trainer.events import Event, Steps, encode
from trainer.spec import TaskId

W0 = TaskId("worker", 0)


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
