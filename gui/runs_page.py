"""All runs of this account, from the history; any of them can be looked at again."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
)

from gui.background import run_in_background
from gui.controller import Controller
from gui.following import going_on
from gui.node_table import StateDelegate
from gui.pages import Page, muted
from gui.texts import elapsed_text, value_text
from remote.errors import ClewError

if TYPE_CHECKING:
    from remote.history import RunRecord, Standing

    Row = tuple[RunRecord, "Standing | None"]

_HEADERS = ("State", "Run", "Profile", "Started", "Took", "Steps", "Loss", "Accuracy", "Examples/s")
_PROFILE = 2
_RIGHT = frozenset({4, 5, 6, 7, 8})


class RunsPage(Page):
    """A table of runs, newest first."""

    def __init__(self, controller: Controller) -> None:
        super().__init__("Runs", "Every run that was started or followed here")
        self._controller = controller
        self._going_on: set[str] = set()
        self.table = QTableWidget(0, len(_HEADERS))
        self.empty = muted("No runs yet. Launch one, or try the practice cluster.")
        self.open_button = QPushButton("Open")
        self.attach_button = QPushButton("Follow live")
        self._build()

    def load(self) -> None:
        """Read the history anew, in the background."""
        history = self._controller.history

        def work() -> list[Row]:
            runs = history().runs()
            return [(r, history().standing(r.run_id) if going_on(r) else None) for r in runs]

        run_in_background(self._controller.bridge, work, self._show, self._failed, name="runs")

    def chosen(self) -> str:
        """The selected run's id; empty: none."""
        row = self.table.currentRow()
        item = self.table.item(row, 1) if row >= 0 else None
        return item.text() if item is not None else ""

    def _build(self) -> None:
        table = self.table
        table.setHorizontalHeaderLabels(_HEADERS)
        table.setShowGrid(False)
        table.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        table.setAccessibleName("Runs")
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(34)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setItemDelegateForColumn(0, StateDelegate(table))
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(_PROFILE, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(72)
        for column in _RIGHT:
            head = table.horizontalHeaderItem(column)
            if head is None:
                continue
            head.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        table.doubleClicked.connect(lambda *_: self._open())
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            enter = QShortcut(QKeySequence(key), table)
            enter.setContext(Qt.ShortcutContext.WidgetShortcut)
            enter.activated.connect(self._open)
        table.itemSelectionChanged.connect(self._show_buttons)
        self.open_button.clicked.connect(self._open)
        self.attach_button.clicked.connect(self._follow)
        refresh = QPushButton("Refresh")
        refresh.clicked.connect(self.load)
        for button in (refresh, self.attach_button, self.open_button):
            self.head.addWidget(button)
        self.body.addWidget(self.empty)
        self.body.addWidget(table, 1)
        self.body.addStretch(0)
        self._controller.changed.connect(self._show_buttons)
        self._show_buttons()
        self.table.hide()

    def _show(self, runs: list[Row]) -> None:
        self._going_on = {record.run_id for record, _ in runs if going_on(record)}
        self.empty.setVisible(not runs)
        self.table.setVisible(bool(runs))
        self.table.setRowCount(len(runs))
        for row, (record, standing) in enumerate(runs):
            for column, text in enumerate(run_texts(record, standing)):
                item = QTableWidgetItem(text)
                side = (
                    Qt.AlignmentFlag.AlignRight if column in _RIGHT else Qt.AlignmentFlag.AlignLeft
                )
                item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
                self.table.setItem(row, column, item)
        if runs and not self.chosen():
            self.table.selectRow(0)
        self._show_buttons()

    def _failed(self, error: ClewError) -> None:
        self._controller.notices.error(error)

    def _open(self) -> None:
        if self.chosen():
            self._controller.open_past_run(self.chosen())

    def _follow(self) -> None:
        if self.chosen():
            self._controller.follow_asked.emit(self.chosen())

    def _show_buttons(self) -> None:
        reason = ""
        if not self.chosen():
            reason = "Choose a run first."
        elif self._controller.run_active:
            reason = "A run is going on. Stop it first, or wait for its end."
        opening = self._controller.busy.startswith("Opening run")
        self.open_button.setText("Opening …" if opening else "Open")
        self.open_button.setEnabled(not reason and not opening)
        self.open_button.setToolTip(reason or "Show the run as it is on record")
        if not reason and self.chosen() not in self._going_on:
            reason = "This run has ended. Open shows it."
        self.attach_button.setEnabled(not reason)
        tip = "Open the run's profile, connect to its nodes and watch it"
        self.attach_button.setToolTip(reason or tip)


def run_texts(record: RunRecord, standing: Standing | None = None) -> tuple[str, ...]:
    """The cells of one run; times in this computer's zone, with its date.

    ``standing`` is how far a run that goes on had come when it was last heard of.
    """
    result = record.result
    end = standing.t if standing is not None else record.ended_at
    took = end - record.started_at if end is not None else None
    step = result.global_step if result else standing.step if standing else None
    loss = result.final_loss if result else standing.loss if standing else None

    def number(value: float | None, form: str) -> str:
        return "–" if value is None else format(value, form)

    return (
        record.state,
        record.run_id,
        record.name,
        datetime.fromtimestamp(record.started_at).strftime("%Y-%m-%d %H:%M"),
        "–" if took is None else elapsed_text(max(0.0, took)),
        number(step, ",d"),
        "–" if loss is None else value_text(loss),
        number(result.accuracy if result else None, ".2%"),
        number(result.examples_per_second if result else None, ",.0f"),
    )
