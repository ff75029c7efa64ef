"""What the next window has as the last one left it: the page, and the node table's columns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from gui.cluster_page import ClusterPage
from gui.node_table import ADDRESS, DETAIL, HOST, NAME
from gui.settings import Settings
from gui.window import MainWindow


@pytest.fixture
def another(settings: Settings) -> Callable[[], MainWindow]:
    """Another window with the same settings."""

    def make() -> MainWindow:
        return MainWindow(settings)

    return make


def cluster(window: MainWindow) -> ClusterPage:
    window.show_page("cluster")
    found = window.page("cluster")
    assert isinstance(found, ClusterPage)
    return found


def end(window: MainWindow) -> None:
    window.finish()
    window.hide()
    window.deleteLater()


def test_that_the_first_profile_opens_at_the_last_page(
    window: MainWindow, another: Callable[[], MainWindow], profile_file: Path
) -> None:
    assert window.open_profile(str(profile_file))
    assert window.current_page == "cluster"
    window.show_page("training")
    second = another()
    assert second.open_profile(str(profile_file))
    assert second.current_page == "training"
    assert second.open_profile(str(profile_file))
    assert second.current_page == "cluster"
    end(second)


def test_that_columns_are_as_the_user_has_left_them(
    window: MainWindow, another: Callable[[], MainWindow], profile_file: Path
) -> None:
    assert window.open_profile(str(profile_file))
    page = cluster(window)
    page.table.horizontalHeader().resizeSection(HOST, 231)
    menu = page.columns.menu()
    address = next(
        a
        for a in menu.actions()
        if a.text() == page.model.headerData(ADDRESS, Qt.Orientation.Horizontal)
    )
    address.setChecked(False)
    second = another()
    second.resize(1280, 840)
    assert second.open_profile(str(profile_file))
    second.show()
    found = cluster(second)
    found.columns.fit()
    assert found.table.columnWidth(HOST) == 231
    assert found.table.isColumnHidden(ADDRESS)
    assert not found.table.isColumnHidden(DETAIL)
    end(second)


@pytest.mark.parametrize("text", ["[1", "[1]", '{"host": 1e9, "name": 5, "user": "x", "z": 1}'])
def test_that_nonsense_in_the_settings_is_not_believed(
    text: str, window: MainWindow, settings: Settings, profile_file: Path
) -> None:
    settings._store.setValue("columns/nodes", text)
    settings._store.setValue("page", "no such page")
    assert settings.page == "cluster"
    assert window.open_profile(str(profile_file))
    page = cluster(window)
    page.columns.fit()
    assert page.table.columnWidth(HOST) > 40
    assert page.table.columnWidth(NAME) != 5
