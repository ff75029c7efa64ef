"""``clew export``: a recorded run as tables, or as a picture of its charts."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from remote.cli.environment import GOOD, WRONG_INPUT, Environment
from remote.cli.view import JsonView
from remote.errors import ClewError
from remote.history import History
from remote.session import replay
from remote.updates import RateUpdate

_RENDER_LIMIT_S = 120.0


def export(env: Environment) -> int:
    """Write what the arguments ask for."""
    arguments = env.arguments
    if arguments.csv is None and arguments.png is None:
        env.view.say("Say what to write: --csv DIR, or --png FILE.")
        return WRONG_INPUT
    run_id = env.history.find(arguments.run).run_id
    written: list[Path] = []
    if arguments.csv is not None:
        written += write_tables(env.history, run_id, arguments.csv)
    if arguments.png is not None:
        written.append(render(run_id, arguments.png))
    for path in written:
        if isinstance(env.view, JsonView):
            env.view.write({"type": "file", "run": run_id, "path": str(path)})
        else:
            print(path)
    if isinstance(env.view, JsonView):
        env.view.write({"type": "result", "run": run_id, "state": "ok"})
    return GOOD


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


def render(run_id: str, target: Path) -> Path:
    """Draw the run's charts to a PNG, in a process of its own: only that one needs Qt.

    Raises:
        ClewError: it could not be drawn.
    """
    command = [sys.executable, "-m", "gui.render", "--run", run_id, "--out", str(target.absolute())]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_RENDER_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ClewError(f"the charts could not be drawn: {error}") from None
    if done.returncode or not target.exists():
        words = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise ClewError(f"the charts could not be drawn: {words[-1]}")
    return target


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
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t"):
        return f"'{value}"
    return value
