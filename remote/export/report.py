"""A run as one HTML file that needs nothing else: to read, to print, to send."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path

from remote.export.atomic import write_text_whole
from remote.export.curves import Curves, load_curves
from remote.export.details import RunDetails, load_details
from remote.export.redact import without_secrets
from remote.export.report_style import STYLE
from remote.export.svg import Curve, legend, line_chart, number_words
from remote.history import History
from remote.wording import elapsed_words

_NOTHING = "–"
_SHOWN_MARKS = 200


def write_report(
    history: History, run_id: str, target: Path, cancelled: Callable[[], bool] = lambda: False
) -> Path:
    """Write the report of a run, whole or not at all.

    Raises:
        HistoryError: there is no such run, or it cannot be read.
        ClewError: the file cannot be written.
        Cancelled: ``cancelled`` said so.
    """
    details = load_details(history, run_id)
    curves = load_curves(history, run_id, details.record.started_at, cancelled)
    return write_text_whole(target, report_html(details, curves))


def report_html(details: RunDetails, curves: Curves) -> str:
    """The whole page. Every text of the run is escaped; no script, nothing from elsewhere."""
    record = details.record
    title = escape(f"{record.name or 'Run'} · {record.run_id}")
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head><body><main>",
        _head(details),
        _failure(details),
        _numbers(details),
        _charts(curves, details.elapsed_s or 0.0),
        _settings(details),
        _tasks(details),
        _events(details),
        _profile(details),
        f"<footer>Written by Clew on {_moment(time.time())}.</footer></main></body></html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _head(details: RunDetails) -> str:
    record, remark = details.record, details.remark
    tags = "".join(f'<span class="tag">{escape(tag)}</span>' for tag in remark.tags)
    note = f'<p class="note">{escape(remark.note)}</p>' if remark.note else ""
    ended = f" to {_moment(record.ended_at)}" if record.ended_at is not None else ""
    what = " · ".join(w for w in (details.model, details.shape, f"{len(details.nodes)} nodes") if w)
    name = f"<bdi>{escape(record.name)}</bdi>" if record.name else "Run"
    return (
        f'<header><h1>{name} <span class="state {escape(record.state)}">{escape(record.state)}'
        f"</span></h1><p class='muted'>{escape(record.run_id)} · {_moment(record.started_at)}"
        f"{ended}</p><p class='muted'>{escape(what)}</p>{tags}{note}</header>"
    )


def _failure(details: RunDetails) -> str:
    if not details.first_failure:
        return ""
    return (
        f'<section class="failure"><h2>What went wrong first</h2>'
        f"<p>{escape(details.first_failure)}</p></section>"
    )


def number_rows(details: RunDetails) -> list[tuple[str, str]]:
    """The final numbers of a run, in the words that every view of runs uses."""
    result = details.record.result
    elapsed = details.elapsed_s
    first = result.time_to_first_step_s if result else None
    rate = result.examples_per_second if result else None
    accuracy = result.accuracy if result else None
    return [
        ("Steps", _NOTHING if details.step is None else f"{details.step:,}"),
        ("Loss", _NOTHING if details.loss is None else number_words(details.loss)),
        ("Accuracy", _NOTHING if accuracy is None else f"{accuracy:.2%}"),
        ("Examples", _NOTHING if result is None else f"{result.examples:,}"),
        ("Examples/s", _NOTHING if rate is None else f"{rate:,.0f}"),
        ("To first step", _NOTHING if first is None else f"{first:.1f} s"),
        ("Elapsed", _NOTHING if elapsed is None else elapsed_words(elapsed)),
    ]


def _numbers(details: RunDetails) -> str:
    tiles = "".join(
        f"<div><span>{escape(name)}</span><b>{escape(text)}</b></div>"
        for name, text in number_rows(details)
    )
    return f'<section class="tiles">{tiles}</section>'


def _charts(curves: Curves, end: float) -> str:
    loss = [
        Curve("each step", curves.loss, "raw"),
        Curve("running mean", curves.mean, "main"),
        Curve("evaluation", curves.evals, "dots"),
    ]
    many = curves.not_finite
    note = f"{many:,} value{'s' if many != 1 else ''} not finite" if many else ""
    marks = curves.marks
    figures = [
        _figure("Loss", line_chart("Loss", loss, marks=marks, end=end), loss, note),
        _one("Accuracy", Curve("evaluation", [(x, 100 * y) for x, y in curves.accuracy], "main"),
             "%", end=end,
            dots=True),
        _one("Throughput", Curve("examples/s", curves.rate, "main"), "", end=end, zero=True),
        _one("GPU utilization", Curve("mean of all GPUs", curves.gpus, "main"), "%", end=end,
             zero=True),
    ]  # fmt: skip
    drawn = "".join(figures)
    if not drawn:
        return "<section><h2>Charts</h2><p class='muted'>No step is on record.</p></section>"
    return f"<section><h2>Charts over elapsed time</h2>{drawn}</section>"


def _one(
    name: str, curve: Curve, unit: str, *, end: float, zero: bool = False, dots: bool = False
) -> str:
    curves = [curve, curve._replace(style="dots", label="")] if dots else [curve]
    chart = line_chart(name, curves, unit=unit, from_zero=zero, end=end)
    return _figure(name, chart, [curve], "")


def _figure(name: str, chart: str, curves: Sequence[Curve], note: str) -> str:
    if not chart:
        return ""
    said = f'<span class="muted"> {escape(note)}</span>' if note else ""
    return (
        f"<figure><figcaption><b>{escape(name)}</b>{legend(curves)}{said}</figcaption>{chart}"
        "</figure>"
    )


def _settings(details: RunDetails) -> str:
    own = [s for s in details.settings if s.own]
    rest = [s for s in details.settings if not s.own]
    if not details.settings:
        return ""
    more = ""
    if rest:
        table = _table((), ((s.key, s.value) for s in rest))
        more = (
            f"<details><summary>{len(rest)} more, as they are by default</summary>{table}</details>"
        )
    chosen = (
        _table((), ((s.key, s.value) for s in own))
        if own
        else "<p class='muted'>All as by default.</p>"
    )
    return f"<section><h2>Settings</h2>{chosen}{more}{_files(details)}</section>"


def _files(details: RunDetails) -> str:
    names = {"app": "Trainer", "code": "Your code", "data": "Data set"}
    files = details.remark.files
    rows = [(names[kind], files[kind]) for kind in names if kind in files]
    return f"<h3>What went to the nodes, by its hash</h3>{_table((), rows)}" if rows else ""


def _tasks(details: RunDetails) -> str:
    rows = []
    for task in details.tasks:
        record = task.record
        gpus = str(len(record.gpus)) if record.gpus else _NOTHING
        state = f"{record.state}: {record.detail}" if record.detail else record.state
        rows.append((str(record.task), record.node, gpus, state, f"{record.attempt}"))
        for attempt in task.attempts if len(task.attempts) > 1 else ():
            began = "" if attempt.started_at is None else f"from {_clock(attempt.started_at)}: "
            ending = attempt.ending or "did not say how it ended"
            rows.append(("", "", "", f"{began}{ending}", f"start {attempt.number}"))
    if not rows:
        return ""
    return (
        "<section><h2>Tasks</h2>"
        + _table(("Task", "Node", "GPUs", "State", "Starts"), rows)
        + "</section>"
    )


def _events(details: RunDetails) -> str:
    said = [(n.t, n.level, str(n.task), n.text) for n in details.notices]
    marks = [(m.t, m.kind, str(m.task or ""), m.text) for m in details.marks]
    rows = sorted([*said, *marks[-_SHOWN_MARKS:]])
    if not rows:
        return ""
    start = details.record.started_at
    cells = ((elapsed_words(max(0.0, t - start)), kind, task, text) for t, kind, task, text in rows)
    table = _table(("At", "What", "Task", ""), cells)
    return f"<section><h2>What happened</h2>{table}</section>"


def _profile(details: RunDetails) -> str:
    if not details.record.profile:
        return ""
    text = escape(without_secrets(details.record.profile))
    return (
        f"<section><h2>Profile</h2><details><summary>As it was launched</summary>"
        f"<pre>{text}</pre></details></section>"
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td><bdi>{escape(cell)}</bdi></td>" for cell in row) + "</tr>"
        for row in rows
    )
    kind = "" if head else ' class="pairs"'
    return (
        f"<table{kind}>{f'<thead><tr>{top}</tr></thead>' if head else ''}<tbody>{body}</tbody>"
        "</table>"
    )


def _moment(t: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(t))


def _clock(t: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(t))
