"""What the command palette offers: actions, pages, profiles, logs and runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gui.actions import SPECS, plain_text
from gui.enabling import WHY
from gui.language import LANGUAGES, language_title, tr
from gui.matching import Texts
from gui.rail import PAGES
from gui.runs_model import started_text
from gui.said import said
from gui.stop_control import WORDS
from gui.theme import MODES, mode_title
from gui.words import rail_states

if TYPE_CHECKING:
    from gui.window import MainWindow
    from remote.history import RunRow
    from trainer.spec import TaskId

_NOT_OFFERED = ("palette",)
_RUN_FIRST = tr("Launch a run, or open one from the Runs page.")


@dataclass(frozen=True)
class Entry:
    """One thing that can be done or gone to; ``why`` says why not now."""

    kind: str
    title: str
    do: Callable[[], object] = field(repr=False, compare=False)
    detail: str = ""
    keys: str = ""
    why: str = ""

    @property
    def text(self) -> str:
        """What is searched."""
        return f"{self.title} {self.kind} {self.detail}"


class Runs:
    """One entry for each run on record, to show it on the Runs page. May be made in any thread."""

    def __init__(self, window: MainWindow, rows: Iterable[RunRow]) -> None:
        self.entries = [
            Entry(
                tr("On record"),
                _run_title(row),
                partial(show_run, window, row.record.run_id),
                _about(row),
            )
            for row in rows
        ]
        self.texts = Texts([entry.text for entry in self.entries])


def window_entries(window: MainWindow) -> list[Entry]:
    """Everything but the runs on record; made anew each time, since reasons change."""
    return [
        *_actions(window),
        *_pages(window),
        *_recent(window),
        *_logs(window),
    ]


def show_run(window: MainWindow, run_id: str) -> None:
    """Choose a run on the Runs page, which may have to show others again for that."""
    from gui.runs_page import RunsPage

    page = window.page("runs")
    if isinstance(page, RunsPage):
        page.leave_compare()
        page.filter.clear()
        window.show_page("runs")
        page.load(run_id)


def show_log(window: MainWindow, task: TaskId) -> None:
    """Show the log of one task."""
    from gui.logs_page import LogsPage

    window.show_page("logs")
    page = window.page("logs")
    if isinstance(page, LogsPage):
        page.show_task(task)


def _actions(window: MainWindow) -> Iterator[Entry]:
    for name, spec in SPECS.items():
        action = window.actions_by_name[name]
        if name in _NOT_OFFERED:
            continue
        why = str(action.property(WHY) or "")
        keys = ", ".join(sequence.toString() for sequence in action.shortcuts())
        yield Entry(spec.group, plain_text(action.text()), action.trigger, spec.tip, keys, why)
    for depth, choice in window.stopping.choices.items():
        reason = "" if choice.isEnabled() else tr("No run can be stopped like this now.")
        words = WORDS[depth]
        yield Entry(tr("Run"), words.button, choice.trigger, words.what, why=reason)
    for mode in MODES:
        yield Entry(tr("View"), mode_title(mode), partial(window.choose_theme, mode))
    for language in LANGUAGES:
        choose = partial(window.choose_language, language)
        yield Entry(tr("Language"), language_title(language), choose)


def _pages(window: MainWindow) -> Iterator[Entry]:
    states = rail_states(window.controller)
    for number, (key, title) in enumerate(PAGES, start=1):
        usable = window.rail.buttons[key].isEnabled()
        why = "" if usable else tr("Open a profile first.")
        show = partial(window.show_page, key)
        yield Entry(tr("Page"), title, show, states.get(key, ""), f"Ctrl+{number}", why)


def _recent(window: MainWindow) -> Iterator[Entry]:
    for path in window.settings.recent():
        yield Entry(tr("Profile"), Path(path).stem, partial(window.open_profile, path), path)


def _logs(window: MainWindow) -> Iterator[Entry]:
    run = window.controller.models.run
    if run is None:
        yield Entry(
            tr("Log"), tr("Logs of the tasks"), partial(window.show_page, "logs"), why=_RUN_FIRST
        )
        return
    for task in sorted({*run.tasks, *run.logs}):
        update = run.tasks.get(task)
        where = (
            tr("{state} on {node}", state=said(update.state), node=update.node)
            if update is not None
            else ""
        )
        yield Entry(
            tr("Log"), tr("Log of {task}", task=task), partial(show_log, window, task), where
        )


def _run_title(row: RunRow) -> str:
    record = row.record
    return f"{record.name} · {record.run_id}" if record.name else record.run_id


def _about(row: RunRow) -> str:
    record, remark = row.record, row.remark
    tags = ", ".join(remark.tags)
    parts = (said(record.state), row.model, started_text(record.started_at), tags, remark.note)
    return " · ".join(" ".join(part.split()) for part in parts if part)
