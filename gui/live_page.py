"""The live page: the dashboard, or what to do to get something on it."""

from __future__ import annotations

from collections.abc import Sequence
from time import localtime, strftime

from PySide6.QtWidgets import QFrame, QHBoxLayout

from gui.chip import StateChip
from gui.controller import Controller
from gui.dashboard import Dashboard
from gui.language import tr
from gui.pages import Page, Scrolled
from gui.queue_card import EmptyWords, QueueCard
from gui.run_model import RunModel
from gui.said import said
from gui.settings import Settings
from gui.theme import UNIT
from remote.updates import TaskUpdate
from trainer.spec import TaskId

LOOK_EVERY_S = 1.0
"""Whether some worker is slower than the others."""


class LivePage(Page):
    """Tasks in one line, then the dashboard."""

    def __init__(self, controller: Controller, settings: Settings) -> None:
        super().__init__(tr("Live"))
        self._controller = controller
        self.heading.hide()
        self.subtitle.hide()
        self.dashboard = Dashboard()
        self.tasks = TaskLine()
        self.queue = QueueCard()
        self._run: RunModel | None = None
        self._slow: list[TaskId] = []
        self._look_at = 0.0
        self.body.setSpacing(UNIT)
        place = Scrolled()
        place.column.addWidget(self.dashboard, 1)
        self.body.addWidget(place, 1)
        self.dashboard.insert_row(self.tasks)
        self.dashboard.insert_row(self.queue)
        self._empty = [EmptyWords(chart) for chart in self.dashboard.charts.values()]
        self.queue.cancel_button.clicked.connect(controller.stop_asked)
        self.dashboard.loss.mark_asked.connect(controller.log_asked)
        chooser = self.dashboard.chooser
        chooser.choose(settings.charts)
        chooser.changed.connect(lambda: setattr(settings, "charts", chooser.chosen))
        controller.run_shown.connect(self._show_run)
        self._show_run()

    def refresh(self, now: float) -> None:
        models = self._controller.models
        if self.dashboard.devices is not models.shown_devices:
            self._show_run()
        run = models.run
        if run is not self._run or now >= self._look_at:
            self._run, self._look_at = run, now + LOOK_EVERY_S
            self._slow = run.stragglers() if run is not None else []
        self.tasks.show_tasks(list(run.tasks.values()) if run is not None else [], self._slow)
        self.queue.show_run(run, now)
        for words in self._empty:
            words.show_run(run)
        self.dashboard.refresh(now)

    def _show_run(self) -> None:
        models = self._controller.models
        self.dashboard.show_models(models.run, models.shown_devices)


class TaskLine(QFrame):
    """Each task's state as a chip; the whole story in its tooltip."""

    MOST = 12

    def __init__(self) -> None:
        super().__init__()
        self._chips: list[StateChip] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(2, 0, 0, 0)
        self._row.setSpacing(16)
        self._row.addStretch(1)
        self._last: tuple[list[TaskUpdate], list[TaskId]] = ([], [])
        self._rest = StateChip()
        self._row.insertWidget(0, self._rest)
        self.hide()

    def show_tasks(self, tasks: list[TaskUpdate], slow: Sequence[TaskId] = ()) -> None:
        """Show the tasks in their order; beyond MOST, how many of each state the rest has.

        Those that are ``slow`` come first there, and are marked.
        """
        tasks = sorted(tasks, key=lambda update: (_place(update, slow, len(tasks)), update.task))
        if (tasks, list(slow)) == self._last:
            return
        self._last = tasks, list(slow)
        self.setVisible(bool(tasks))
        shown = tasks[: self.MOST]
        while len(self._chips) < len(shown):
            chip = StateChip()
            self._chips.append(chip)
            self._row.insertWidget(len(self._chips) - 1, chip)
        for index, chip in enumerate(self._chips):
            chip.setVisible(index < len(shown))
            if index < len(shown):
                _fill(chip, shown[index], shown[index].task in slow)
        counts: dict[str, int] = {}
        for update in tasks[self.MOST :]:
            counts[update.state] = counts.get(update.state, 0) + 1
        words = ", ".join(f"{count} {said(state)}" for state, count in counts.items())
        self._rest.set_state("unknown", tr("and {words}", words=words) if words else "")


def _place(update: TaskUpdate, slow: Sequence[TaskId], count: int) -> bool:
    """Only where not all tasks have a chip, the slow ones must not be among those without."""
    return count > TaskLine.MOST and update.task not in slow


def _fill(chip: StateChip, update: TaskUpdate, slow: bool) -> None:
    state: str = update.state
    word = said(state)

    if update.unknown_since is not None:
        state = "unknown"
        word = tr("unknown since {time}", time=strftime("%H:%M", localtime(update.unknown_since)))
    again = tr(" (start {attempt})", attempt=update.attempt) if update.attempt > 1 else ""
    slower = slow and state == "training"
    chip.set_state(state, f"{update.task} {tr('slow') if slower else word}{again}")
    detail = f": {said(update.detail)}" if update.detail else ""
    behind = tr(", slower than the other workers") if slower else ""
    chip.setToolTip(
        tr(
            "{task} on {node}{detail}{behind}",
            task=update.task,
            node=update.node,
            detail=detail,
            behind=behind,
        )
    )
