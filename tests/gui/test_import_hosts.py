"""Nodes from ~/.ssh/config: found, filtered, ticked with the keyboard, added."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialogButtonBox
from pytestqt.qtbot import QtBot

from gui.cluster_page import ClusterPage
from gui.import_hosts import ImportDialog
from gui.window import MainWindow

Wait = Callable[[Callable[[], bool], float], None]

CONFIG = """\
Host gpu01 gpu02
    User alice
    ProxyJump gate
Host gpu03
    HostName 192.0.2.3
    Port 2222
Host gate <b>x</b>
Match originalhost gpu03 exec "touch ran"
    User vpn
Host node??
    User ana
Frobnicate yes
"""


@pytest.fixture
def home(odd_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose ssh_config names hosts, and has a command that nobody may run."""
    (odd_path / ".ssh").mkdir()
    (odd_path / ".ssh" / "config").write_text(CONFIG, encoding="utf-8")
    monkeypatch.chdir(odd_path)  # where the command would leave its file
    monkeypatch.setenv("HOME", str(odd_path))
    return odd_path


def open_dialog(window: MainWindow, wait: Wait) -> ImportDialog:
    """The dialog with its list filled, opened by the action of the menu."""
    window.actions_by_name["import_hosts"].trigger()
    wait(lambda: isinstance(QApplication.activeModalWidget(), ImportDialog), 5)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, ImportDialog)
    wait(lambda: dialog.words.text() != "Reading…", 10)
    return dialog


def texts(dialog: ImportDialog, *, shown: bool = False) -> list[list[str]]:
    items = (dialog.list.topLevelItem(row) for row in range(dialog.list.topLevelItemCount()))
    return [
        [item.text(column) for column in range(5)]
        for item in items
        if item is not None and not (shown and item.isHidden())
    ]


def test_that_hosts_are_picked_with_the_keyboard_and_become_nodes(
    window: MainWindow, home: Path, profile_file: Path, qtbot: QtBot, wait: Wait
) -> None:
    window.open_profile(str(profile_file))
    document = window.controller.document
    dialog = open_dialog(window, wait)
    assert texts(dialog) == [
        ["gpu01", "gpu01", "alice", "", "gate"],
        ["gpu02", "gpu02", "alice", "", "gate"],
        ["gpu03  (has conditions that need a command)", "192.0.2.3", "", "2222", ""],
        ["gate", "gate", "", "", ""],
    ]
    assert not (home / "ran").exists()
    assert "node??" in dialog.words.text()
    assert "'frobnicate' is not a keyword" in dialog.problems.text() or (
        "is not a host name" in dialog.problems.text()
    )
    assert not dialog.add_button.isEnabled()
    assert dialog.filter.hasFocus()

    qtbot.keyClicks(dialog.filter, "alice gate")
    assert [row[0] for row in texts(dialog, shown=True)] == ["gpu01", "gpu02"]
    qtbot.keyClick(dialog.filter, Qt.Key.Key_Down)
    assert dialog.list.hasFocus()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(dialog.list, Qt.Key.Key_Space)
    assert dialog.chosen() == ["gpu01", "gpu02"]
    assert dialog.all.isChecked()
    assert dialog.add_button.text() == "Add 2 nodes"
    qtbot.keyClick(dialog.list, Qt.Key.Key_Return)
    wait(lambda: len(document.nodes()) == 5, 5)
    assert [node["host"] for node in document.nodes()][3:] == ["gpu01", "gpu02"]
    assert document.profile is not None
    document.undo()
    assert len(document.nodes()) == 3


def test_that_hosts_make_a_new_profile_where_none_is_open(
    window: MainWindow, home: Path, wait: Wait
) -> None:
    window.start_page.import_button.click()
    wait(lambda: isinstance(QApplication.activeModalWidget(), ImportDialog), 5)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, ImportDialog)
    wait(lambda: dialog.words.text() != "Reading…", 10)
    assert window.current_page == "start"
    assert not window.controller.document.is_open
    dialog.all.click()
    dialog.add_button.click()
    hosts = [node["host"] for node in window.controller.document.nodes()]
    assert hosts == ["gpu01", "gpu02", "gpu03", "gate"]
    assert window.current_page == "cluster"
    assert window.actions_by_name["connect"].isEnabled()
    assert window.controller.document.dirty


def test_that_what_is_in_the_profile_cannot_be_added_twice(
    window: MainWindow, home: Path, wait: Wait
) -> None:
    window.controller.document.new({"nodes": [{"host": "gpu01"}, {"host": ""}]})
    dialog = open_dialog(window, wait)
    assert texts(dialog)[0][0] == "gpu01  (in the profile)"
    dialog.all.click()
    assert dialog.chosen() == ["gpu02", "gpu03", "gate"]
    dialog.add_button.click()
    hosts = [node["host"] for node in window.controller.document.nodes()]
    assert hosts == ["gpu01", "gpu02", "gpu03", "gate"]  # the empty row is gone


@pytest.mark.parametrize(
    ("text", "words"), [(None, "There is no "), ("Host *\n", "names no hosts")]
)
def test_that_an_empty_list_says_why(
    window: MainWindow, home: Path, wait: Wait, text: str | None, words: str
) -> None:
    config = home / ".ssh" / "config"
    config.unlink()
    if text is not None:
        config.write_text(text)
    window.controller.document.new()
    dialog = open_dialog(window, wait)
    assert words in dialog.words.text()
    assert not dialog.list.isEnabled()
    assert not dialog.add_button.isEnabled()
    dialog.buttons.button(QDialogButtonBox.StandardButton.Cancel).click()
    wait(lambda: QApplication.activeModalWidget() is None, 5)
    page = window.page("cluster")
    assert isinstance(page, ClusterPage)
    assert page.import_button.isEnabled()


def test_that_closing_before_the_list_is_there_is_no_harm(
    window: MainWindow, home: Path, wait: Wait
) -> None:
    window.controller.document.new()
    page = window.page("cluster")
    assert isinstance(page, ClusterPage)
    page.import_hosts().reject()
    wait(lambda: QApplication.activeModalWidget() is None, 5)
    dialog = open_dialog(window, wait)
    assert dialog.list.topLevelItemCount() == 4
    dialog.reject()
