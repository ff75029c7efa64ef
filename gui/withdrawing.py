"""Giving up nodes that are gone for good: nothing of a run waits for them any more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from gui.background import run_in_background
from gui.controller import Controller
from gui.language import tr
from gui.pages import muted, plain
from remote.wording import few, withdrawal_words

if TYPE_CHECKING:
    from gui.runs_page import RunsPage

_NOTHING = tr("Nothing of this run waits for a node that is away.")


class WithdrawDialog(QDialog):
    """Which of the nodes that a run waits for are given up; none at first."""

    def __init__(self, run_id: str, nodes: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Give up nodes"))
        self.setMinimumWidth(480)
        layout = QVBoxLayout(self)
        layout.addWidget(
            plain(tr("Which machines of run {run_id} are gone for good?", run_id=run_id), wrap=True)
        )
        self.boxes = [_box(node) for node in nodes]
        for box in self.boxes:
            box.toggled.connect(lambda _: self._show_buttons())
            layout.addWidget(box)
        words = muted(withdrawal_words(run_id))
        words.setWordWrap(True)
        layout.addWidget(words)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.give_up = self.buttons.addButton(
            tr("Give up"), QDialogButtonBox.ButtonRole.DestructiveRole
        )
        self.give_up.clicked.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        cancel = self.buttons.button(QDialogButtonBox.StandardButton.Cancel)
        cancel.setDefault(True)
        layout.addWidget(self.buttons)
        self._show_buttons()

    def chosen(self) -> list[str]:
        """The nodes to give up."""
        return [str(box.property("node")) for box in self.boxes if box.isChecked()]

    def _show_buttons(self) -> None:
        self.give_up.setEnabled(bool(self.chosen()))
        self.give_up.setToolTip("" if self.chosen() else tr("Tick a node first."))


class Withdrawing(QObject):
    """Asks, then withdraws. ``done`` when the runs are to be read anew."""

    done = Signal()

    def __init__(self, controller: Controller, page: RunsPage) -> None:
        super().__init__(page)
        self._controller = controller
        self._page = page
        self.dialog: WithdrawDialog | None = None
        """The one that is open."""

    def waits_for(self, run_id: str) -> list[str]:
        """The nodes that something of the run waits for."""
        row = self._page.model.known(run_id)
        return [] if row is None else list(dict.fromkeys([*row.waits_for, *row.lacks_from]))

    def why_not(self, run_id: str) -> str:
        """Why no node can be given up; empty: one can."""
        return "" if self.waits_for(run_id) else _NOTHING

    def ask(self, run_id: str) -> None:
        """Ask which nodes are gone for good; does not block."""
        self.dialog = dialog = WithdrawDialog(run_id, self.waits_for(run_id), self._page.window())
        dialog.accepted.connect(lambda: self.withdraw(run_id, dialog.chosen()))
        dialog.finished.connect(self._closed)
        dialog.open()

    def withdraw(self, run_id: str, nodes: list[str]) -> None:
        """Give these nodes up, in the background."""
        history = self._controller.history

        def work() -> None:
            from remote.session.withdrawing import withdraw

            withdraw(history(), run_id, nodes)

        def done(_: None) -> None:
            text = tr(
                "Run {run_id}: nothing waits for {few} any more.", run_id=run_id, few=few(nodes)
            )
            self._controller.notices.info(text)
            self.done.emit()

        run_in_background(
            self._controller.bridge, work, done, self._controller.notices.error, name="give up"
        )

    def _closed(self) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is not None:
            dialog.deleteLater()


def _box(node: str) -> QCheckBox:
    box = QCheckBox(node.replace("&", "&&"))  # else Qt takes it for a key
    box.setProperty("node", node)
    box.setAccessibleName(node)
    return box
