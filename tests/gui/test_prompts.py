"""Questions from connection threads: answered in the window, and never left waiting."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from gui.bridge import Bridge
from gui.cluster_page import ClusterPage
from gui.prompt_dialogs import CommandDialog, HostKeyDialog, HostKeysDialog, SecretDialog
from gui.prompts import WindowPrompter
from gui.window import MainWindow
from remote.ssh.prompts import CommandQuestion, HostKeyQuestion, Prompter, Secret, SecretQuestion
from tests.support.waiting import PATIENCE_S

Wait = Callable[[Callable[[], bool], float], None]


def host_question(node: str = "gpu001", note: str = "") -> HostKeyQuestion:
    return HostKeyQuestion(
        node=node,
        host=f"[{node}]:2222",
        key_type="ssh-ed25519",
        fingerprint="SHA256:" + "A" * 43,
        stored_in=Path("/home/ana/läb 'x'/known_hosts"),
        note=note,
    )


def secret_question(
    kind: str = "password", *, echo: bool = False, cannot_remember: str = ""
) -> SecretQuestion:
    return SecretQuestion(
        kind=kind,  # type: ignore[arg-type]
        node="gpu001",
        user="ana",
        host="gpu001",
        text="Password: <b>now</b>",
        echo=echo,
        can_remember=not cannot_remember,
        cannot_remember=cannot_remember,
    )


class Asker(threading.Thread):
    """A connection's thread that asks one thing."""

    def __init__(self, ask: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self._ask = ask
        self.answer: object = "not yet"
        self.start()

    def run(self) -> None:
        self.answer = self._ask()


def _alive_are(askers: list[Asker], count: int) -> bool:
    return sum(asker.is_alive() for asker in askers) == count


@pytest.fixture
def bridge(qtbot: QtBot) -> Iterator[Bridge]:
    found = Bridge(lambda batch: None, lambda: None)
    found.start()
    yield found
    found.stop()


@pytest.fixture
def prompter(bridge: Bridge) -> Iterator[WindowPrompter]:
    found = WindowPrompter(bridge)
    yield found
    found.close()


def test_that_it_is_what_connections_ask(prompter: WindowPrompter) -> None:
    asks: Prompter = prompter
    assert asks is prompter


def test_that_an_unknown_key_is_shown_and_reject_is_the_default(
    prompter: WindowPrompter, qtbot: QtBot, wait: Wait
) -> None:
    asker = Asker(lambda: prompter.unknown_host(host_question(note="<i>careful</i>")))
    wait(lambda: prompter.dialog is not None, 5)
    dialog = prompter.dialog
    assert isinstance(dialog, HostKeyDialog)
    words = [label.text() for label in dialog.findChildren(QLabel)]
    assert "SHA256:" + "A" * 43 in words
    assert "ssh-ed25519" in words
    assert "<i>careful</i>" in words  # shown as it is, not as rich text
    assert all(
        label.textFormat() == Qt.TextFormat.PlainText
        for label in dialog.findChildren(QLabel)
        if label.text().startswith("<")
    )
    assert dialog.reject_button.isDefault()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    wait(lambda: not asker.is_alive(), 5)
    assert asker.answer is False


def test_that_trust_is_a_deliberate_click(
    prompter: WindowPrompter, qtbot: QtBot, wait: Wait
) -> None:
    asker = Asker(lambda: prompter.unknown_host(host_question()))
    wait(lambda: prompter.dialog is not None, 5)
    dialog = prompter.dialog
    assert isinstance(dialog, HostKeyDialog)
    qtbot.mouseClick(dialog.accept_button, Qt.MouseButton.LeftButton)
    wait(lambda: not asker.is_alive(), 5)
    assert asker.answer is True


def test_that_a_password_is_hidden_and_comes_back(
    prompter: WindowPrompter, qtbot: QtBot, wait: Wait
) -> None:
    asker = Asker(lambda: prompter.secret(secret_question()))
    wait(lambda: prompter.dialog is not None, 5)
    dialog = prompter.dialog
    assert isinstance(dialog, SecretDialog)
    assert dialog.field.echoMode() == QLineEdit.EchoMode.Password
    dialog.field.setText("ge heim 'ü'")
    dialog.remember.setChecked(True)
    dialog.accept()
    wait(lambda: not asker.is_alive(), 5)
    assert asker.answer == Secret(value="ge heim 'ü'", remember=True, reuse=True)
    assert "heim" not in repr(asker.answer)


def test_that_cancel_answers_none(prompter: WindowPrompter, wait: Wait) -> None:
    asker = Asker(lambda: prompter.secret(secret_question("prompt", echo=True)))
    wait(lambda: prompter.dialog is not None, 5)
    assert prompter.dialog is not None
    prompter.dialog.reject()
    wait(lambda: not asker.is_alive(), 5)
    assert asker.answer is None


def test_that_several_secrets_are_asked_one_after_the_other(
    prompter: WindowPrompter, wait: Wait
) -> None:
    askers = [Asker(lambda: prompter.secret(secret_question())) for _ in range(3)]
    for left in (2, 1, 0):
        wait(lambda: isinstance(prompter.dialog, QDialog) and prompter.dialog.isVisible(), 5)
        assert prompter.dialog is not None
        prompter.dialog.accept()
        wait(partial(_alive_are, askers, left), 5)
    assert all(isinstance(asker.answer, Secret) for asker in askers)


def _ask_about(prompter: WindowPrompter, count: int, wait: Wait) -> list[Asker]:
    """So many unknown hosts, all waiting before the window comes round."""
    askers = [Asker(partial(prompter.unknown_host, host_question(f"gpu{n}"))) for n in range(count)]
    deadline = time.monotonic() + 20
    while len(prompter.waiting) < count and time.monotonic() < deadline:
        time.sleep(0.01)  # the window's thread does not come round here
    wait(lambda: prompter.dialog is not None, 10)
    return askers


def test_that_32_unknown_hosts_are_one_question(prompter: WindowPrompter, wait: Wait) -> None:
    askers = _ask_about(prompter, 32, wait)
    dialog = prompter.dialog
    assert isinstance(dialog, HostKeysDialog)
    assert dialog.rows.topLevelItemCount() == 32
    assert len(prompter.waiting) == 32
    assert dialog.reject_button.isDefault()
    row = dialog.rows.findItems("gpu7", Qt.MatchFlag.MatchExactly, 0)[0]
    row.setCheckState(0, Qt.CheckState.Unchecked)
    assert dialog.accept_button.text() == "Trust 31 and connect"
    dialog.accept_button.click()
    wait(partial(_alive_are, askers, 0), 5)
    assert [asker.answer for asker in askers] == [n != 7 for n in range(32)]


def test_that_rejecting_many_hosts_rejects_all(prompter: WindowPrompter, wait: Wait) -> None:
    askers = _ask_about(prompter, 3, wait)
    assert prompter.dialog is not None
    prompter.dialog.reject()
    wait(partial(_alive_are, askers, 0), 5)
    assert [asker.answer for asker in askers] == [False] * 3


def test_that_commands_are_shown_and_not_run_by_default(
    prompter: WindowPrompter, qtbot: QtBot, wait: Wait
) -> None:
    question = CommandQuestion(
        node="gpu001", file=Path("/home/ana/.ssh/config"), commands=("Match exec <b>vpn</b>",)
    )
    for key, answer in ((Qt.Key.Key_Return, False), (Qt.Key.Key_Tab, True)):
        asker = Asker(lambda: prompter.run_commands(question))
        wait(lambda: prompter.dialog is not None, 5)
        dialog = prompter.dialog
        assert isinstance(dialog, CommandDialog)
        assert dialog.commands.toPlainText() == "Match exec <b>vpn</b>"
        qtbot.keyClick(dialog.reject_button, key)
        if answer:
            qtbot.keyClick(dialog.accept_button, Qt.Key.Key_Space)
        asker.join(5.0)
        assert asker.answer is answer


def test_that_closing_answers_every_open_question_with_no(
    prompter: WindowPrompter, wait: Wait
) -> None:
    askers = [Asker(lambda: prompter.secret(secret_question())) for _ in range(4)]
    wait(lambda: prompter.dialog is not None, 5)
    prompter.close()
    for asker in askers:
        asker.join(PATIENCE_S)
    assert [a.answer for a in askers] == [None] * 4
    assert prompter.dialog is None
    late = Asker(lambda: prompter.unknown_host(host_question()))
    late.join(PATIENCE_S)
    assert late.answer is False


def test_that_a_question_nobody_can_show_any_more_does_not_block(bridge: Bridge) -> None:
    prompter = WindowPrompter(bridge)
    bridge.stop()  # the window's thread comes round no more
    asker = Asker(lambda: prompter.secret(secret_question()))
    asker.join(0.2)
    assert asker.is_alive()
    prompter.close()
    asker.join(PATIENCE_S)
    assert asker.answer is None


def test_that_a_question_is_the_windows_child_and_can_be_brought_up_again(
    window: MainWindow, profile_file: Path, qtbot: QtBot, wait: Wait
) -> None:
    window.open_profile(str(profile_file))
    prompter = window.controller.prompter
    page = window.page("cluster")
    assert isinstance(page, ClusterPage)
    asker = Asker(lambda: prompter.secret(secret_question()))
    wait(lambda: prompter.dialog is not None and prompter.dialog.isVisible(), 5)
    dialog = prompter.dialog
    assert dialog is not None
    assert dialog.parent() is window
    wait(lambda: window.sentence.text() == "gpu001 is waiting for your answer.", 5)
    wait(lambda: page.answer_button.isVisible(), 5)
    assert page.model.index(0, 11).data() == "waiting for your answer"
    dialog.hide()
    window.answer_button.click()  # a dialog that blocks its window would not let it be clicked
    assert dialog.isVisible()
    assert not dialog.isModal()
    dialog.reject()
    asker.join(PATIENCE_S)
    wait(lambda: not window.answer_button.isVisible(), 5)
    wait(lambda: page.model.index(0, 11).data() == "", 5)


def test_that_trust_can_be_reached_with_the_keyboard(
    prompter: WindowPrompter, qtbot: QtBot, wait: Wait
) -> None:
    slashes = "SHA256:" + "AbCdEfGhIj0/+-" * 3 + "x"  # where a label may break a line
    question = replace(host_question(), fingerprint=slashes)
    asker = Asker(lambda: prompter.unknown_host(question))
    wait(lambda: prompter.dialog is not None and prompter.dialog.isActiveWindow(), 5)
    dialog = prompter.dialog
    assert isinstance(dialog, HostKeyDialog)
    assert dialog.reject_button.hasFocus()
    qtbot.keyClick(dialog.reject_button, Qt.Key.Key_Tab)
    assert dialog.accept_button.hasFocus()
    (fingerprint,) = (w for w in dialog.findChildren(QLabel) if w.text().startswith("SHA256:"))
    assert fingerprint.width() >= fingerprint.fontMetrics().horizontalAdvance(fingerprint.text())
    assert fingerprint.height() < 2 * fingerprint.fontMetrics().height()
    qtbot.keyClick(dialog.accept_button, Qt.Key.Key_Space)
    asker.join(PATIENCE_S)
    assert asker.answer is True


def test_that_keeping_is_not_offered_where_nothing_can_be_kept(
    prompter: WindowPrompter, wait: Wait
) -> None:
    why = "This computer has no keyring that secrets could be kept in."
    asker = Asker(lambda: prompter.secret(secret_question(cannot_remember=why)))
    wait(lambda: prompter.dialog is not None, 5)
    dialog = prompter.dialog
    assert isinstance(dialog, SecretDialog)
    assert dialog.remember.isVisible()
    assert not dialog.remember.isEnabled()
    assert dialog.remember.toolTip() == why
    dialog.reject()
    asker.join(PATIENCE_S)
