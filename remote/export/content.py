"""What is in a run bundle: the files of one run, and one hash over them all.

=================  ====================================================================
``run.json``       name, times, state and result
``profile.yaml``   the profile as it was saved with the run, without secrets
``training.json``  the training spec
``tasks.json``     where each task ran, how it stood, how far its files were read, what stood there
``events/T.jsonl`` ``[generation, offset, t, line]`` for each event; ``line`` as the task wrote it
``log/T.bin``      what is kept of the task's log; ``log/T.json`` says where its pieces belong
``samples.jsonl``  ``[node, t, sample, boot id, seconds since boot]``
``marks.jsonl``    ``[t, kind, task, text]``
``remark.json``    note and tags, and which code and data went to the nodes
=================  ====================================================================

``T`` is a task like ``worker-0``. Where the profile's file lay is left out: it is a place of the
computer that the run was started from. Bundles of version 1 have neither what stands just before
the place up to which a file was read, nor boot ids and times since boot.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from remote.export.redact import without_secrets
from remote.history import History, Remark
from remote.history.transfer import RunRows
from trainer.spec import TaskId

VERSION = 2
MANIFEST = "manifest.json"
REMARK = "remark.json"
_TASK = r"[a-z]{2,8}-[0-9]{1,6}"
KNOWN = re.compile(
    r"run\.json|profile\.yaml|training\.json|tasks\.json|samples\.jsonl|marks\.jsonl|remark\.json"
    rf"|events/{_TASK}\.jsonl|log/{_TASK}\.(?:bin|json)"
)
"""The only names that a bundle may have beside its manifest."""
_CHUNK = 1 << 16


class Entry(NamedTuple):
    """A file of the bundle, in pieces."""

    name: str
    pieces: Iterable[bytes]


def entries(rows: RunRows, remark: Remark, version: int = VERSION) -> Iterator[Entry]:
    """All files of one run; each one's pieces are to be read before the next file's."""
    run = rows.run
    head = {key: run[key] for key in ("id", "name", "started_at", "ended_at", "state")}
    result = json.loads(run["result"]) if run["result"] is not None else None
    yield Entry("run.json", [_json({**head, "result": result})])
    yield Entry("profile.yaml", [without_secrets(run["profile"]).encode()])
    yield Entry("training.json", [without_secrets(run["training"]).encode()])
    tasks = [
        {**task, "gpus": json.loads(task["gpus"]), "files": _files(rows, task["task"], version)}
        for task in rows.tasks
    ]
    yield Entry("tasks.json", [_json(tasks)])
    for task in rows.tasks:
        name = file_of(task["task"])
        yield Entry(f"events/{name}.jsonl", _event_lines(rows, task["task"]))
        index: list[tuple[int, int, int]] = []
        yield Entry(f"log/{name}.bin", _log_pieces(rows, task["task"], index))
        yield Entry(f"log/{name}.json", [_json(index)])
    yield Entry("samples.jsonl", _sample_lines(rows, version))
    yield Entry("marks.jsonl", map(_line, rows.part("marks")))
    note = {"note": remark.note, "tags": list(remark.tags), "files": dict(remark.files)}
    yield Entry(REMARK, [_json(note)])


def content_hash(hashes: dict[str, str]) -> str:
    """One hash for a run's content; what its user says of it is not part of it."""
    lines = [f"{digest}  {name}\n" for name, digest in sorted(hashes.items()) if name != REMARK]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def content_of(
    history: History, run_id: str, asked: Callable[[], None], version: int = VERSION
) -> str:
    """The content's hash of a run that the history has, as a bundle of ``version`` has it.

    ``asked`` may raise to end it.
    """
    hashes = {}
    with history.rows(run_id) as rows:
        for entry in entries(rows, history.remark(run_id), version):
            digest = hashlib.sha256()
            for piece in entry.pieces:
                asked()
                digest.update(piece)
            hashes[entry.name] = digest.hexdigest()
    return content_hash(hashes)


def file_of(task: str) -> str:
    """``worker:0`` as part of a file's name."""
    return str(TaskId.parse(task)).replace(":", "-")


def _files(rows: RunRows, task: str, version: int) -> list[tuple[object, ...]]:
    found = rows.part("files", task)
    if version < 2:
        return [row[:4] for row in found]
    return [(*row[:4], bytes(row[4]).hex()) for row in found]


def _sample_lines(rows: RunRows, version: int) -> Iterator[bytes]:
    for node, t, body, boot, tick in rows.part("samples"):
        newer = (boot, tick) if version >= 2 else ()
        yield _line((node, t, json.loads(body), *newer))


def _event_lines(rows: RunRows, task: str) -> Iterator[bytes]:
    piece = bytearray()
    for generation, offset, _seq, _attempt, _type, t, _step, body in rows.part("events", task):
        # A line may hold bytes that are no text: they come back as they were.
        line = bytes(body).decode("utf-8", "surrogateescape")
        piece += _line((generation, offset, t, line))
        if len(piece) > _CHUNK:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece)


def _log_pieces(rows: RunRows, task: str, index: list[tuple[int, int, int]]) -> Iterator[bytes]:
    for generation, offset, data in rows.part("log", task):
        index.append((generation, offset, len(data)))
        yield bytes(data)


def _json(data: object) -> bytes:
    return json.dumps(data, indent=1, allow_nan=False).encode("ascii") + b"\n"


def _line(data: object) -> bytes:
    return json.dumps(data, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"
