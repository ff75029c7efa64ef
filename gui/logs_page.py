"""The tasks' logs: one, some or all merged by time; searched, filtered, followed, saved."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
)

from gui.cause_card import CauseCard
from gui.controller import Controller
from gui.language import tr
from gui.log_model import LogModel, row_line
from gui.log_search import LogSearch
from gui.log_view import LogView
from gui.pages import Page, muted, set_tone
from gui.run_model import RunModel
from gui.theme import UNIT
from remote.logs import LineLevel
from remote.updates import Cause
from trainer.spec import TaskId

ALL = tr("all")
_LEVELS: tuple[tuple[str, LineLevel], ...] = (
    (tr("All lines"), "debug"),
    (tr("No debug lines"), "info"),
    (tr("Warnings and errors"), "warning"),
    (tr("Errors"), "error"),
)


class SearchField(QLineEdit):
    """``stepped`` by Return, to the next find, and with True by Shift+Return, to the one before."""

    stepped = Signal(bool)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.stepped.emit(bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        else:
            super().keyPressEvent(event)


class LogsPage(Page):
    """A list of tasks, and the log of those that are chosen."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(tr("Logs"), tr("What each task wrote to its standard output and error"))
        self._controller = controller
        self.tasks = QListWidget()
        self.model = LogModel(self)
        self.view = LogView(self.model)
        self.finder = LogSearch()
        self.search = SearchField()
        self.found = muted("")
        self.level = QComboBox()
        self.newest = QPushButton(tr("↓ Newest"))
        self.card = CauseCard()
        self.empty = muted(tr("Nothing yet. Logs appear here when a run is launched or opened."))
        self._run: RunModel | None = None
        self.model.listeners.append(self._rows_changed)
        self._build()

    def refresh(self, now: float) -> None:
        run = self._controller.models.run
        self.empty.setVisible(run is None or not run.logs)
        self.card.show_cause(run.cause if run is not None else None)
        if run is None:
            return
        if run is not self._run:
            self._run = run
            self.tasks.clear()
            self._list_tasks(list(run.logs))
            self._choose()
            self.view.follow(True)
        elif len(run.logs) + 1 != self.tasks.count():
            self._list_tasks(list(run.logs))
        self.model.refresh()
        self.view.settle()
        self._show_found()

    def chosen(self) -> frozenset[TaskId] | None:
        """The tasks whose logs are shown; None: all."""
        names = [item.text() for item in self.tasks.selectedItems()]
        if not names or ALL in names:
            return None
        return frozenset(TaskId.parse(name) for name in names)

    def show_task(self, task: TaskId) -> None:
        """Show the log of ``task`` alone, its newest line in sight."""
        self.refresh(0.0)
        for item in self.tasks.findItems(str(task), Qt.MatchFlag.MatchExactly):
            self.tasks.clearSelection()
            self.tasks.setCurrentItem(item)
            item.setSelected(True)
        self.view.follow(True)

    def show_line(self, task: TaskId, number: int) -> bool:
        """Go to a line of a task's log, counted from 0; False: it is not kept any more."""
        self._see_all_of(task)
        return self._go(self.model.position_of(task, number))

    def show_moment(self, t: float, task: TaskId | None = None) -> bool:
        """Go to what ``task``, or anybody, had written last at ``t``; False: there is nothing."""
        self._see_all_of(task)
        return self._go(self.model.position_at(t, task))

    def show_cause(self) -> None:
        """Go to the line that says why the run failed, or to that task's last one before it."""
        cause = self.card.cause
        if cause is None:
            return
        if cause.row is None or not self.show_line(cause.task, cause.row):
            self._show_words(cause)

    # -- building ------------------------------------------------------------------------------

    def _build(self) -> None:
        self._build_tasks()
        self._build_search()
        self.level.setAccessibleName(tr("Level"))
        self.level.addItems([text for text, _ in _LEVELS])
        self.level.currentIndexChanged.connect(lambda _: self._choose())
        self.newest.setToolTip(tr("Go to the newest line and keep it in sight  (End)"))
        self.newest.clicked.connect(lambda: self.view.follow(True))
        self.newest.setEnabled(False)
        self.view.following_changed.connect(lambda on: self.newest.setEnabled(not on))
        copy, save = QPushButton(tr("Copy")), QPushButton(tr("Save as…"))
        copy.setToolTip(tr("Copy the selected lines, or all that are shown  (Ctrl+C)"))
        copy.clicked.connect(self.view.copy)
        save.setToolTip(tr("Save the lines that are shown as a text file"))
        save.clicked.connect(self._ask_save)
        for widget in (self.level, self.newest, copy, save):
            self.head.addWidget(widget)
        self.card.asked.connect(self.show_cause)
        right = QVBoxLayout()
        right.setSpacing(UNIT)
        right.addLayout(self._search_row())
        right.addWidget(self.view, 1)
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        row.addWidget(self.tasks)
        row.addLayout(right, 1)
        self.body.addWidget(self.card)
        self.body.addWidget(self.empty)
        self.body.addLayout(row, 1)

    def _build_tasks(self) -> None:
        self.tasks.setFixedWidth(120)
        self.tasks.setAccessibleName(tr("Tasks"))
        self.tasks.setToolTip("Ctrl and Shift choose several")
        self.tasks.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.tasks.itemSelectionChanged.connect(self._choose)

    def _build_search(self) -> None:
        self.search.setPlaceholderText(tr("Search  (Ctrl+F)"))
        self.search.setAccessibleName(tr("Search the log"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._search)
        for keys, slot in (
            (QKeySequence.StandardKey.Find, self._focus_search),
            (QKeySequence("F3"), self.find_next),
            (QKeySequence("Shift+F3"), self.find_previous),
        ):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.activated.connect(slot)
        self.search.stepped.connect(lambda back: self.find_previous() if back else self.find_next())

    def _search_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        row.addWidget(self.search, 1)
        row.addWidget(self.found)
        self.found.setMinimumWidth(110)
        for text, tip, slot in (
            ("↑", tr("The find before this one  (Shift+F3)"), self.find_previous),
            ("↓", tr("The next find  (F3)"), self.find_next),
        ):
            button = QPushButton(text)
            button.setProperty("kind", "quiet")
            button.setToolTip(tip)
            button.setAccessibleName(tip.partition("  ")[0])
            button.clicked.connect(slot)
            row.addWidget(button)
        return row

    # -- what is shown -------------------------------------------------------------------------

    def _list_tasks(self, tasks: list[TaskId]) -> None:
        chosen = [item.text() for item in self.tasks.selectedItems()] or [ALL]
        self.tasks.blockSignals(True)
        self.tasks.clear()
        for name in [ALL, *map(str, sorted(tasks))]:
            item = QListWidgetItem(name)
            font = QFont(self.tasks.font())
            font.setBold(name == ALL)
            item.setFont(font)
            self.tasks.addItem(item)
            item.setSelected(name in chosen)
        self.tasks.blockSignals(False)

    def _choose(self) -> None:
        """Other tasks or levels are to be shown."""
        if self._run is not None:
            self.model.choose(self._run.logs, self.chosen(), _LEVELS[self.level.currentIndex()][1])
            self.view.delegate.current = -1
            self.view.settle()
            self._show_found()

    def _see_all_of(self, task: TaskId | None) -> None:
        """Take away what would hide a line of ``task``."""
        self.refresh(0.0)
        wanted = self.chosen()
        if task is None or (wanted is not None and task not in wanted):
            self.tasks.setCurrentRow(0)
        if self.level.currentIndex():
            self.level.setCurrentIndex(0)

    def _go(self, position: int | None) -> bool:
        if position is not None:
            self.view.show_position(position)
            self._show_found()
        return position is not None

    def _show_words(self, cause: Cause) -> None:
        """A sentence of Clew's own stands in the log as it is."""
        words = cause.text.partition(": ")[2][:80]
        self._see_all_of(cause.task)
        rows = self.model.rows
        said = (i for i in range(len(rows) - 1, -1, -1) if words in rows[i].text)
        position = next((i for i in said if rows[i].task == cause.task), None)
        if position is None:
            position = self.model.position_at(cause.t or 0.0, cause.task)
        self._go(position)

    # -- search --------------------------------------------------------------------------------

    def find_next(self) -> None:
        """Go to the next find, round the end."""
        self._go(self.finder.step(self._current(), back=False))

    def find_previous(self) -> None:
        """Go to the find before, round the beginning."""
        self._go(self.finder.step(self._current(), back=True))

    def _search(self, words: str) -> None:
        self.finder.set_words(words, self.model.rows)
        self.view.mark_words(self.finder.words)
        if self.finder.found:
            at = max(0, self._current())
            self._go(self.finder.step(at - 1, back=False))
        self._show_found()

    def _rows_changed(self, what: str | int) -> None:
        if what == "added":
            self.finder.extend(self.model.rows)
        elif isinstance(what, int):
            self.finder.dropped(what)
            self.view.delegate.current -= what
        else:
            self.finder.again(self.model.rows)

    def _show_found(self) -> None:
        text = self.finder.text(self._current())
        if text != self.found.text():
            self.found.setText(text)
            set_tone(self.found, "muted" if self.finder.found else "warn")

    def _current(self) -> int:
        """The row that was gone to last; before the first sight: what is at the top."""
        return self.view.delegate.current

    def _focus_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    # -- out -----------------------------------------------------------------------------------

    def save_to(self, path: Path) -> bool:
        """Write the rows that are shown as UTF-8 text; says so if that fails."""
        several = self.model.several
        try:
            with path.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
                for row in (*self.model.rows, *self.model.tails):
                    file.write(row_line(row, task=several) + "\n")
        except OSError as error:
            what = tr(
                "{path} cannot be written: {strerror}", path=path, strerror=error.strerror or error
            )
            self._controller.notices.error(what, tr("Choose another folder."))
            return False
        return True

    def _ask_save(self) -> None:
        name = f"{self._run.run_id if self._run is not None else 'clew'}.log.txt"
        path, _ = QFileDialog.getSaveFileName(
            self, tr("Save the log"), name, tr("Text (*.txt *.log)")
        )
        if path:
            self.save_to(Path(path))
