"""The form of a Slurm cluster on the Cluster page, and what the cluster has to give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from gui.background import run_in_background
from gui.controller import Controller
from gui.fields import Field, FieldInfo
from gui.language import tr
from gui.pages import muted, plain, set_tone
from gui.partition_table import PartitionTable
from gui.slurm_data import ISSUES, changed, field_issues, value_of
from gui.slurm_fields import CARDS
from gui.theme import UNIT, scaled
from remote.errors import ClewError

if TYPE_CHECKING:
    from remote.link import SlurmLook
    from remote.session import ClusterSession


class SlurmForm(QFrame):
    """Edits ``cluster.slurm``; hidden for a profile that names its nodes."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._controller = controller
        self._asked: ClusterSession | None = None
        self.look: SlurmLook | None = None
        self.fields = {info.key: Field(info) for _, infos in CARDS for info in infos}
        self.partitions = PartitionTable()
        self.state = plain("", wrap=True)
        self.fit = plain("", wrap=True)
        self.ask_button = QPushButton(tr("Ask Slurm again"))
        self.setObjectName("card")
        self._build()
        controller.document.changed.connect(self._document_changed)
        self._document_changed()

    def refresh(self) -> None:
        """At each tick: ask Slurm once the login has answered."""
        controller = self._controller
        session = controller.session
        if session is None or self.isHidden():
            self._asked = None
        elif session is not self._asked and self._login_ready():
            self.ask()
        self._show_state()

    def ask(self) -> None:
        """Read the partitions, in the background."""
        session = self._asked = self._controller.session
        if session is None:
            return
        slurm = session.profile.cluster.slurm
        if slurm is None:
            return
        node, setup = session.nodes[slurm.login.name], session.profile.environment.setup
        self.state.setText(tr("Asking Slurm about its partitions …"))

        def work() -> SlurmLook:
            return node.link().slurm.look(setup)

        def done(look: SlurmLook) -> None:
            if isValid(self):
                self.show_look(look)

        def failed(error: ClewError) -> None:
            if isValid(self):
                self._say(self.state, f"{error.what}. {error.remedy}".strip(), "warn")

        run_in_background(self._controller.bridge, work, done, failed, name="ask Slurm")

    def show_look(self, look: SlurmLook) -> None:
        """Offer what the cluster has."""
        self.look = look
        name = tr(", cluster {cluster}", cluster=look.cluster) if look.cluster else ""
        self._say(self.state, tr("Slurm {version}{name}", version=look.version, name=name), "muted")
        self.partitions.show_partitions(look.partitions)
        self._offer("partition", [one.name for one in look.partitions])
        kinds = {kind for one in look.partitions for kind in one.gpus if kind}
        self._offer("gpu_type", sorted(kinds))
        self._document_changed()

    def focus_login(self) -> None:
        """Start typing where one logs in."""
        self.fields["login.host"].input.setFocus()

    def _offer(self, key: str, choices: list[str]) -> None:
        """Choices of an open field; what was typed there stays, and nothing is edited."""
        box = self.fields[key].input
        assert isinstance(box, QComboBox)
        text = box.currentText()
        box.blockSignals(True)
        box.clear()
        box.addItems(["", *choices])
        box.setEditText(text)
        box.blockSignals(False)

    def _login_ready(self) -> bool:
        states = self._controller.models.nodes.nodes
        names = [node.name for node in self._controller.document.logins]
        return bool(names) and all(n in states and states[n].state == "ready" for n in names)

    def _edited(self, key: str) -> None:
        document = self._controller.document
        slurm = document.slurm
        if slurm is not None and not self._filling:
            text = self.fields[key].raw()
            document.set_slurm(changed(slurm, key, text), f"slurm {key}")

    def _take_partition(self, name: str) -> None:
        document = self._controller.document
        slurm = document.slurm
        if slurm is not None and not document.read_only:
            document.seal()
            document.set_slurm(changed(slurm, "partition", name), "slurm partition")
            document.seal()

    def _document_changed(self) -> None:
        document = self._controller.document
        slurm = document.slurm
        self.setVisible(slurm is not None)
        if slurm is None:
            return
        self._filling = True
        for key, field in self.fields.items():
            field.show_value(value_of(slurm, key))
        self._filling = False
        problems = field_issues(document.issues_under(ISSUES))
        for key, field in self.fields.items():
            field.show_problem(problems.get(key, ""))
            field.setEnabled(not document.read_only)
        self.partitions.show_chosen(str(slurm.get("partition") or ""))
        self._show_fit()

    def _show_fit(self) -> None:
        """Whether the partition has what is asked for."""
        profile = self._controller.document.connectable
        slurm = profile.cluster.slurm if profile is not None else None
        if self.look is None or slurm is None:
            self.fit.hide()
            return
        from remote.preflight import queue_findings

        found = queue_findings(self.look, slurm)[1:]
        bad = [f"{one.what}. {one.remedy}".strip() for one in found if one.level != "ok"]
        self._say(self.fit, "\n".join(bad or [one.what for one in found]), "warn" if bad else "ok")

    def _show_state(self) -> None:
        connected = self._controller.session is not None
        self.ask_button.setVisible(connected and self._login_ready())
        self.partitions.setVisible(self.look is not None)
        if not connected and self.look is None:
            words = tr("Connect to the login node to see partitions, limits and free GPUs.")
            self._say(self.state, words, "muted")

    def _say(self, label: QLabel, text: str, tone: str) -> None:
        if label.text() != text:
            label.setText(text)
        set_tone(label, tone)
        label.setVisible(bool(text))

    def _build(self) -> None:
        self._filling = False
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(UNIT)
        head = QHBoxLayout()
        name = plain(tr("Slurm job"))
        name.setFont(scaled(name.font(), 1.05, bold=True))
        head.addWidget(name)
        head.addWidget(self.state, 1)
        self.ask_button.setProperty("kind", "quiet")
        self.ask_button.clicked.connect(self.ask)
        head.addWidget(self.ask_button)
        layout.addLayout(head)
        layout.addWidget(self.partitions)
        layout.addWidget(self.fit)
        columns = QHBoxLayout()
        columns.setSpacing(3 * UNIT)
        for title, infos in CARDS:
            columns.addWidget(self._column(title, infos), 1)
        layout.addLayout(columns)
        self.partitions.wanted.connect(self._take_partition)
        for key, field in self.fields.items():
            field.edited.connect(lambda k=key: self._edited(k))
            field.committed.connect(self._controller.document.seal)

    def _column(self, title: str, infos: tuple[FieldInfo, ...]) -> QWidget:
        place = QWidget()
        grid = QGridLayout(place)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(0, 1)
        grid.addWidget(muted(title), 0, 0)
        for row, info in enumerate(infos):
            label = QLabel(info.label)
            label.setBuddy(self.fields[info.key].input)
            grid.addWidget(label, 2 * row + 1, 0)
            grid.addWidget(self.fields[info.key], 2 * row + 2, 0, Qt.AlignmentFlag.AlignTop)
        grid.setRowStretch(2 * len(infos) + 1, 1)
        return place
