"""All runs of this account: find, look at, note, compare, export and delete them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QPushButton, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from gui.background import run_in_background
from gui.controller import Controller
from gui.deleting import Deleting
from gui.exporting import Exporting
from gui.language import tr
from gui.pages import Page, muted
from gui.run_details import DetailsPanel
from gui.runs_filter import RunsFilter
from gui.runs_menu import run_menu
from gui.runs_model import NOTE, RunsModel
from gui.runs_table import RunsTable
from gui.settings import Settings
from gui.theme import UNIT
from gui.window_place import remember_splitter
from gui.withdrawing import Withdrawing
from remote.errors import ClewError

if TYPE_CHECKING:
    from gui.compare_page import ComparePage
    from remote.export.details import RunDetails
    from remote.history import RunRow

DETAILS_MS = 120
"""A run is looked up when the selection has rested for so long."""
MOST_COMPARED = 8
SILENT_S = 7 * 86400.0
"""A run whose end was never heard of may be deleted when nothing was heard for so long."""
_SUBTITLE = tr("Every run that was started, followed or imported here")
_NO_RUNS = tr("No runs yet. Launch one, try the practice cluster, or import a run bundle.")
_NONE_FOUND = tr("No run is like this. Clear the filter to see all of them.")


class RunsPage(Page):
    """A table of runs, the newest first, and what is known of the chosen one."""

    def __init__(self, controller: Controller, settings: Settings | None = None) -> None:
        super().__init__(tr("Runs"), _SUBTITLE)
        self._controller = controller
        self._wanted = ""
        self._loaded = False
        self.model = RunsModel()
        self.filter = RunsFilter()
        self.table = RunsTable(self.model)
        self.details = DetailsPanel()
        self.deleting = Deleting(controller, self)
        self.exporting = Exporting(controller, self)
        self.withdrawing = Withdrawing(controller, self)
        self.compare: ComparePage | None = None
        self.empty = muted(_NO_RUNS)
        self.stack = QStackedWidget()
        self.open_button = QPushButton(tr("Open"))
        self.attach_button = QPushButton(tr("Follow live"))
        self.compare_button = QPushButton(tr("Compare"))
        self.delete_button = QPushButton(tr("Delete"))
        self.import_button = QPushButton(tr("Import…"))
        self.refresh_button = QPushButton(tr("Refresh"))
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(DETAILS_MS)
        self._build()
        if settings is not None:
            remember_splitter(self.splitter, settings, "runs")
        self._connect()
        self._show_buttons()

    # -- what is chosen ------------------------------------------------------------------------

    def load(self, choose: str = "") -> None:
        """Read the history anew, in the background; then choose a run, if one is named."""
        self._wanted = choose or self._wanted
        history = self._controller.history
        run_in_background(
            self._controller.bridge,
            lambda: history().overview(),
            self._show,
            self._controller.notices.error,
            name="runs",
        )

    def chosen(self) -> str:
        """The current run's id; empty: none."""
        row = self.model.row_at(self.table.currentIndex().row())
        return row.record.run_id if row is not None else ""

    def selected(self) -> list[str]:
        """All chosen runs, in the order of the table."""
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        found = (self.model.row_at(row) for row in rows)
        return [row.record.run_id for row in found if row is not None]

    # -- what can be done with them ------------------------------------------------------------

    def open_chosen(self) -> None:
        if self.chosen() and self.open_button.isEnabled():
            self._controller.open_past_run(self.chosen())

    def follow_chosen(self) -> None:
        if self.chosen():
            self._controller.follow_asked.emit(self.chosen())

    def compare_chosen(self) -> None:
        """Show the chosen runs beside each other."""
        from gui.compare_page import ComparePage

        if self.why_not_compare():
            return
        if self.compare is None:
            self.compare = ComparePage(self._controller)
            self.compare.left.connect(self.leave_compare)
            self.stack.addWidget(self.compare)
        self.compare.show_runs(self.selected())
        self.stack.setCurrentWidget(self.compare)
        self._show_head(False)

    def leave_compare(self) -> None:
        """Back to the table."""
        self.stack.setCurrentIndex(0)
        self._show_head(True)
        self.table.setFocus()

    def delete_chosen(self) -> None:
        if not self.why_not_delete():
            row = self.table.currentIndex().row()
            self.deleting.delete(self.selected())
            self.table.choose_row(min(row, self.model.rowCount() - 1))

    def export_chosen(self, kind: str) -> None:
        if self.chosen():
            self.exporting.ask(self.chosen(), kind)

    def why_not_compare(self) -> str:
        """Why the chosen runs cannot be compared; empty: they can."""
        count = len(self.selected())
        if count < 2:
            return tr("Choose two runs or more: Ctrl or Shift with a click or an arrow key.")
        return (
            tr("At most {most} runs at a time.", most=MOST_COMPARED)
            if count > MOST_COMPARED
            else ""
        )

    def why_not_delete(self) -> str:
        """Why the chosen runs cannot be deleted; empty: they can."""
        ids = self.selected()
        if not ids:
            return tr("Choose a run first.")
        run = self._controller.models.run
        shown = run.run_id if run is not None and self._controller.run_active else ""
        for run_id in ids:
            row = self.model.known(run_id)
            recent = row is not None and time.time() - row.last_heard < SILENT_S
            if run_id == shown or (row is not None and row.going_on and recent):
                return tr("Run {run_id} is going on: stop it first.", run_id=run_id)
        return ""

    # -- showing -------------------------------------------------------------------------------

    def _show(self, rows: list[RunRow]) -> None:
        wanted = self._wanted or self.chosen()
        kept = self.selected()
        self._wanted, self._loaded = "", True
        self.model.set_rows(rows)
        self._choose(kept if wanted in kept else [wanted])
        self._show_state()

    def _choose(self, run_ids: list[str]) -> None:
        places = [place for place in map(self.model.place_of, run_ids) if place >= 0]
        self.table.choose_rows(places or [0])

    def _filtered(self) -> None:
        kept = self.selected()
        self.model.set_filter(
            self.filter.text.text(), self.filter.state.currentData(), self.filter.since
        )
        self._choose(kept)
        self._show_state()

    def _hidden(self) -> None:
        kept = self.selected()
        self.model.hide(self.deleting.hidden)
        self._choose(kept)
        self._show_state()

    def _show_state(self) -> None:
        """The table, or why there is nothing in it."""
        total, shown = self.model.total, self.model.rowCount()
        self.empty.setText(_NONE_FOUND if total else _NO_RUNS)
        self.empty.setVisible(self._loaded and not shown)
        self.splitter.setVisible(bool(shown))
        self.filter.setVisible(bool(total))
        some = tr("{shown:,} of {total:,} runs", shown=shown, total=total)
        words = some if shown < total else tr("{total:,} runs", total=total)
        self.subtitle.setText(words if total > 1 else _SUBTITLE)
        self.table.fit()
        self._selection_changed()

    def _selection_changed(self) -> None:
        self._show_buttons()
        self._later.start()

    def _look_up(self) -> None:
        """Read what is known of the chosen run, in the background."""
        run_id, count = self.chosen(), len(self.selected())
        if not run_id:
            self.details.show_words("")
            return
        if count > 1:
            can = self.why_not_compare()
            self.details.show_words(
                tr(
                    "{count} runs chosen. {can}",
                    count=count,
                    can=can or tr("Compare shows them together."),
                )
            )
            return
        history = self._controller.history

        def work() -> RunDetails:
            from remote.export.details import load_details

            return load_details(history(), run_id)

        def done(details: RunDetails) -> None:
            if self.chosen() == run_id and len(self.selected()) == 1:
                self.details.show_details(details)

        def failed(error: ClewError) -> None:
            self.details.show_words(str(error))

        run_in_background(self._controller.bridge, work, done, failed, name="run details")

    def _edited(self, run_id: str, column: int, text: str) -> None:
        """Keep an edited note or tags in the history."""
        history = self._controller.history

        def work() -> None:
            if column == NOTE:
                history().set_note(run_id, text)
            else:
                history().set_tags(run_id, text.split(","))

        def failed(error: ClewError) -> None:
            self._controller.notices.error(error)
            self.load()

        run_in_background(
            self._controller.bridge, work, lambda _: self._later.start(), failed, name="note"
        )
        self.table.fit()

    def _show_buttons(self) -> None:
        reason = ""
        if not self.chosen():
            reason = tr("Choose a run first.")
        elif self._controller.run_active:
            reason = tr("A run is going on. Stop it first, or wait for its end.")
        opening = self._controller.busy.startswith(tr("Opening run"))
        self.open_button.setText(tr("Opening …") if opening else tr("Open"))
        tell(self.open_button, tr("Show the run as it is on record  (Enter)"), reason, busy=opening)
        row = self.model.known(self.chosen())
        if not reason and (row is None or not row.going_on):
            imported = row is not None and row.remark.imported_at is not None
            reason = tr("This run has ended. Open shows it.")
            if imported:
                reason = tr("This run was imported: it is not followed from here. Open shows it.")
        tip = tr("Open the run's profile, connect to its nodes and watch it")
        tell(self.attach_button, tip, reason)
        self.attach_button.setToolTip(reason or tip)
        tell(self.compare_button, tr("Show the chosen runs together  (C)"), self.why_not_compare())
        tell(self.delete_button, tr("Delete from this computer  (Del)"), self.why_not_delete())

    def _show_head(self, shown: bool) -> None:
        for widget in (self.heading, self.subtitle, *self._buttons()):
            widget.setVisible(shown)

    def _menu(self) -> None:
        menu = run_menu(self)
        menu.popup(self.table.menu_place())

    # -- building ------------------------------------------------------------------------------

    def _buttons(self) -> tuple[QPushButton, ...]:
        return (
            *(self.refresh_button, self.import_button, self.delete_button, self.compare_button),
            *(self.attach_button, self.open_button),
        )

    def _build(self) -> None:
        for button in self._buttons():
            self.head.addWidget(button)
        self.splitter = QSplitter()
        self.splitter.setOrientation(self.table.vertical)
        self.splitter.setHandleWidth(UNIT)
        self.splitter.addWidget(self.table)
        self.splitter.addWidget(self.details)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        column.addWidget(self.filter)
        column.addWidget(self.empty)
        column.addWidget(self.splitter, 1)
        column.addStretch(0)
        self.stack.addWidget(page)
        self.body.addWidget(self.stack, 1)
        for widget in (self.splitter, self.filter, self.empty):
            widget.hide()

    def _connect(self) -> None:
        table = self.table
        table.opened.connect(self.open_chosen)
        table.deleted.connect(self.delete_chosen)
        table.undone.connect(self.deleting.undo)
        table.compared.connect(self.compare_chosen)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.activated.connect(self.filter.text.setFocus)
        table.menu_asked.connect(self._menu)
        table.can_undo = lambda: self.deleting.can_undo
        table.selectionModel().selectionChanged.connect(lambda *_: self._selection_changed())
        self.model.edited.connect(self._edited)
        self.filter.changed.connect(self._filtered)
        self.deleting.changed.connect(self._hidden)
        self.deleting.gone.connect(self.model.remove)
        self.withdrawing.done.connect(lambda: self.load())
        self._later.timeout.connect(self._look_up)
        self._controller.changed.connect(self._show_buttons)
        self.open_button.clicked.connect(self.open_chosen)
        self.attach_button.clicked.connect(self.follow_chosen)
        self.compare_button.clicked.connect(self.compare_chosen)
        self.delete_button.clicked.connect(self.delete_chosen)
        self.import_button.clicked.connect(self._controller.bundle_asked)
        self.import_button.setToolTip(tr("Take a run bundle into the history"))
        self.refresh_button.clicked.connect(lambda: self.load())


def tell(button: QPushButton, tip: str, reason: str, *, busy: bool = False) -> None:
    """Enable a button, or say in its tooltip why it cannot be used."""
    button.setEnabled(not reason and not busy)
    button.setToolTip(reason or tip)
