"""Recorded runs as a table and as JSON objects."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from rich.table import Table
from rich.text import Text

from remote.cli.text import moment, number, plain, state_text
from remote.cli.view import Terminal
from remote.history import Remark, RunRecord
from remote.history.overview import elapsed_s
from remote.updates import ResultUpdate
from remote.wording import elapsed_words, waits_words

_TITLES = ("run", "name", "started", "state", "elapsed", "steps", "loss", "accuracy", "examples/s")


def print_table(
    records: Sequence[RunRecord],
    waiting: Mapping[str, Sequence[str]] = MappingProxyType({}),
    remarks: Mapping[str, Remark] = MappingProxyType({}),
    *,
    just_asked: bool = False,
) -> None:
    """The runs as a table on standard output.

    ``waiting``: for a run the nodes on which it stops when they are heard again. ``just_asked``:
    the states are what the nodes say now.
    """
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in _TITLES:
        table.add_column(title, no_wrap=True)
    tagged = any(remark.tags for remark in remarks.values())
    if tagged:
        table.add_column("tags", overflow="fold")
    if any(_why(record.result) for record in records):
        table.add_column("reason", overflow="fold")
    for record in records:
        *cells, why = _row(record, waiting.get(record.run_id, ()), just_asked)
        if tagged:
            cells.append(", ".join(remarks.get(record.run_id, Remark()).tags))
        cells = [*cells, why][: len(table.columns)]
        table.add_row(*(Text(plain(cell)) for cell in cells))
    width = None if sys.stdout.isatty() else 200
    Terminal(highlight=False, width=width).print(table)


def _row(record: RunRecord, waiting: Sequence[str], just_asked: bool) -> tuple[str, ...]:
    result = record.result
    state = record.state if just_asked else state_text(record)
    if waiting:
        state += f"; {waits_words(waiting)}"
    start = (record.run_id, record.name, moment(record.started_at), state)
    took = elapsed_s(record)
    if result is None:
        return (*start, "", "", "", "", "", "")
    accuracy = "–" if result.accuracy is None else f"{result.accuracy:.1%}"
    speed = number(result.examples_per_second)
    return (
        *start,
        "–" if took is None else elapsed_words(took),
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


def run_object(
    record: RunRecord, waiting: Sequence[str] = (), remark: Remark | None = None
) -> dict[str, object]:
    """A run as it is told with --json."""
    said = remark or Remark()
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
        "elapsed_s": elapsed_s(record),
        "reason": result.reason if result else "",
        "note": said.note,
        "tags": list(said.tags),
        "imported": said.imported_at is not None,
        "stops_when_heard": list(waiting),
    }
