"""What was not saved survives a kill, is offered once, and never touches the profile's file."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from gui.drafts import FOLDER
from gui.kept_files import data_folder
from gui.window import MainWindow
from tests.support.waiting import PATIENCE_S

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
Wait = Callable[[Callable[[], bool], float], None]


@contextmanager
def editing(profile: Path, batch_size: str, home: Path) -> Iterator[subprocess.Popen[str]]:
    """A window elsewhere that has edited the profile, and has kept its draft."""
    environment = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")}
    process = subprocess.Popen(
        [sys.executable, str(HERE / "draft_app.py"), str(profile), batch_size],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "kept\n"
        yield process
    finally:
        process.kill()
        process.wait(PATIENCE_S)
        process.stdout.close() if process.stdout else None


def drafts() -> list[Path]:
    return sorted((data_folder() / FOLDER).glob("*.json"))


def click(qtbot: QtBot, button: object) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_that_a_killed_window_s_edits_are_restored_as_one_step(
    window: MainWindow, profile_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    before = profile_file.read_bytes()
    with editing(profile_file, "16", tmp_path) as process:
        window.draft_bar.look()
        assert window.draft_bar.isHidden(), "its window is still there"
        process.kill()
    window.draft_bar.look()
    assert window.draft_bar.isVisible()
    assert "lab" in window.draft_bar.words.text()
    click(qtbot, window.draft_bar.restore_button)
    document = window.controller.document
    assert document.path == profile_file
    assert document.training() == {"batch_size": "16"}
    assert document.dirty
    assert window.current_page == "training"
    assert window.draft_bar.isHidden()
    assert len(drafts()) == 1, "it is unsaved still, so it is kept"
    window.actions_by_name["undo"].trigger()
    assert not document.dirty
    assert profile_file.read_bytes() == before
    window.draft_bar.drafts.keep()
    assert drafts() == []


def test_that_what_is_discarded_is_gone(
    window: MainWindow, profile_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    with editing(profile_file, "16", tmp_path):
        pass
    profile_file.write_text(profile_file.read_text("utf-8").replace("32", "8"), encoding="utf-8")
    window.draft_bar.look()
    assert "was changed since" in window.draft_bar.words.text()
    click(qtbot, window.draft_bar.discard_button)
    assert window.draft_bar.isHidden()
    assert drafts() == []
    assert not window.controller.document.is_open


def test_that_a_draft_outlives_its_file(
    window: MainWindow, profile_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    with editing(profile_file, "sixteen", tmp_path):
        pass
    profile_file.unlink()
    window.draft_bar.look()
    click(qtbot, window.draft_bar.restore_button)
    document = window.controller.document
    assert document.path is None
    assert document.training() == {"batch_size": "sixteen"}
    assert not profile_file.exists()


def test_that_saving_and_closing_leave_no_draft(
    window: MainWindow,
    profile_file: Path,
    wait: Wait,
    answer_box: Callable[[QMessageBox.StandardButton], list[str]],
) -> None:
    document = window.controller.document
    assert window.open_profile(str(profile_file))
    document.set_training({"batch_size": "16"}, "typing")
    wait(lambda: len(drafts()) == 1, 10)
    assert document.path is not None
    document.save(document.path)
    wait(lambda: drafts() == [], 10)
    document.set_training({"batch_size": "8"}, "typing")
    wait(lambda: len(drafts()) == 1, 10)
    answer_box(QMessageBox.StandardButton.Discard)
    window.close()
    assert drafts() == []


def test_that_a_disk_without_room_costs_the_draft_and_nothing_else(
    window: MainWindow, profile_file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("")
    monkeypatch.setenv("CLEW_DATA_DIR", str(blocked))
    assert window.open_profile(str(profile_file))
    window.controller.document.set_training({"batch_size": "16"}, "typing")
    window.draft_bar.drafts.keep()
    assert str(blocked) in window.draft_bar.drafts.problem
    assert window.controller.document.dirty


def test_that_damaged_drafts_are_put_away(window: MainWindow) -> None:
    folder = data_folder() / FOLDER
    folder.mkdir(parents=True)
    (folder / "a.json").write_text('{"v": 1, "da', encoding="utf-8")
    (folder / "b.json").write_text('{"v": 1, "at": 5, "data": {}}', encoding="utf-8")
    window.draft_bar.look()
    assert window.draft_bar.isHidden()
    assert drafts() == []
