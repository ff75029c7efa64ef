"""The launch form, and beside it where each task would run."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QScrollArea

from gui.changes_dialog import ChangesButton
from gui.controller import Controller
from gui.language import tr
from gui.pages import Page
from gui.placing import Placing
from gui.plan_card import PlanCard
from gui.preset_menu import PresetButton
from gui.specform import SpecForm
from gui.theme import UNIT


class TrainingPage(Page):
    """Edits the profile's training; the plan follows every change while nodes are connected."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(tr("Training"), tr("What to train, and where each task will run"))
        self._controller = controller
        self.form = SpecForm()
        self.plan_card = PlanCard()
        self.board = self.plan_card.board
        self.launch_button = self.plan_card.launch_button
        self.placing = Placing(controller, self.plan_card)
        self.presets = PresetButton(controller)
        self.changes = ChangesButton(controller.document)
        self._rest: list[str] = []
        self._stale = True
        self._build()
        controller.document.changed.connect(self._document_changed)
        controller.changed.connect(self._show_plan)
        self._document_changed()

    def _build(self) -> None:
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(self.form)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setMinimumWidth(352)
        scroll.setAccessibleName(tr("What to train"))
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        row.addWidget(scroll, 5)
        row.addWidget(self.plan_card, 7)
        self.body.addLayout(row, 1)
        self.head.addWidget(self.changes)
        self.head.addWidget(self.presets)
        self.form.edited.connect(self._edited)
        self.form.committed.connect(self._controller.document.seal)
        self.launch_button.clicked.connect(self._controller.launch)

    def _edited(self, key: str) -> None:
        self._controller.document.set_training(self.form.data(), f"training {key}")

    def _document_changed(self) -> None:
        document = self._controller.document
        self.form.show_data(document.training())
        editable = document.is_open and not document.read_only
        self.form.setEnabled(editable)
        self.presets.setEnabled(editable)
        self._rest = self.form.show_problems(document.issues_under("training"))
        self._show_plan()

    def _show_plan(self) -> None:
        self._stale = not self.isVisible()
        if self._stale:
            return  # nobody sees it: the plan of many tasks takes its time
        reason = self._controller.why_not_launch()
        self.launch_button.setEnabled(not reason)
        warnings = self.placing.show_plan()
        impossible = self.placing.impossible
        self.plan_card.say([*self._rest, *warnings], reason, impossible=impossible)

    def refresh(self, now: float) -> None:
        """Show who is on the GPUs by now."""
        if self._stale:
            self._show_plan()
        self.placing.refresh()
