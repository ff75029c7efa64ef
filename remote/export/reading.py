"""From a bundle's files to rows of the history; whatever is not as it should be is refused."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from remote.export.content import file_of
from remote.export.typed import Mistyped, record_of, value_of
from remote.history.codec import result_text, sample_text
from remote.history.lines import BEFORE_BYTES, decode_stored
from remote.history.remarks import MAX_NOTE, clean_note, clean_tags
from remote.history.transfer import Row
from remote.history.write import step_of
from remote.updates import NodeSample, ResultUpdate, RunState, TaskState
from trainer.events import MAX_LINE_BYTES
from trainer.spec import TaskId

_LONGEST = 8 * MAX_LINE_BYTES
"""Bytes of a line in a bundle: an event, written once more as JSON."""
_LONG_TEXT = 4096


@dataclass(frozen=True)
class _Run:
    id: str
    name: str
    started_at: float
    ended_at: float | None
    state: RunState
    result: ResultUpdate | None


@dataclass(frozen=True)
class _File:
    file: Literal["events", "log"]
    generation: int
    offset: int
    odd: int
    before: str = ""
    """Hex digits."""


@dataclass(frozen=True)
class _Remark:
    note: str
    tags: tuple[str, ...]
    files: Any


@dataclass(frozen=True)
class _Mark:
    t: float
    kind: Literal["checkpoint", "restored", "restart", "failure"]
    task: str
    text: str


class ReadTask(NamedTuple):
    """One task: its columns, how far its files were read, and the names of its parts."""

    values: Row
    files: list[Row]
    names: tuple[str, str, str]


def read_run(data: object, run_id: str, profile: str, training: str) -> Row:
    """The run's columns. Raises Mistyped."""
    run = record_of(_Run, data)
    if run.id != run_id or (run.result is not None and run.result.run_id != run_id):
        raise Mistyped("run.json is of another run")
    if len(run.name) > _LONG_TEXT:
        raise Mistyped("the run's name is too long")
    result = None if run.result is None else result_text(run.result)
    times = (run.started_at, run.ended_at)
    for t in times:
        _time(t)
    return (run.id, run.name, profile, "", training, *times, run.state, result)


def read_tasks(data: object, version: int) -> list[ReadTask]:
    """All tasks, as a bundle of ``version`` has them. Raises Mistyped."""
    if not isinstance(data, list):
        raise Mistyped("tasks.json is no list")
    return [_task(item, version) for item in data]


def _task(data: object, version: int) -> ReadTask:
    if not isinstance(data, dict):
        raise Mistyped("a task is no object")
    hints: dict[str, Any] = {
        "task": str,
        "node": str,
        "root": str,
        "address": str,
        "gpus": tuple[str, ...],
        "state": TaskState,
        "detail": str,
        "attempt": int,
    }
    if data.keys() != {*hints, "files"}:
        raise Mistyped("a task has other keys than it should")
    values = {key: value_of(hint, data[key], key) for key, hint in hints.items()}
    name = file_of(task_of(values["task"]))
    values["gpus"] = json.dumps(values["gpus"])
    files = [_file(item, version) for item in value_of(tuple[object, ...], data["files"], "files")]
    names = (f"events/{name}.jsonl", f"log/{name}.bin", f"log/{name}.json")
    return ReadTask(tuple(values.values()), files, names)


def _file(item: object, version: int) -> Row:
    names = ("file", "generation", "offset", "odd", "before")[: 4 if version < 2 else 5]
    if not isinstance(item, list) or len(item) != len(names):
        raise Mistyped("files are not what they should be")
    found = record_of(_File, {"before": ""} | dict(zip(names, item, strict=True)))
    try:
        before = bytes.fromhex(found.before)
    except ValueError:
        raise Mistyped("what stands before a place is no hex") from None
    if len(before) > BEFORE_BYTES:
        raise Mistyped("what stands before a place is too long")
    return (found.file, found.generation, found.offset, found.odd, before)


def task_of(text: str) -> str:
    """A task's name in its one spelling. Raises Mistyped."""
    try:
        task = TaskId.parse(text)
    except ValueError:
        task = None
    if task is None or str(task) != text:
        raise Mistyped(f"{text[:40]!r} is no task")
    return text


