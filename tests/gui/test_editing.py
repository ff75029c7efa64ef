"""Typing, scrolling and taking back: an edit is lost to nothing but the user's own wish."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QScrollArea
from pytestqt.qtbot import QtBot

from gui.cluster_page import ClusterPage
from gui.training_page import TrainingPage
from gui.window import MainWindow
from remote.updates import NodeUpdate

Wait = Callable[[Callable[[], bool], float], None]


def cluster_of(window: MainWindow) -> ClusterPage:
    page = window.page("cluster")
    assert isinstance(page, ClusterPage)
    return page


def training_of(window: MainWindow) -> TrainingPage:
    window.show_page("training")
    page = window.page("training")
    assert isinstance(page, TrainingPage)
    return page


def test_that_a_host_can_be_typed_while_nodes_report(
    window: MainWindow, profile_file: Path, qtbot: QtBot, wait: Wait
) -> None:
    window.open_profile(str(profile_file))
    page = cluster_of(window)
    page.add_node()
    editor = page.table.findChild(QLineEdit)
    assert editor is not None
    for character in "gpu004":
        qtbot.keyClicks(editor, character)
        heard = time.time()
        window.controller.bridge.updates.put(
            NodeUpdate(node="gpu001", state="checking", last_heard=heard)
        )
        wait(lambda t=heard: window.controller.models.nodes.nodes["gpu001"].heard == t, 5)  # type: ignore[misc]
        page.refresh(time.time())
    assert editor.text() == "gpu004"
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    wait(lambda: page.model.name(3) == "gpu004", 5)


def test_that_the_wheel_scrolls_the_form_and_changes_nothing(
    window: MainWindow, profile_file: Path, qtbot: QtBot
) -> None:
    window.open_profile(str(profile_file))
    page = training_of(window)
    area = page.findChild(QScrollArea)
    assert area is not None
    before, bar = page.form.data(), area.verticalScrollBar()
    for box in (page.form.fields["optimizer.name"].input, page.form.length):
        bar.setValue(0)
        qtbot.wait(20)
        area.ensureWidgetVisible(box)
        box.setFocus()
        qtbot.wait(20)
        at, top = box.mapTo(window, box.rect().center()), bar.value()
        QTest.wheelEvent(window.windowHandle(), QPointF(at), QPoint(0, -120))
        qtbot.wait(20)
        assert bar.value() > top
    assert page.form.data() == before
