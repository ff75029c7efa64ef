"""Questions of connections, asked in the window: host keys, commands, passwords, codes.

A connection's thread calls :class:`WindowPrompter` and waits; the question is shown when the
window's thread comes round, one at a time, while other nodes go on. Unknown hosts that come
together are one question. Closing answers every open question with no, so that no thread waits for
a window that is gone.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QDialog, QWidget

from gui.bridge import Bridge
from gui.prompt_dialogs import Question, QuestionDialog, make_dialog

if TYPE_CHECKING:
    from remote.ssh.prompts import CommandQuestion, HostKeyQuestion, Secret, SecretQuestion

GATHER_MS = 300
"""So long the first unknown host waits for others, to be shown with them."""


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
        self._shown: tuple[list[_Waiting], QuestionDialog] | None = None
        self._gathering = QTimer(self, singleShot=True, interval=GATHER_MS)
        self._gathering.timeout.connect(self._show_hosts)
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
            entries[:0] = self._shown[0]
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

    def run_commands(self, question: CommandQuestion) -> bool:
        """Blocks like :meth:`unknown_host`."""
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
        if self._shown is not None or self._gathering.isActive():
            return
        with self._lock:
            if not self._queue:
                return
            if _is_host(self._queue[0]):
                self._gathering.start()
                return
            entry = self._queue.popleft()
        self._show([entry])

    def _show_hosts(self) -> None:
        """Show all unknown hosts that wait; those that come from now on are the next question."""
        with self._lock:
            hosts = [entry for entry in self._queue if _is_host(entry)]
            self._queue = deque(entry for entry in self._queue if not _is_host(entry))
        if hosts:
            self._show(hosts)
        else:
            self._show_next()

    def _show(self, entries: list[_Waiting]) -> None:
        dialog = make_dialog([entry.question for entry in entries], self._window)
        self._shown = (entries, dialog)
        dialog.finished.connect(lambda _code: self._finished(entries, dialog))
        self.bring_up()
        self.asked.emit()

    def _finished(self, entries: list[_Waiting], dialog: QuestionDialog) -> None:
        self._shown = None
        accepted = dialog.result() == QDialog.DialogCode.Accepted
        answers = dialog.answers() if accepted else [None] * len(entries)
        for entry, answer in zip(entries, answers, strict=True):
            entry.give(answer)
        dialog.deleteLater()
        self.asked.emit()
        self._show_next()


def _is_host(entry: _Waiting) -> bool:
    from remote.ssh.prompts import HostKeyQuestion

    return isinstance(entry.question, HostKeyQuestion)
