"""What differs from the saved profile: every choice, in the form's words, and back one by one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.changes_dialog import ChangesDialog
from gui.differences import differences, reverted
from gui.training_page import TrainingPage
from gui.window import MainWindow

trainings = st.fixed_dictionaries(
    {},
    optional={
        "steps": st.integers(1, 9),
        "epochs": st.integers(1, 9),
        "batch_size": st.sampled_from([64, "64", 32, "x"]),
        "export": st.sampled_from([True, False, "yes"]),
        "optimizer": st.fixed_dictionaries(
            {}, optional={"name": st.just("adam"), "learning_rate": st.sampled_from([0.01, "0.5"])}
        ),
    },
)


@given(saved=trainings, now=trainings)
def test_that_reverting_every_difference_leaves_none(saved: dict, now: dict) -> None:  # type: ignore[type-arg]
    for one in differences(saved, now):
        now = reverted(now, saved, one.key)
    assert differences(saved, now) == []


def test_that_a_default_that_is_written_is_no_difference() -> None:
    assert differences({}, {"batch_size": "64", "optimizer": {"learning_rate": "0.010"}}) == []


@pytest.fixture
def page(window: MainWindow, profile_file: Path) -> TrainingPage:
    assert window.open_profile(str(profile_file))
    window.show_page("training")
    found = window.page("training")
    assert isinstance(found, TrainingPage)
    return found


def texts(dialog: ChangesDialog) -> list[list[str]]:
    table = dialog.table
    found = []
    for row in range(table.rowCount()):
        items = [table.item(row, column) for column in range(table.columnCount())]
        found.append([item.text() for item in items if item is not None])
    return found


def test_that_one_choice_goes_back_and_the_others_stay(
    page: TrainingPage, window: MainWindow, qtbot: QtBot
) -> None:
    document = window.controller.document
    assert page.changes.isHidden()
    document.set_training(
        {"batch_size": "16", "epochs": "3", "optimizer": {"learning_rate": "0.2"}}, "x"
    )
    assert page.changes.text() == "3 changes"
    qtbot.mouseClick(page.changes, Qt.MouseButton.LeftButton)
    dialog = page.changes.dialog
    assert dialog is not None
    assert ["Batch size", "32", "16"] in texts(dialog)
    assert ["Epochs", "not set", "3"] in texts(dialog)
    row = [line[0] for line in texts(dialog)].index("Batch size")
    dialog.table.selectRow(row)
    qtbot.mouseClick(dialog.revert_button, Qt.MouseButton.LeftButton)
    assert page.form.fields["batch_size"].raw() == "32"
    assert document.training()["epochs"] == "3"
    assert len(texts(dialog)) == 2
    qtbot.mouseClick(dialog.all_button, Qt.MouseButton.LeftButton)
    assert texts(dialog) == []
    assert not document.dirty
    assert not dialog.all_button.isEnabled()
    window.actions_by_name["undo"].trigger()
    assert len(texts(dialog)) == 2
    dialog.close()


def test_that_saving_ends_the_differences(page: TrainingPage, window: MainWindow) -> None:
    document = window.controller.document
    document.set_training({"batch_size": "16"}, "x")
    assert page.changes.text() == "1 change"
    assert document.path is not None
    document.save(document.path)
    assert page.changes.isHidden()
