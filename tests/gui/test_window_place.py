"""The window comes back where it was, and always where it can be seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QRect, QSettings

from gui.runs_page import RunsPage
from gui.settings import Settings
from gui.window import MainWindow
from gui.window_place import visible_place

LEFT, RIGHT = QRect(0, 0, 1920, 1080), QRect(1920, 0, 1920, 1080)


@pytest.mark.parametrize(
    ("wanted", "screens", "place"),
    [
        (QRect(2000, 100, 1280, 840), [LEFT, RIGHT], QRect(2000, 100, 1280, 840)),
        (QRect(2000, 100, 1280, 840), [LEFT], QRect(640, 100, 1280, 840)),
        (QRect(-1900, 100, 1280, 840), [LEFT], QRect(0, 100, 1280, 840)),
        (QRect(100, 5000, 1280, 840), [LEFT], QRect(100, 240, 1280, 840)),
        (QRect(100, -700, 1280, 840), [LEFT], QRect(100, 0, 1280, 840)),
        (QRect(4000, 4000, 3000, 2000), [LEFT], QRect(0, 0, 1920, 1080)),
        (QRect(1800, 100, 1280, 840), [LEFT], QRect(1800, 100, 1280, 840)),
        (QRect(5, 5, 10, 10), [], QRect(5, 5, 10, 10)),
    ],
)
def test_that_a_window_is_where_a_screen_is(
    wanted: QRect, screens: list[QRect], place: QRect
) -> None:
    assert visible_place(wanted, screens) == place


def test_that_the_list_of_runs_keeps_its_height(window: MainWindow, settings: Settings) -> None:
    page = window.page("runs")
    assert isinstance(page, RunsPage)
    window.show_page("runs")
    page.splitter.show()
    page.splitter.setSizes([600, 150])
    page.splitter.splitterMoved.emit(600, 1)
    again = RunsPage(window.controller, settings)
    assert settings.part("runs")
    assert again.splitter.saveState() == page.splitter.saveState()
    assert again.splitter.saveState() != RunsPage(window.controller).splitter.saveState()
    again.deleteLater()


def test_that_choices_survive_the_file_they_are_kept_in(tmp_path: Path) -> None:
    path = str(tmp_path / "é 'x'.ini")
    first = Settings(QSettings(path, QSettings.Format.IniFormat))
    assert (first.tray, first.notify) == (True, True)
    first.tray = first.notify = False
    first.sync()
    again = Settings(QSettings(path, QSettings.Format.IniFormat))
    assert (again.tray, again.notify) == (False, False)
