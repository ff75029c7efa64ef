"""Recorded runs as a table and as JSON objects."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from rich.table import Table
from rich.text import Text

from remote.cli.text import moment, number, plain, state_text
from remote.cli.view import Terminal
from remote.history import RunRecord
from remote.updates import ResultUpdate


def print_table(
    records: Sequence[RunRecord], waiting: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> None:
    """The runs as a table on standard output.

    ``waiting``: for a run the nodes on which it stops when they are heard again.
    """
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("run", "name", "started", "state", "steps", "loss", "accuracy", "examples/s"):
        table.add_column(title, no_wrap=True)
    if any(_why(record.result) for record in records):
        table.add_column("reason", overflow="fold")
    for record in records:
        cells = _row(record, waiting.get(record.run_id, ()))[: len(table.columns)]
        table.add_row(*(Text(plain(cell)) for cell in cells))
    width = None if sys.stdout.isatty() else 200
    Terminal(highlight=False, width=width).print(table)


def _row(record: RunRecord, waiting: Sequence[str]) -> tuple[str, ...]:
    result = record.result
    state = state_text(record)
    if waiting:
        state += f"; stops when {', '.join(waiting)} is heard again"
    start = (record.run_id, record.name, moment(record.started_at), state)
    if result is None:
        return (*start, "", "", "", "", "")
    accuracy = "–" if result.accuracy is None else f"{result.accuracy:.1%}"
    speed = number(result.examples_per_second)
    return (
        *start,
        f"{result.global_step:,}",
        number(result.final_loss),
        accuracy,
        speed,
        _why(result),
    )


def _why(result: ResultUpdate | None) -> str:
    """The first line of why a run failed."""
    failed = result is not None and result.state == "failed"
    return result.reason.partition("\n")[0] if result is not None and failed else ""


def run_object(record: RunRecord, waiting: Sequence[str] = ()) -> dict[str, object]:
    """A run as it is told with --json."""
    result = record.result
    return {
        "type": "run",
        "run": record.run_id,
        "name": record.name,
        "state": record.state,
        "started_at": record.started_at,
        "ended_at": record.ended_at,
        "ended": result is not None,
        "profile_path": record.profile_path,
        "global_step": result.global_step if result else None,
        "final_loss": result.final_loss if result else None,
        "accuracy": result.accuracy if result else None,
        "examples_per_second": result.examples_per_second if result else None,
        "reason": result.reason if result else "",
        "stops_when_heard": list(waiting),
    }
