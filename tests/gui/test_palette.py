"""The command palette: what it finds, with the keyboard alone, among very many runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.actions import SPECS
from gui.command_palette import MOST, CommandPalette
from gui.matching import Texts
from gui.palette_entries import Runs, window_entries
from gui.window import MainWindow
from remote.history import History, RunRecord
from remote.history.overview import RunRow
from remote.history.remarks import Remark
from remote.updates import LogUpdate
from trainer.spec import TaskId

Wait = Callable[[Callable[[], bool], float], None]


def row(number: int, *tags: str, name: str = "lab") -> RunRow:
    run_id = f"20261130-{number // 60 % 24:02d}{number % 60:02d}-{number:04x}"
    record = RunRecord(run_id=run_id, name=name, started_at=1.79e9 - number, state="finished")
    return RunRow(record, "mlp", Remark(tags=tags), None)


def titles(palette: CommandPalette) -> list[str]:
    return [entry.title for entry in palette.found.entries]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("launch", [(0, 0)]),
        ("LAU", [(0, 0)]),
        ("aunch", [(0, 1)]),
        ("lnch", [(0, 2)]),
        ("profile new", [(1, 0)]),
        ("ünd", [(2, 0)]),
        ("50%", [(3, 0)]),
        ("(.*", []),
        ("", [(0, 0), (1, 0), (2, 0), (3, 0)]),
    ],
)
def test_that_words_come_before_parts_and_parts_before_letters(
    query: str, found: list[tuple[int, int]]
) -> None:
    texts = Texts(["Launch", "New profile", "läb\nÜnd 'so'", "half [50%]"])
    assert texts.find(query) == found


def test_that_every_action_is_offered_with_its_key_and_why_not(window: MainWindow) -> None:
    entries = {entry.title: entry for entry in window_entries(window)}
    assert len([e for e in entries.values() if e.kind in {s.group for s in SPECS.values()}]) >= 20
    assert entries["Launch"].keys == "Ctrl+Return"
    assert entries["Launch"].why == "Open a profile first."
    assert entries["Stop"].why == "No run is going on."
    assert entries["Live"].why
    assert entries["Runs"].why == ""
    for name, action in window.actions_by_name.items():
        disabled = not action.isEnabled()
        assert disabled == bool(action.property("why")), f"{name} does not say why it is disabled"


def test_that_the_keyboard_alone_opens_a_page(
    window: MainWindow, profile_file: Path, qtbot: QtBot
) -> None:
    window.open_profile(str(profile_file))
    palette = window.palettes.open()
    assert palette.field.isVisible()
    qtbot.keyClicks(palette.field, "trainng")
    assert titles(palette)[0] == "Training"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert window.current_page == "training"


def test_that_what_cannot_be_done_says_why_and_does_nothing(
    window: MainWindow, qtbot: QtBot
) -> None:
    palette = window.palettes.open()
    qtbot.keyClicks(palette.field, "launch")
    at = titles(palette).index("Launch")
    for _ in range(at):
        qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    index = palette.list.currentIndex()
    assert "not now: Open a profile first." in index.data(Qt.ItemDataRole.AccessibleTextRole)
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()


def test_that_arrows_go_round_and_pages_stop_at_the_ends(window: MainWindow, qtbot: QtBot) -> None:
    palette = window.palettes.open()
    last = palette.found.rowCount() - 1
    qtbot.keyClick(palette.field, Qt.Key.Key_Up)
    assert palette.list.currentIndex().row() == last
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.list.currentIndex().row() == 0
    qtbot.keyClick(palette.field, Qt.Key.Key_PageUp)
    assert palette.list.currentIndex().row() == 0
    for _ in range(40):
        qtbot.keyClick(palette.field, Qt.Key.Key_PageDown)
    assert palette.list.currentIndex().row() == last
    palette.reject()


def test_that_a_run_is_found_by_its_tag_and_shown(window: MainWindow, wait: Wait) -> None:
    history = History()
    for number in range(3):
        history.add_run(row(number).record, [])
    history.set_tags(row(1).record.run_id, ["night shift"])
    history.close()
    palette = window.palettes.open()
    wait(lambda: any(entry.kind == "On record" for entry in palette.found.entries), 10)
    palette.field.setText("night")
    (entry,) = palette.found.entries
    assert row(1).record.run_id in entry.title
    palette.run_current()
    page = window.page("runs")
    wait(lambda: page.chosen() == row(1).record.run_id, 10)  # type: ignore[attr-defined]
    assert window.current_page == "runs"


def test_that_the_log_of_a_task_is_found(window: MainWindow) -> None:
    models = window.controller.models
    models.show_run("r1", None, time.time(), "training")
    assert models.run is not None
    for name in ("ps:0", "worker:7"):
        task = TaskId.parse(name)
        models.run.apply(
            LogUpdate(run_id="r1", task=task, text="hello\n", read_at=time.time(), offset=0)
        )
    palette = window.palettes.open()
    palette.field.setText("log 7")
    assert titles(palette) == ["Log of worker:7"]
    palette.run_current()
    page = window.page("logs")
    assert page.chosen() == {TaskId.parse("worker:7")}  # type: ignore[attr-defined]


def test_that_twenty_thousand_runs_are_searched_while_one_types(window: MainWindow) -> None:
    rows = [row(number, f"tag{number % 100}") for number in range(20_000)]
    palette = CommandPalette(window, Runs(window, rows))
    took = []
    for query in ("t", "tag7", "lab tag42", "4e1f", "lbtg99", "no such thing at all"):
        began = time.process_time()
        palette.search(query)
        took.append(time.process_time() - began)
        assert len(palette.found.entries) <= MOST
    palette.search(row(19_999).record.run_id)
    assert len(palette.found.entries) == 1
    assert max(took) < 1.0, took
    palette.deleteLater()
