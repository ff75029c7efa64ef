"""Presets: those that Clew brings are valid, one's own are kept, and nothing is lost by them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from gui.kept_files import data_folder
from gui.preset_menu import PresetButton
from gui.presets import BUILT_IN, FILE, OwnPresets, Preset, applied, needs_folder
from gui.training_page import TrainingPage
from gui.window import MainWindow
from remote import profile
from remote.errors import ClewError
from trainer.spec import to_json


@pytest.fixture
def page(window: MainWindow, profile_file: Path) -> TrainingPage:
    assert window.open_profile(str(profile_file))
    window.show_page("training")
    found = window.page("training")
    assert isinstance(found, TrainingPage)
    return found


def entries(button: PresetButton) -> list[str]:
    button.fill()
    return [action.text() for action in button.choices.actions() if action.text()]


def choose(button: PresetButton, name: str) -> None:
    button.fill()
    next(action for action in button.choices.actions() if action.text() == name).trigger()


@pytest.mark.parametrize("preset", BUILT_IN, ids=lambda preset: preset.name)
def test_that_presets_of_ours_make_a_training(preset: Preset) -> None:
    training = {**preset.training}
    if needs_folder(training):
        training["dataset"] = {**training["dataset"], "path": "/data/läb 'x'"}
    built = profile.build({"nodes": ["a"], "training": training}, "lab.yaml")
    made = to_json(built.training)
    for key, value in training.items():
        if isinstance(value, dict):
            assert {name: made[key][name] for name in value} == value
        else:
            assert made[key] == value
    assert preset.about


def test_that_a_preset_fills_the_form_as_one_step(page: TrainingPage, window: MainWindow) -> None:
    before = window.controller.document.training()
    choose(page.presets, "MNIST quickstart")
    assert page.form.fields["dataset.name"].raw() == "mnist"
    assert page.form.fields["epochs"].raw() == "2"
    window.actions_by_name["undo"].trigger()
    assert window.controller.document.training() == before
    assert page.form.fields["epochs"].raw() is None


def test_that_the_folder_of_the_data_stays_where_the_data_stay() -> None:
    preset = next(p for p in BUILT_IN if p.name == "MNIST quickstart")
    mine = {"dataset": {"name": "mnist", "path": "/läb/a b", "on": "node"}, "epochs": 9}
    assert applied(preset, mine)["dataset"] == mine["dataset"]
    other = {"dataset": {"name": "cifar10", "path": "/cifar"}}
    assert "path" not in applied(preset, other)["dataset"]
    assert "path" not in preset.training["dataset"]


def test_that_ones_own_are_kept_and_come_back_when_deleted(
    page: TrainingPage, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "läb & 'two'"
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: (f"  {name} ", True))
    choose(page.presets, "Save as preset…")
    assert OwnPresets().all() == [Preset(name, "", {"batch_size": 32}, own=True)]
    assert "läb && 'two'" in entries(page.presets)
    page.presets.delete(name)
    assert OwnPresets().all() == []
    notice = window.controller.notices.open[-1]
    window.controller.notices.act(notice)
    assert [preset.training for preset in OwnPresets().all()] == [{"batch_size": 32}]


def test_that_a_preset_that_is_replaced_can_come_back(
    page: TrainingPage, window: MainWindow
) -> None:
    page.presets.own.save("mine", {"steps": 7})
    page.presets.save("mine")
    assert OwnPresets().all()[0].training == {"batch_size": 32}
    window.controller.notices.act(window.controller.notices.open[-1])
    assert OwnPresets().all()[0].training == {"steps": 7}


def test_that_mistakes_and_names_of_ours_are_refused(
    page: TrainingPage, window: MainWindow
) -> None:
    page.presets.save("mnist QUICKSTART")
    assert "own presets" in window.controller.notices.open[-1].text
    window.controller.document.set_training({"batch_size": "many"}, "x")
    page.presets.save("mine")
    assert "mistakes" in window.controller.notices.open[-1].text
    assert not (data_folder() / FILE).exists()


def test_that_a_damaged_file_is_told_and_never_replaced(
    page: TrainingPage, window: MainWindow
) -> None:
    data_folder().mkdir(parents=True, exist_ok=True)
    (data_folder() / FILE).write_text('{"v": 1, "presets"', encoding="utf-8")
    assert "MNIST quickstart" in entries(page.presets)
    assert "damaged" in window.controller.notices.open[-1].text
    page.presets.save("mine")
    assert (data_folder() / FILE).read_text("utf-8") == '{"v": 1, "presets"'


def test_that_two_windows_see_each_others() -> None:
    first, second = OwnPresets(), OwnPresets()
    first.save("a", {"steps": 1})
    second.save("B", {"steps": 2})
    assert [preset.name for preset in first.all()] == ["a", "B"]
    with pytest.raises(ClewError, match="needs a name"):
        first.save("  ", {})


def test_that_a_read_only_profile_takes_no_preset(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "newer.yaml"
    path.write_text("clew: 99\nnodes: [a]\n", encoding="utf-8")
    assert window.open_profile(str(path))
    window.show_page("training")
    page = window.page("training")
    assert isinstance(page, TrainingPage)
    assert not page.presets.isEnabled()