def log_rows(data: object, pieces: Iterable[bytes]) -> Iterator[Row]:
    """A log's pieces, cut where the index says."""
    rest = bytearray()
    source = iter(pieces)
    for item in value_of(tuple[object, ...], data, "a log"):
        generation, offset, length = value_of(tuple[int, ...], item, "a log's place")[:3]
        if min(generation, offset, length) < 0:
            raise Mistyped("a log's place is below zero")
        while len(rest) < length:
            piece = next(source, None)
            if piece is None:
                raise Mistyped("a log is shorter than it should be")
            rest += piece
        yield (generation, offset, bytes(rest[:length]))
        del rest[:length]
    if rest or any(source):
        raise Mistyped("a log is longer than it should be")


def remark_columns(data: object) -> dict[str, object]:
    """Note, tags and files as columns of the remark. Raises Mistyped."""
    remark = record_of(_Remark, data)
    files = remark.files if isinstance(remark.files, dict) else {}
    if len(remark.note) > MAX_NOTE:
        raise Mistyped("its note is too long")
    kept = {k: value_of(str, v, "files") for k, v in files.items() if k in ("app", "code", "data")}
    return {
        "note": clean_note(remark.note),
        "tags": json.dumps(clean_tags(remark.tags)),
        "files": json.dumps(kept),
    }


class LineReader:
    """Lines of JSON out of pieces, none longer than it may be."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces

    def events(self) -> Iterator[Row]:
        """Rows of events; each is read as an event first. Raises Mistyped, EventError."""
        for generation, offset, t, line in self._lists(4):
            place = (value_of(int, generation, "a place"), value_of(int, offset, "a place"))
            if not isinstance(line, str):
                raise Mistyped("an event is no text")
            try:
                raw = line.encode("utf-8", "surrogateescape")
            except UnicodeEncodeError:
                raise Mistyped("an event is no text") from None
            event = decode_stored(raw)
            found = (event.seq, event.attempt, event.type, _time(t), step_of(event))
            yield (*place, *found, raw)

    def samples(self, version: int) -> Iterator[Row]:
        """Rows of samples, as a bundle of ``version`` has them. Raises Mistyped."""
        for node, t, body, *newer in self._lists(3 if version < 2 else 5):
            if not isinstance(body, dict) or not isinstance(body.get("gpus"), list):
                raise Mistyped("a sample is no object")
            boot, tick = newer or ("", None)
            data = {**body, "node": node, "t": t, "boot": boot, "tick": tick}
            sample = record_of(NodeSample, data)
            if len(sample.boot) > _LONG_TEXT:
                raise Mistyped("a boot id is too long")
            times = (_time(sample.t), _time(sample.tick))
            yield (sample.node, times[0], sample_text(sample), sample.boot, times[1])

    def marks(self) -> Iterator[Row]:
        """Rows of marks. Raises Mistyped."""
        for item in self._lists(4):
            mark = record_of(_Mark, dict(zip(("t", "kind", "task", "text"), item, strict=True)))
            task = task_of(mark.task) if mark.task else ""
            yield (_time(mark.t), mark.kind, task, mark.text)

    def _lists(self, length: int) -> Iterator[list[Any]]:
        for line in self._lines():
            try:
                data = json.loads(line, parse_constant=_refuse)
            except (ValueError, RecursionError):
                raise Mistyped("a line cannot be read") from None
            if not isinstance(data, list) or len(data) != length:
                raise Mistyped("a line is not what it should be")
            yield data

    def _lines(self) -> Iterator[bytes]:
        rest = bytearray()
        for piece in self._pieces:
            rest += piece
            *whole, last = rest.split(b"\n")
            yield from map(bytes, whole)
            rest = last
            if len(rest) > _LONGEST:
                raise Mistyped("a line is too long")
        if rest:
            raise Mistyped("its last line is cut off")


def _refuse(text: str) -> object:
    raise ValueError(text)


def _time(t: object) -> float | None:
    """A time that calendars know; None stays None. Raises Mistyped."""
    if t is None:
        return None
    found: float = value_of(float, t, "a time")
    if not -1e11 < found < 1e11:
        raise Mistyped("a time is out of reach")
    return found
