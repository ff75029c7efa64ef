"""What is known of the chosen run: numbers and note, settings, tasks with their attempts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from gui.elided import ElidedLabel
from gui.language import localized, plural, tr
from gui.pages import plain
from gui.pairs import Pairs
from gui.said import said
from gui.texts import elapsed_text, value_text
from gui.theme import UNIT, scaled
from remote.wording import few, waits_words

if TYPE_CHECKING:
    from remote.export.details import RunDetails

NOTHING = "–"


class DetailsPanel(QFrame):
    """Three columns side by side; empty until :meth:`show_details`."""

    def __init__(self) -> None:
        super().__init__()
        self.title = ElidedLabel()
        self.title.setFont(scaled(self.title.font(), 1.0, bold=True))
        self.note = ElidedLabel()
        self.note.setProperty("tone", "muted")
        self.waits = plain("", wrap=True)
        self.waits.setProperty("tone", "warn")
        self.failure = plain("", wrap=True)
        self.failure.setProperty("tone", "error")
        self.failure.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.numbers = Pairs(tr("Numbers of the run"))
        self.settings = Pairs(tr("Settings of the run"))
        self.tasks = Pairs(tr("Tasks of the run"), (tr("Task"), tr("Node"), tr("State")))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT // 2)
        layout.addWidget(self.title)
        layout.addWidget(self.note)
        layout.addWidget(self.waits)
        layout.addWidget(self.failure)
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        for name, table, stretch in (
            (tr("Numbers"), self.numbers, 4),
            (tr("Settings that are not the default"), self.settings, 5),
            (tr("Tasks and their starts"), self.tasks, 7),
        ):
            row.addLayout(_titled(name, table), stretch)
        layout.addLayout(row, 1)
        self.setMinimumHeight(150)
        self.show_words("")

    def show_words(self, words: str) -> None:
        """Say something in place of a run's details."""
        self.title.setText(words)
        self.failure.hide()
        self.waits.hide()
        self.note.hide()
        for table in (self.numbers, self.settings, self.tasks):
            table.setRowCount(0)

    def show_details(self, details: RunDetails) -> None:
        """Show a run."""
        record = details.record
        name = f"  ·  {record.name}" if record.name else ""
        shape = "  ·  ".join(w for w in (details.model, details.shape) if w)
        self.title.setText(f"{record.run_id}{name}  ·  {shape}" if shape else record.run_id + name)
        words = (", ".join(details.remark.tags), details.remark.note)
        self.note.setText("  ·  ".join(word for word in words if word))
        self.note.setVisible(any(words))
        self.waits.setText(waiting_text(details))
        self.waits.setVisible(bool(self.waits.text()))
        self.failure.setText(details.first_failure)
        self.failure.setVisible(bool(details.first_failure))
        self.numbers.show_rows(_numbers(details))
        own = [(s.key, s.value) for s in details.settings if s.own]
        self.settings.show_rows(own or [("", tr("All as by default."))])
        rows, tones = _tasks(details)
        self.tasks.show_rows(rows, tones=tones)


def waiting_text(details: RunDetails) -> str:
    """What waits for nodes that are away; empty: nothing does."""
    words = []
    if details.stops_on:
        words.append(tr("It {waits}.", waits=said(waits_words(details.stops_on))))
    if details.missing_from:
        words.append(
            tr("Its last lines on {few} may not be here yet.", few=few(details.missing_from))
        )
    return " ".join(words)


def _titled(name: str, widget: QWidget) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(2)
    label = plain(name)
    label.setProperty("tone", "muted")
    label.setFont(scaled(label.font(), 0.9))
    column.addWidget(label)
    column.addWidget(widget, 1)
    return column


def number_rows(details: RunDetails) -> list[tuple[str, str]]:
    """The run's last numbers, with the names that tiles and tables have for them."""
    result = details.record.result
    accuracy = result.accuracy if result else None
    rate = result.examples_per_second if result else None
    first = result.time_to_first_step_s if result else None
    elapsed = details.elapsed_s
    return [
        (tr("State"), said(details.record.state)),
        (tr("Elapsed"), NOTHING if elapsed is None else elapsed_text(elapsed)),
        (tr("Steps"), NOTHING if details.step is None else localized(f"{details.step:,}")),
        (tr("Loss"), NOTHING if details.loss is None else value_text(details.loss)),
        (tr("Accuracy"), NOTHING if accuracy is None else localized(f"{accuracy:.2%}")),
        (tr("Examples/s"), NOTHING if rate is None else localized(f"{rate:,.0f}")),
        (tr("Examples"), NOTHING if result is None else localized(f"{result.examples:,}")),
        (tr("To first step"), NOTHING if first is None else localized(f"{first:.1f} s")),
    ]


def _numbers(details: RunDetails) -> list[tuple[str, str]]:
    record, remark = details.record, details.remark
    started = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record.started_at))
    rows = [*number_rows(details), (tr("Started"), started)]
    if record.ended_at is not None:
        ended = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record.ended_at))
        rows.append((tr("Ended"), ended))
    if remark.imported_at is not None:
        at = time.strftime("%Y-%m-%d %H:%M", time.localtime(remark.imported_at))
        rows.append((tr("Imported"), at))
    return rows


def _tasks(details: RunDetails) -> tuple[list[tuple[str, str, str]], list[str]]:
    rows, tones = [], []
    for task in details.tasks:
        record = task.record
        gpus = f" · {plural('{n} GPU', '{n} GPUs', len(record.gpus))}"
        node = record.node + (gpus if record.gpus else "")
        state = said(record.state) + (f": {said(record.detail)}" if record.detail else "")
        again = tr(", start {attempt}", attempt=record.attempt) if record.attempt > 1 else ""
        rows.append((str(record.task), node, f"{state}{again}"))
        tones.append("error" if record.state == "failed" else "text")
        for attempt in task.attempts if len(task.attempts) > 1 else ():
            at = ""
            if attempt.started_at is not None:
                at = tr(
                    "after {time}",
                    time=elapsed_text(attempt.started_at - details.record.started_at),
                )
            ending = said(attempt.ending) or tr("ended without a word")
            rows.append((tr("  start {number}", number=attempt.number), at, ending))
            tones.append("muted")
    return rows, tones
