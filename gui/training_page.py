"""The launch form, and beside it where each task would run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
)

from gui.controller import Controller
from gui.fitting import GivingWay
from gui.pages import Page, muted, plain, set_tone
from gui.specform import SpecForm
from gui.theme import UNIT, scaled
from remote.errors import PlanError

if TYPE_CHECKING:
    from remote.plan import Plan

_HEADERS = ("Task", "Node", "Address", "Devices")
_NODE = 1


class TrainingPage(Page):
    """Edits the profile's training; the plan follows every change while nodes are connected."""

    def __init__(self, controller: Controller) -> None:
        super().__init__("Training", "What to train, and where each task will run")
        self._controller = controller
        self.form = SpecForm()
        self.plan_table = QTableWidget(0, len(_HEADERS))
        self.plan_text = muted("")
        self.warnings = plain("", wrap=True)
        self.reason = plain("", wrap=True)
        self.launch_button = QPushButton("Launch")
        self._build()
        controller.document.changed.connect(self._document_changed)
        controller.changed.connect(self._show_plan)
        self._document_changed()

    def _build(self) -> None:
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(self.form)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setMinimumWidth(380)
        scroll.setAccessibleName("What to train")
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        row.addWidget(scroll, 6)
        row.addWidget(self._plan_card(), 5)
        self.body.addLayout(row, 1)
        self.form.edited.connect(self._edited)
        self.form.committed.connect(self._controller.document.seal)

    def _plan_card(self) -> QFrame:
        card = QFrame()
        card.setObjectName("card")
        card.setMinimumWidth(300)
        layout = QVBoxLayout(card)
        layout.setContentsMargins(16, 12, 16, 16)
        layout.setSpacing(UNIT)
        head = plain("Plan")
        head.setFont(scaled(head.font(), 1.05, bold=True))
        table = self.plan_table
        table.setHorizontalHeaderLabels(_HEADERS)
        table.setShowGrid(False)
        table.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(30)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setAccessibleName("Plan")
        table.horizontalHeader().setHighlightSections(False)
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        self.plan_columns = GivingWay(table, _NODE)
        table.horizontalHeader().setStretchLastSection(True)
        self.plan_text.setWordWrap(True)
        set_tone(self.warnings, "warn")
        set_tone(self.reason, "muted")
        self.launch_button.setProperty("kind", "primary")
        self.launch_button.setMinimumHeight(36)
        self.launch_button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.launch_button.clicked.connect(self._controller.launch)
        layout.addWidget(head)
        layout.addWidget(self.plan_text)
        layout.addWidget(table, 1)
        layout.addWidget(self.warnings)
        layout.addWidget(self.reason)
        layout.addWidget(self.launch_button)
        layout.addStretch(0)
        return card

    def _edited(self, key: str) -> None:
        self._controller.document.set_training(self.form.data(), f"training {key}")

    def _document_changed(self) -> None:
        document = self._controller.document
        self.form.show_data(document.training())
        self.form.setEnabled(document.is_open and not document.read_only)
        rest = self.form.show_problems(document.issues_under("training"))
        self.warnings.setText("\n".join(rest))
        self._show_plan()

    def _show_plan(self) -> None:
        reason = self._controller.why_not_launch()
        self.launch_button.setEnabled(not reason)
        self.reason.setText(reason)
        self.reason.setVisible(bool(reason))
        try:
            plan = self._controller.plan() if self._controller.document.profile else None
        except PlanError:
            plan = None  # the reason says why, once
        self.plan_text.setVisible(plan is None)
        self.plan_table.setVisible(plan is not None)
        if plan is None:
            self.plan_text.setText(self._no_plan())
            self.warnings.setVisible(bool(self.warnings.text()))
            return
        self._show_tasks(plan)

    def _no_plan(self) -> str:
        if self._controller.document.profile is None:
            return "The plan appears when the profile has no mistakes."
        if not self._controller.connected:
            return "The plan appears when the nodes are connected."
        return "The plan appears when all nodes are ready for it."

    def _show_tasks(self, plan: Plan) -> None:
        self.warnings.setText("\n".join(plan.warnings))
        self.warnings.setVisible(bool(plan.warnings))
        self.plan_table.setRowCount(len(plan.tasks))
        for row, task in enumerate(plan.tasks):
            gpus = ", ".join(f"GPU {gpu.index}" for gpu in task.gpus) or "CPU"
            place = f"{task.address}:{task.port}"
            for column, text in enumerate((str(task.task), task.node, place, gpus)):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                self.plan_table.setItem(row, column, item)
        self.plan_columns.fit()
