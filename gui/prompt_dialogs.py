"""The dialogs of :mod:`gui.prompts`: unknown host keys, commands to run, passwords and codes.

They stay above their window and block nothing there: other nodes go on, and a running run can be
stopped before the question is answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Union, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui.language import tr
from gui.theme import mono_font, scaled

if TYPE_CHECKING:
    from remote.ssh.prompts import CommandQuestion, HostKeyQuestion, SecretQuestion

Question = Union["HostKeyQuestion", "CommandQuestion", "SecretQuestion"]


class QuestionDialog(QDialog):
    """A dialog about one or more questions; ``answers`` has one for each, when it was accepted."""

    def answers(self) -> list[object]:
        return [True]

    def _layout(self, heading: str) -> QVBoxLayout:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(_heading(heading))
        return layout

    def _careful_buttons(self, layout: QVBoxLayout, accept: str, reject: str) -> None:
        """Two buttons, of which the safe one is the default and has the keyboard."""
        buttons = QDialogButtonBox()
        self.accept_button = buttons.addButton(accept, QDialogButtonBox.ButtonRole.AcceptRole)
        self.reject_button = buttons.addButton(reject, QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
        self.accept_button.setAutoDefault(False)
        self.reject_button.setDefault(True)
        self.setTabOrder(self.reject_button, self.accept_button)
        self.reject_button.setFocus()


def make_dialog(questions: Sequence[Question], parent: QWidget | None) -> QuestionDialog:
    """The dialog for one question, or for several unknown hosts."""
    from remote.ssh.prompts import CommandQuestion, HostKeyQuestion

    question = questions[0]
    if len(questions) > 1:
        return HostKeysDialog(cast("Sequence[HostKeyQuestion]", questions), parent)
    if isinstance(question, HostKeyQuestion):
        return HostKeyDialog(question, parent)
    if isinstance(question, CommandQuestion):
        return CommandDialog(question, parent)
    return SecretDialog(question, parent)


_COMPARE = tr(
    "Compare the fingerprint with one from the machine's administrator, or from "
    "ssh-keygen -lf on the machine itself."
)


class HostKeyDialog(QuestionDialog):
    """Is this the right machine? The safe answer is the default."""

    def __init__(self, question: HostKeyQuestion, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Unknown host key of {node}", node=question.node))
        layout = self._layout(tr("Is this really {host}?", host=question.host))
        layout.addWidget(_plain(tr("Its key is not known yet. {compare}", compare=_COMPARE)))
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.addRow(tr("Node"), _plain(question.node))
        form.addRow(tr("Key type"), _plain(question.key_type))
        fingerprint = _plain(question.fingerprint)
        fingerprint.setFont(mono_font())
        fingerprint.setWordWrap(False)  # it is compared character by character
        fingerprint.setAccessibleName(tr("Fingerprint"))
        form.addRow(tr("Fingerprint"), fingerprint)
        form.addRow(tr("Stored in"), _plain(str(question.stored_in)))
        layout.addLayout(form)
        if question.note:
            layout.addWidget(_plain(question.note))
        self._careful_buttons(layout, tr("Trust and connect"), tr("Reject"))


class HostKeysDialog(QuestionDialog):
    """The same for several machines at once; a row that is not ticked is rejected."""

    def __init__(self, questions: Sequence[HostKeyQuestion], parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("{count} unknown host keys", count=len(questions)))
        layout = self._layout(tr("Are these really your {count} machines?", count=len(questions)))
        layout.addWidget(_plain(tr("Their keys are not known yet. {compare}", compare=_COMPARE)))
        self.rows = QTreeWidget()
        self.rows.setAccessibleName(tr("Unknown host keys"))
        self.rows.setHeaderLabels([tr("Node"), tr("Host"), tr("Key type"), tr("Fingerprint")])
        self.rows.setRootIsDecorated(False)
        for question in reversed(questions):
            words = [question.node, question.host, question.key_type, question.fingerprint]
            item = QTreeWidgetItem(words)
            self.rows.insertTopLevelItem(0, item)
            self.rows.setCurrentItem(item)
            item.setCheckState(0, Qt.CheckState.Checked)
            item.setFont(3, mono_font())
            item.setToolTip(0, f"{question.node}\n{question.note}".strip())
            item.setToolTip(1, question.host)
        self.rows.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.rows.setMinimumSize(840, 240)
        self._fit_names()
        layout.addWidget(self.rows, 1)
        for note in dict.fromkeys(question.note for question in questions if question.note):
            layout.addWidget(_plain(note))
        layout.addWidget(_plain(tr("Stored in {stored_in}", stored_in=questions[0].stored_in)))
        self._careful_buttons(layout, "", tr("Reject all"))
        self.rows.itemChanged.connect(self._count)
        self._count()

    def answers(self) -> list[object]:
        return list(self._ticked())

    def _fit_names(self) -> None:
        """Long names give way: the fingerprint is what is compared, character by character."""
        header = self.rows.header()
        for column in range(4):
            self.rows.resizeColumnToContents(column)
        for column, most in ((0, 190), (1, 150)):
            header.resizeSection(column, min(most, header.sectionSize(column)))

    def _ticked(self) -> list[bool]:
        items = (self.rows.topLevelItem(row) for row in range(self.rows.topLevelItemCount()))
        return [item is not None and item.checkState(0) is Qt.CheckState.Checked for item in items]

    def _count(self) -> None:
        count = sum(self._ticked())
        self.accept_button.setText(tr("Trust {count} and connect", count=count))
        self.accept_button.setEnabled(count > 0)


class CommandDialog(QuestionDialog):
    """May commands of the SSH configuration run on this computer?"""

    def __init__(self, question: CommandQuestion, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Commands in your SSH configuration"))
        layout = self._layout(tr("Run the commands in your SSH configuration?"))
        layout.addWidget(
            _plain(
                tr(
                    "{file} has conditions that a command on this computer decides. ssh "
                    "runs them whenever it connects. Without them, their blocks do not "
                    "apply here.",
                    file=question.file,
                )
            )
        )
        self.commands = QPlainTextEdit("\n".join(question.commands))
        self.commands.setReadOnly(True)
        self.commands.setFont(mono_font())
        self.commands.setAccessibleName(tr("Conditions with commands"))
        self.commands.setMinimumWidth(480)
        layout.addWidget(self.commands, 1)
        self._careful_buttons(layout, tr("Run them"), tr("Do not run them"))


class SecretDialog(QuestionDialog):
    """A password, a passphrase, or whatever the server asks for."""

    def __init__(self, question: SecretQuestion, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._question = question
        self.setWindowTitle(tr("Log in to {node}", node=question.node))
        layout = self._layout(f"{question.user}@{question.host}")
        if question.title:
            layout.addWidget(_plain(question.title))
        if question.attempt > 1:
            refused = _plain(tr("That was refused. Try again."))
            refused.setProperty("tone", "error")
            layout.addWidget(refused)
        layout.addWidget(_plain(question.text))
        self.field = QLineEdit()
        self.field.setAccessibleName(question.text)
        if not question.echo:
            self.field.setEchoMode(QLineEdit.EchoMode.Password)
        layout.addWidget(self.field)
        self.remember = QCheckBox(tr("Keep it in this computer's keyring"))
        self.remember.setVisible(question.can_remember or bool(question.cannot_remember))
        self.remember.setEnabled(question.can_remember)
        self.remember.setToolTip(question.cannot_remember)
        self.reuse = QCheckBox(tr("Also try it on the other nodes"))
        self.reuse.setChecked(True)
        self.reuse.setVisible(question.kind == "password")
        layout.addWidget(self.reuse)
        layout.addWidget(self.remember)
        if question.steps > 1:
            layout.addWidget(
                _plain(tr("Step {step} of {steps}", step=question.step, steps=question.steps))
            )
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
        self.field.setFocus()

    def answers(self) -> list[object]:
        from remote.ssh.prompts import Secret

        value = self.field.text()
        self.field.clear()
        remember = self.remember.isChecked() and self._question.can_remember
        return [Secret(value=value, remember=remember, reuse=self.reuse.isChecked())]


def _heading(text: str) -> QLabel:
    label = _plain(text)
    label.setFont(scaled(label.font(), 1.2, bold=True))
    return label


def _plain(text: str) -> QLabel:
    """A label that shows a server's words as they are, never as rich text."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setWordWrap(True)
    label.setMinimumWidth(320)
    return label
