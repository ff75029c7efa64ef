"""A recorded run as CSV tables."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from remote.errors import ClewError
from remote.history import History
from remote.session import replay
from remote.updates import RateUpdate


def write_tables(history: History, run_id: str, folder: Path) -> list[Path]:
    """steps, rates, evals, marks, nodes and gpus as CSV; times are UTC epoch seconds."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [
            _write(folder / f"{name}.csv", columns, rows)
            for name, columns, rows in _tables(history, run_id)
        ]
    except OSError as error:
        raise ClewError(f"{error.filename or folder} cannot be written: {error.strerror}") from None


Table = tuple[str, Sequence[str], Iterable[Sequence[object]]]


def _tables(history: History, run_id: str) -> Iterable[Table]:
    steps = history.steps(run_id)
    yield (
        "steps",
        ("task", "step", "loss", "t"),
        (
            (task, step, loss, t)
            for task, series in steps.items()
            for step, loss, t in zip(series.steps, series.losses, series.times, strict=True)
        ),
    )
    rates = [u for u in replay(history, run_id) if isinstance(u, RateUpdate)]
    workers = sorted({task for rate in rates for task in rate.per_worker})
    yield (
        "rates",
        ("t", "examples_per_second", *map(str, workers)),
        ((r.t, r.total, *(r.per_worker.get(w, "") for w in workers)) for r in rates),
    )
    evals = history.evals(run_id)
    columns = ("step", "loss", "accuracy", "t")
    yield "evals", columns, ((e.step, e.loss, e.accuracy, e.t) for e in evals)
    marks = history.marks(run_id)
    yield (
        "marks",
        ("t", "kind", "task", "text"),
        ((m.t, m.kind, m.task or "", m.text) for m in marks),
    )
    samples = history.samples(run_id)
    yield (
        "nodes",
        ("node", "t", "cpu_percent", "memory_used_bytes", "memory_total_bytes"),
        ((s.node, s.t, s.cpu_percent, s.memory_used_bytes, s.memory_total_bytes) for s in samples),
    )
    yield (
        "gpus",
        (
            "node",
            "uuid",
            "index",
            "name",
            "t",
            "utilization_percent",
            "memory_used_bytes",
            "memory_total_bytes",
            "temperature_c",
            "power_watts",
        ),
        (
            (
                s.node,
                g.uuid,
                g.index,
                g.name,
                s.t,
                g.utilization_percent,
                g.memory_used_bytes,
                g.memory_total_bytes,
                g.temperature_c,
                g.power_watts,
            )
            for s in samples
            for g in s.gpus
        ),
    )


def _write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        # A text that begins like a formula would be one in a spreadsheet.
        writer.writerows([_cell(value) for value in row] for row in rows)
    return path


def _cell(value: object) -> object:
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return value
