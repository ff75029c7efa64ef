"""The start page: its buttons hold their words, and show which one has the keyboard."""

from __future__ import annotations

import pytest

from gui.theme import Mode, theme
from gui.window import MainWindow


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_that_the_buttons_are_as_high_as_their_words(window: MainWindow, mode: Mode) -> None:
    theme().choose(mode)
    button = window.start_page.open_button
    needed = button.title.sizeHint().height() + button.text_label.sizeHint().height() + 2 + 24
    assert button.height() >= needed
    assert button.title.height() >= button.title.sizeHint().height()
    theme().choose("light")


def test_that_icons_for_an_accented_button_are_not_in_the_menu(window: MainWindow) -> None:
    for name in ("connect", "disconnect", "launch", "stop"):
        assert not window.actions_by_name[name].isIconVisibleInMenu()
