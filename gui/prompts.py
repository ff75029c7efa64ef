"""Questions of connections, asked in the window: host keys, passwords, codes.

A connection's thread calls :class:`WindowPrompter` and waits; the question is shown when the
window's thread comes round, one at a time, while other nodes go on. Closing answers every open
question with no, so that no thread waits for a window that is gone.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Union

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from gui.bridge import Bridge
from gui.theme import mono_font, scaled

if TYPE_CHECKING:
    from remote.ssh.prompts import HostKeyQuestion, Secret, SecretQuestion

Question = Union["HostKeyQuestion", "SecretQuestion"]


@dataclass(eq=False)
class _Waiting:
    """One question and the thread that waits for its answer."""

    question: Question
    answered: threading.Event = field(default_factory=threading.Event)
    answer: object = None

    def give(self, answer: object) -> None:
        self.answer = answer
        self.answered.set()


class WindowPrompter(QObject):
    """Implements ``remote.ssh.Prompter`` for a window."""

    asked = Signal()
    """A question was shown or answered: on the window's thread."""

    def __init__(self, bridge: Bridge, window: QWidget | None = None) -> None:
        super().__init__(window)
        self._bridge = bridge
        self._window = window
        self._lock = threading.Lock()
        self._queue: deque[_Waiting] = deque()
        self._shown: tuple[_Waiting, QDialog] | None = None
        self._closed = False

    @property
    def dialog(self) -> QDialog | None:
        """The dialog that is open now."""
        return self._shown[1] if self._shown else None

    @property
    def waiting(self) -> tuple[str, ...]:
        """The nodes that wait for an answer, the one that is shown first."""
        with self._lock:
            entries = list(self._queue)
        if self._shown is not None:
            entries.insert(0, self._shown[0])
        return tuple(dict.fromkeys(entry.question.node for entry in entries))

    def bring_up(self) -> None:
        """Put the open question before all other windows, with the keyboard in it."""
        if self._shown is not None:
            dialog = self._shown[1]
            dialog.setWindowState(dialog.windowState() & ~Qt.WindowState.WindowMinimized)
            dialog.show()
            dialog.raise_()
            dialog.activateWindow()

    def unknown_host(self, question: HostKeyQuestion) -> bool:
        """Blocks the calling thread until the user has answered; False when cancelled."""
        return self._ask(question) is True

    def secret(self, question: SecretQuestion) -> Secret | None:
        """Blocks the calling thread until the user has answered; None when cancelled."""
        from remote.ssh.prompts import Secret

        answer = self._ask(question)
        return answer if isinstance(answer, Secret) else None

    def cancel_all(self) -> None:
        """Answer everything that is open with no; new questions may still come."""
        with self._lock:
            waiting = list(self._queue)
            self._queue.clear()
        for entry in waiting:
            entry.give(None)
        if self._shown is not None:
            self._shown[1].reject()

    def close(self) -> None:
        """Answer everything, now and from now on, with no."""
        with self._lock:
            self._closed = True
        self.cancel_all()

    def _ask(self, question: Question) -> object:
        entry = _Waiting(question)
        with self._lock:
            if self._closed:
                return None
            self._queue.append(entry)
        self._bridge.later(self._show_next)
        entry.answered.wait()
        return entry.answer

    def _show_next(self) -> None:
        if self._shown is not None:
            return
        with self._lock:
            if not self._queue:
                return
            entry = self._queue.popleft()
        dialog = make_dialog(entry.question, self._window)
        self._shown = (entry, dialog)
        dialog.finished.connect(lambda _code: self._finished(entry, dialog))
        self.bring_up()
        self.asked.emit()

    def _finished(self, entry: _Waiting, dialog: HostKeyDialog | SecretDialog) -> None:
        self._shown = None
        entry.give(dialog.answer() if dialog.result() == QDialog.DialogCode.Accepted else None)
        dialog.deleteLater()
        self.asked.emit()
        self._show_next()


def make_dialog(question: Question, parent: QWidget | None) -> HostKeyDialog | SecretDialog:
    """The dialog for one question.

    It stays above ``parent``, its window, and blocks nothing there: other nodes go on, and a
    running run can be stopped before the question is answered.
    """
    from remote.ssh.prompts import HostKeyQuestion

    if isinstance(question, HostKeyQuestion):
        return HostKeyDialog(question, parent)
    return SecretDialog(question, parent)


class HostKeyDialog(QDialog):
    """Is this the right machine? The safe answer is the default."""

    def __init__(self, question: HostKeyQuestion, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Unknown host key of {question.node}")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(_heading(f"Is this really {question.host}?"))
        layout.addWidget(
            _plain(
                "Its key is not known yet. Compare the fingerprint with one from the machine's "
                "administrator, or from ssh-keygen -lf on the machine itself."
            )
        )
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.addRow("Node", _plain(question.node))
        form.addRow("Key type", _plain(question.key_type))
        fingerprint = _plain(question.fingerprint)
        fingerprint.setFont(mono_font())
        fingerprint.setWordWrap(False)  # it is compared character by character
        fingerprint.setAccessibleName("Fingerprint")
        form.addRow("Fingerprint", fingerprint)
        form.addRow("Stored in", _plain(str(question.stored_in)))
        layout.addLayout(form)
        if question.note:
            layout.addWidget(_plain(question.note))
        buttons = QDialogButtonBox()
        self.accept_button = buttons.addButton(
            "Trust and connect", QDialogButtonBox.ButtonRole.AcceptRole
        )
        self.reject_button = buttons.addButton("Reject", QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
        self.accept_button.setAutoDefault(False)
        self.reject_button.setDefault(True)
        self.setTabOrder(self.reject_button, self.accept_button)
        self.reject_button.setFocus()

    def answer(self) -> object:
        return True


class SecretDialog(QDialog):
    """A password, a passphrase, or whatever the server asks for."""

    def __init__(self, question: SecretQuestion, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._question = question
        self.setWindowTitle(f"Log in to {question.node}")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(_heading(f"{question.user}@{question.host}"))
        if question.title:
            layout.addWidget(_plain(question.title))
        if question.attempt > 1:
            refused = _plain("That was refused. Try again.")
            refused.setProperty("tone", "error")
            layout.addWidget(refused)
        layout.addWidget(_plain(question.text))
        self.field = QLineEdit()
        self.field.setAccessibleName(question.text)
        if not question.echo:
            self.field.setEchoMode(QLineEdit.EchoMode.Password)
        layout.addWidget(self.field)
        self.remember = QCheckBox("Keep it in this computer's keyring")
        self.remember.setVisible(question.can_remember or bool(question.cannot_remember))
        self.remember.setEnabled(question.can_remember)
        self.remember.setToolTip(question.cannot_remember)
        self.reuse = QCheckBox("Also try it on the other nodes")
        self.reuse.setChecked(True)
        self.reuse.setVisible(question.kind == "password")
        layout.addWidget(self.reuse)
        layout.addWidget(self.remember)
        if question.steps > 1:
            layout.addWidget(_plain(f"Step {question.step} of {question.steps}"))
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
        self.field.setFocus()

    def answer(self) -> object:
        from remote.ssh.prompts import Secret

        value = self.field.text()
        self.field.clear()
        return Secret(
            value=value,
            remember=self.remember.isChecked() and self._question.can_remember,
            reuse=self.reuse.isChecked(),
        )


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
