"""The live page: the dashboard, or what to do to get something on it."""

from __future__ import annotations

from time import localtime, strftime

from PySide6.QtWidgets import QFrame, QHBoxLayout

from gui.chip import StateChip
from gui.controller import Controller
from gui.dashboard import Dashboard
from gui.pages import Page, Scrolled
from gui.theme import UNIT
from remote.updates import TaskUpdate


class LivePage(Page):
    """Tasks in one line, then the dashboard."""

    def __init__(self, controller: Controller) -> None:
        super().__init__("Live")
        self._controller = controller
        self.heading.hide()
        self.subtitle.hide()
        self.dashboard = Dashboard()
        self.tasks = TaskLine()
        self.body.setSpacing(UNIT)
        place = Scrolled()
        place.column.addWidget(self.dashboard, 1)
        self.body.addWidget(place, 1)
        self.dashboard.insert_row(self.tasks)
        self.dashboard.loss.mark_asked.connect(controller.log_asked)
        controller.run_shown.connect(self._show_run)
        self._show_run()

    def refresh(self, now: float) -> None:
        models = self._controller.models
        if self.dashboard.devices is not models.shown_devices:
            self._show_run()
        run = models.run
        self.tasks.show_tasks(list(run.tasks.values()) if run is not None else [])
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
        self._last: list[TaskUpdate] = []
        self._rest = StateChip()
        self._row.insertWidget(0, self._rest)
        self.hide()

    def show_tasks(self, tasks: list[TaskUpdate]) -> None:
        """Show the tasks in their order; beyond MOST, how many of each state the rest has."""
        tasks = sorted(tasks, key=lambda update: update.task)
        if tasks == self._last:
            return
        self._last = tasks
        self.setVisible(bool(tasks))
        shown = tasks[: self.MOST]
        while len(self._chips) < len(shown):
            chip = StateChip()
            self._chips.append(chip)
            self._row.insertWidget(len(self._chips) - 1, chip)
        for index, chip in enumerate(self._chips):
            chip.setVisible(index < len(shown))
            if index < len(shown):
                _fill(chip, shown[index])
        counts: dict[str, int] = {}
        for update in tasks[self.MOST :]:
            counts[update.state] = counts.get(update.state, 0) + 1
        words = ", ".join(f"{count} {state}" for state, count in counts.items())
        self._rest.set_state("unknown", f"and {words}" if words else "")


def _fill(chip: StateChip, update: TaskUpdate) -> None:
    state: str = update.state
    word = state
    if update.unknown_since is not None:
        state = "unknown"
        word = f"unknown since {strftime('%H:%M', localtime(update.unknown_since))}"
    again = f" (start {update.attempt})" if update.attempt > 1 else ""
    chip.set_state(state, f"{update.task} {word}{again}")
    detail = f": {update.detail}" if update.detail else ""
    chip.setToolTip(f"{update.task} on {update.node}{detail}")
