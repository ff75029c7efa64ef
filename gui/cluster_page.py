"""The cluster: its nodes, how they are, and what to do about those that are not well."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLabel,
    QMenu,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
)
from shiboken6 import isValid

from gui.all_nodes import AllNodesDialog
from gui.background import run_in_background
from gui.check_panel import CheckPanel
from gui.controller import Controller
from gui.fitting import LowTable
from gui.import_hosts import ImportDialog, read_hosts
from gui.language import plural, tr
from gui.node_columns import NodeColumns
from gui.node_model import progress_text, skew_text
from gui.node_table import HOST, STATE, CellDelegate, NodeTableModel, StateDelegate
from gui.pages import Page, Scrolled, muted, plain, set_tone
from gui.said import said
from gui.settings import Settings
from gui.slurm_data import NO_ADDING
from gui.slurm_form import SlurmForm
from gui.theme import UNIT, scaled

if TYPE_CHECKING:
    from remote.ssh import ConfigHosts

LEAST_HEIGHT = 150
"""Of the node table, in pixels: its header and three nodes."""


class ClusterPage(Page):
    """The node table with a card about the selected node."""

    def __init__(self, controller: Controller, settings: Settings) -> None:
        super().__init__(tr("Cluster"))
        self._controller, self._settings = controller, settings
        self.model = NodeTableModel(
            controller.document,
            lambda: controller.models.nodes,
            lambda: controller.prompter.waiting,
        )
        self.table = LowTable()
        self.empty = muted(
            tr(
                "No nodes yet. Add the first one: a host name or an alias of "
                "~/.ssh/config, or import several from there."
            )
        )
        self.add_button = QPushButton(tr("Add node"))
        self.import_button = QPushButton(tr("Import from SSH config…"))
        self.remove_button = QPushButton(tr("Remove"))
        self.all_button = QPushButton(tr("For all nodes…"))
        self.name, self.what = plain(""), plain("", wrap=True)
        self.remedy = plain("", wrap=True)
        self.facts = muted("")
        self.facts.setWordWrap(True)
        self.answer_button = QPushButton(tr("Answer…"))
        self.progress = QProgressBar()
        self.card = self._make_card()
        self.check = CheckPanel(controller)
        self.slurm = SlurmForm(controller)
        self.rest = Scrolled()
        self._shown_version: tuple[object, ...] = ()
        self._build()

    def refresh(self, now: float) -> None:
        self.slurm.refresh()
        was_opened = self.check.opened
        self.check.refresh()
        self.rest.column.setStretchFactor(self.check, 2 if self.check.opened else 0)
        if self.check.opened and not was_opened:
            QTimer.singleShot(0, self._reveal_check)  # once it has been laid out
        nodes = self._controller.models.nodes
        key = (nodes.version, int(now), self._controller.prompter.waiting)
        if key == self._shown_version:
            return
        self._shown_version = key
        self.subtitle.setText(self._summary())
        self.model.refresh()
        self._show_card()

    def _reveal_check(self) -> None:
        if isValid(self):
            self.rest.ensureWidgetVisible(self.check, 0, 0)

    def _summary(self) -> str:
        words = self._controller.models.nodes.summary()
        if self._controller.connected and self._controller.nodes_changed:
            words += tr(" · edited since: connect again")
        return words

    def _build(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setItemDelegate(CellDelegate(table))
        table.setItemDelegateForColumn(STATE, StateDelegate(table))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        table.setShowGrid(False)
        table.setMinimumHeight(LEAST_HEIGHT)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)  # Tab goes on to the next control, arrows stay inside
        table.setAccessibleName(tr("Nodes"))
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(34)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._menu)
        self.columns = NodeColumns(table, self.model, self._settings)
        table.selectionModel().selectionChanged.connect(lambda *_: self._show_card())
        self.add_button.clicked.connect(self.add_node)
        self.import_button.clicked.connect(self.import_hosts)
        self.remove_button.clicked.connect(self.remove_selected)
        self.all_button.setToolTip(tr("Python, user, key file and jump host of all nodes"))
        self.all_button.clicked.connect(self.edit_all)
        self.head.addWidget(self.add_button)
        self.head.addWidget(self.import_button)
        self.head.addWidget(self.all_button)
        self.head.addWidget(self.remove_button)
        self.body.addWidget(self.empty)
        column = self.rest.column
        column.addWidget(table, 1)
        column.addWidget(self.card)
        column.addWidget(self.slurm)
        column.addWidget(self.check)
        self.body.addWidget(self.rest, 1)
        self.model.modelReset.connect(self._rows_changed)
        self._controller.document.changed.connect(self._document_changed)
        self._rows_changed()
        self._document_changed()

    def _make_card(self) -> QFrame:
        card = QFrame()
        card.setObjectName("card")
        layout = QVBoxLayout(card)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(UNIT // 2)
        self.name.setFont(scaled(self.name.font(), 1.0, bold=True))
        self.what.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(tr("Progress on this node"))
        set_tone(self.remedy, "warn")
        for widget in (self.name, self.what, self.remedy, self.progress, self.facts):
            layout.addWidget(widget)
        self.answer_button.clicked.connect(self._controller.prompter.bring_up)
        layout.addWidget(self.answer_button, 0, Qt.AlignmentFlag.AlignLeft)
        return card

    def add_node(self) -> None:
        """Append a row and start typing its host."""
        row = self.model.add()
        index = self.model.index(row, HOST)
        self.table.setCurrentIndex(index)
        self.table.setFocus()
        self.table.edit(index)

    def import_hosts(self) -> ImportDialog:
        """Open the list of hosts that the SSH configuration names."""
        document, controller = self._controller.document, self._controller
        taken = {str(node.get("host", "")) for node in document.nodes()}
        dialog = ImportDialog(taken, self._add_hosts, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setModal(True)
        dialog.open()

        def show(found: tuple[ConfigHosts, str]) -> None:
            if isValid(dialog):  # it may have been closed meanwhile
                dialog.show_hosts(*found)

        run_in_background(
            controller.bridge, read_hosts, show, controller.notices.error, name="ssh config"
        )
        return dialog

    def edit_all(self) -> AllNodesDialog:
        """Open what holds for all nodes: their Python and how to log in."""
        dialog = AllNodesDialog(self._controller.document, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setModal(True)
        dialog.open()
        return dialog

    def _add_hosts(self, hosts: list[str]) -> None:
        document = self._controller.document
        if not document.is_open:
            document.new()
        nodes = [node for node in document.nodes() if any(node.values())]
        document.seal()
        document.set_nodes([*nodes, *({"host": host} for host in hosts)], "import hosts")
        document.seal()
        words = hosts[0] if len(hosts) == 1 else plural("{n} node", "{n} nodes", len(hosts))
        self._controller.offer_undo(tr("Added {words}.", words=words))

    def remove_selected(self) -> None:
        """Remove the selected rows and offer to bring them back."""
        rows = [index.row() for index in self.table.selectionModel().selectedRows()]
        if rows:
            names = self.model.remove(rows)
            words = names[0] if len(names) == 1 else plural("{n} node", "{n} nodes", len(names))
            self._controller.offer_undo(tr("Removed {words}.", words=words))

    def ssh_command(self, row: int) -> str:
        """What to type in a terminal to reach the node as the profile has it."""
        if self.model.is_lent(row):  # one may log in to a node of one's own job
            return f"{self.ssh_command(0)} -t ssh {shlex.quote(self.model.name(row))}"
        node = self._controller.document.nodes()[row]
        defaults = self._controller.document.data.get("ssh", {})
        parts = ["ssh"]
        for key, option in (
            ("port", "-p"),
            ("identity_file", "-i"),
            ("jump", "-J"),
            ("user", "-l"),
        ):
            value = node.get(key) or defaults.get(key)
            if value:
                parts += [option, str(value)]
        return shlex.join([*parts, "--", str(node.get("host", ""))])

    def _menu(self, at: QPoint) -> None:
        row = self.table.rowAt(at.y())
        menu = QMenu(self)
        if row >= 0:
            copy = menu.addAction(tr("Copy ssh command"))
            copy.triggered.connect(lambda: _copy(self.ssh_command(row)))
            message = self._message(row)
            say = menu.addAction(tr("Copy message"))
            say.setEnabled(bool(message))
            say.triggered.connect(lambda: _copy(message))
            menu.addSeparator()
        if self._controller.document.slurm is None:
            if row >= 0:
                menu.addAction(tr("Remove")).triggered.connect(self.remove_selected)
            menu.addAction(tr("Add node")).triggered.connect(self.add_node)
        menu.popup(self.table.viewport().mapToGlobal(at))

    def _message(self, row: int) -> str:
        status = self.model.status(row)
        if status is None or not status.update.detail:
            return ""
        return f"{self.model.name(row)}: {status.update.detail} {status.update.remedy}".strip()

    def _rows_changed(self) -> None:
        count = self.model.rowCount()
        self.empty.setVisible(count == 0)
        self.remove_button.setEnabled(count > 0 and self._controller.document.slurm is None)
        self._show_card()

    def _document_changed(self) -> None:
        self._shown_version = ()
        document = self._controller.document
        editable, is_slurm = not document.read_only, document.slurm is not None
        self.all_button.setEnabled(editable)
        self.remove_button.setEnabled(editable and self.model.rowCount() > 0 and not is_slurm)
        for button in (self.add_button, self.import_button):
            button.setEnabled(editable and not is_slurm)
        for button in (self.add_button, self.import_button, self.remove_button):
            button.setToolTip(NO_ADDING if is_slurm else "")

    def _row(self) -> int:
        """The selected row; without a selection, the first node that is not well."""
        selected = self.table.selectionModel().selectedRows()
        if selected:
            return int(selected[0].row())
        rows = range(self.model.rowCount())
        asking = [row for row in rows if self.model.waits(row)]
        unwell = asking or [row for row in rows if self.model.issue(row) or self._remedy(row)]
        return unwell[0] if unwell else (0 if rows else -1)

    def _remedy(self, row: int) -> str:
        status = self.model.status(row)
        return status.update.remedy if status is not None else ""

    def _show_card(self) -> None:
        row = self._row()
        status = self.model.status(row) if row >= 0 else None
        issue = self.model.issue(row) if row >= 0 else ""
        self.card.setVisible(row >= 0 and (status is not None or bool(issue)))
        self.name.setText(self.model.name(row) if row >= 0 else "")
        self.progress.hide()
        waits = row >= 0 and self.model.waits(row)
        self.answer_button.setVisible(waits)
        if waits:
            self._say(tr("This node is waiting for your answer."), "", "")
        elif issue:
            self._say(issue, "", "")
        elif status is not None:
            update = status.update
            default = (
                tr("Not connected.")
                if status.state == "disconnected"
                else said(status.state).capitalize()
            )
            detail = update.detail or default
            if status.progress is not None and status.progress.total > 0:
                self.progress.show()
                self.progress.setMaximum(1000)
                self.progress.setValue(status.progress.done * 1000 // status.progress.total)
                detail = progress_text(status.progress)
            self._say(detail, update.remedy, self._facts_text(row))

    def _say(self, what: str, remedy: str, facts: str) -> None:
        for label, text in (
            (self.what, said(what)),
            (self.remedy, said(remedy)),
            (self.facts, facts),
        ):
            _set(label, text)

    def _facts_text(self, row: int) -> str:
        status = self.model.status(row)
        facts = status.update.facts if status is not None else None
        if facts is None:
            return ""
        flow = f"TensorFlow {facts.tensorflow_version}" if facts.tensorflow_version else ""
        if facts.environment == "missing":
            flow = tr("environment not made yet")
        parts = [
            f"{facts.user}@{facts.hostname}",
            f"Python {facts.python_version}" if facts.python_version else "",
            flow,
            tr("{free:.0f} GiB free in {root}", free=facts.disk_free_bytes / 2**30, root=facts.root)
            if facts.root
            else "",
            facts.gpu_note if not facts.gpus else "",
            skew_text(facts.node, facts.clock_offset_s),
        ]
        return " · ".join(part for part in parts if part)


def _set(label: QLabel, text: str) -> None:
    if label.text() != text:
        label.setText(text)
    label.setVisible(bool(text))


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)
