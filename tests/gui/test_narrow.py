"""A small window and long names: everything is there, and nothing lies over anything else."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QTreeWidget, QWidget
from pytestqt.qtbot import QtBot

from gui.cluster_page import ClusterPage
from gui.import_hosts import ImportDialog
from gui.live_page import LivePage
from gui.prompt_dialogs import HostKeysDialog
from gui.training_page import TrainingPage
from gui.window import MainWindow
from remote.checks import Finding
from remote.ssh import ConfigHost, ConfigHosts
from remote.ssh.prompts import HostKeyQuestion
from remote.updates import NodeUpdate
from tests.gui.board_session import connected

LONG = "a-very-long-name-of-a-machine-in-the-basement-of-building-42.compute.example.org"


def overlaps(widgets: list[QWidget]) -> list[tuple[QWidget, QWidget]]:
    """Which of the visible ``widgets`` lie over each other."""
    areas = [(w, w.rect().translated(w.mapToGlobal(w.rect().topLeft()))) for w in widgets]
    areas = [(w, area) for w, area in areas if w.isVisible()]
    pairs = [(a, b) for i, a in enumerate(areas) for b in areas[i + 1 :]]
    return [(a[0], b[0]) for a, b in pairs if a[1].intersects(b[1])]


def test_that_a_checks_findings_are_readable_in_a_small_window(
    window: MainWindow, profile_file: Path, qtbot: QtBot
) -> None:
    window.open_profile(str(profile_file))
    window.resize(1024, 700)
    controller = window.controller
    for node in ("gpu001", "gpu002", "gpu003"):
        remedy = "Set environment.python to a Python that has TensorFlow, or install it. " * 3
        update = NodeUpdate(node=node, state="unusable", detail="no TensorFlow", remedy=remedy)
        controller.models.apply(update)
    controller.notices.warning("A notice takes room as well.")
    check = controller.models.check
    check.begin(["gpu001", "gpu002", "gpu003"], False)
    found = Finding(
        node="gpu001", topic="python", level="problem", what="no TensorFlow", remedy="Install it"
    )
    check.apply(found)
    window.show_page("cluster")
    page = window.page("cluster")
    assert isinstance(page, ClusterPage)
    page.refresh(0.0)
    panel = page.check
    panel.tabs.setCurrentIndex(0)
    page.refresh(0.0)
    QApplication.processEvents()
    assert not overlaps([page.table, page.card, panel])
    parts = [panel.views[0], panel.detail, panel.remedy, panel.everything, panel.copy_button]
    assert not overlaps(parts)
    assert panel.views[0].height() >= panel.views[0].minimumHeight()
    qtbot.waitUntil(lambda: page.rest.verticalScrollBar().value() > 0)  # it comes into sight


def test_that_the_hosts_to_import_are_called_by_their_whole_names(qtbot: QtBot) -> None:
    file = Path("config")
    names = ("gpu001", "login.lab.example.org")
    hosts = [
        ConfigHost(alias=name, host_name="127.0.0.1", user="", file=file, line=1) for name in names
    ]
    dialog = ImportDialog((), lambda _: None)
    qtbot.addWidget(dialog)
    dialog.show_hosts(ConfigHosts(hosts=tuple(hosts), read=(file,)), "config")
    dialog.show()
    width = dialog.list.header().sectionSize(0)
    assert width > dialog.list.fontMetrics().horizontalAdvance(names[1])
    dialog.filter.setText("nothing like it")
    assert "No host" in dialog.all.text()
    assert not dialog.all.isEnabled()


def test_that_fingerprints_are_in_sight_beside_long_names(qtbot: QtBot, tmp_path: Path) -> None:
    questions = [
        HostKeyQuestion(
            node=f"{number}{LONG}",
            host=f"{number}{LONG}",
            key_type="ssh-ed25519",
            fingerprint="SHA256:" + "W" * 43,
            stored_in=tmp_path / "known_hosts",
        )
        for number in range(2)
    ]
    dialog = HostKeysDialog(questions, None)
    qtbot.addWidget(dialog)
    dialog.show()
    rows: QTreeWidget = dialog.rows
    header = rows.header()
    start = header.sectionPosition(3)
    item = rows.topLevelItem(0)
    assert item is not None
    assert start + rows.sizeHintForColumn(3) <= rows.viewport().width()
    assert LONG in item.toolTip(0)


@pytest.mark.parametrize("size", [(860, 600), (1024, 700), (1800, 900)])
def test_that_the_plan_has_room_beside_long_names(
    window: MainWindow, size: tuple[int, int]
) -> None:
    window.resize(*size)
    page = connected(window, {LONG: 4, "b": 0}, {"ps": 2}, {"worker:0": f"{LONG}/0", "ps:0": "b"})
    QApplication.processEvents()
    card = page.plan_card
    head = [card.add_button, card.rest_button, card.automatic_button, card.details_button]
    parts: list[QWidget] = [card.board, card.panel, card.launch_button, card.hint, *head]
    assert not overlaps(parts)
    for button in head:
        if button.isVisible():
            assert button.width() >= button.fontMetrics().horizontalAdvance(button.text()) + 8
            assert card.rect().contains(button.geometry())
    assert card.board.viewport().width() >= 220
    assert card.board.isVisible()
    assert page.form.width() + card.width() <= page.width()


def test_that_no_choice_makes_the_form_wider_than_its_place(
    window: MainWindow, profile_file: Path
) -> None:
    window.open_profile(str(profile_file))
    window.resize(1024, 700)
    window.show_page("training")
    page = window.page("training")
    assert isinstance(page, TrainingPage)
    QApplication.processEvents()
    viewport = page.form.parentWidget()
    assert viewport is not None
    assert page.form.width() <= viewport.width()


def test_that_a_long_note_makes_no_chart_wider_than_the_window(
    window: MainWindow, profile_file: Path
) -> None:
    window.open_profile(str(profile_file))
    window.resize(1024, 700)
    window.show_page("live")
    page = window.page("live")
    assert isinstance(page, LivePage)
    chart = page.dashboard.device
    chart.message.setText(f"{LONG}: there is no NVIDIA GPU here, so its CPU is shown instead")
    QApplication.processEvents()
    right = chart.mapTo(window, chart.rect().topRight()).x()
    assert right < window.width()
