"""Typing, scrolling and taking back: an edit is lost to nothing but the user's own wish."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QScrollArea
from pytestqt.qtbot import QtBot

from gui.cluster_page import ClusterPage
from gui.node_table import STATE
from gui.training_page import TrainingPage
from gui.window import MainWindow
from gui.words import rail_states
from remote.errors import Fault, PlanError
from remote.facts import NodeFacts
from remote.profile import Profile
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


def set_clock(monkeypatch: pytest.MonkeyPatch, t: float) -> None:
    """The document's clock stands at ``t``, however long the test takes."""
    monkeypatch.setattr("gui.document.time", SimpleNamespace(monotonic=lambda: t))


def type_into(qtbot: QtBot, line: QLineEdit, text: str) -> None:
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, text)


def test_that_undo_and_redo_work_with_the_cursor_in_a_field(
    window: MainWindow, profile_file: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch, 1.0)  # nobody pauses while typing
    window.open_profile(str(profile_file))
    window.activateWindow()
    fields = training_of(window).form.fields
    size, seed = fields["batch_size"].input, fields["seed"].input
    assert isinstance(size, QLineEdit)
    assert isinstance(seed, QLineEdit)
    for text in ("64", "128"):
        type_into(qtbot, size, text)
        seed.setFocus()  # the field is left: the step is complete
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    texts = []
    for _ in range(2):
        qtbot.keyClick(seed, Qt.Key.Key_Z, control)
        texts.append(size.text())
    qtbot.keyClick(seed, Qt.Key.Key_Z, control | shift)
    texts.append(size.text())
    qtbot.keyClick(seed, Qt.Key.Key_Y, control)
    texts.append(size.text())
    assert texts == ["64", "32", "64", "128"]


def test_that_a_field_edited_again_after_a_pause_is_another_step(
    window: MainWindow, profile_file: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.open_profile(str(profile_file))
    size = training_of(window).form.fields["batch_size"].input
    assert isinstance(size, QLineEdit)
    set_clock(monkeypatch, 1.0)
    type_into(qtbot, size, "64")
    set_clock(monkeypatch, 2.5)
    type_into(qtbot, size, "128")
    window.controller.document.undo()
    assert size.text() == "64"
    window.controller.document.undo()
    assert size.text() == "32"


def test_that_an_untouched_new_profile_has_nothing_to_save_and_a_new_row_is_not_wrong(
    window: MainWindow,
) -> None:
    window.actions_by_name["new"].trigger()
    assert not window.controller.document.dirty
    assert "*" not in window.windowTitle()
    page = cluster_of(window)
    page.add_node()
    assert page.model.index(0, STATE).data() == "new"
    window._tick()
    assert window.sentence.text() == "Type the host name of the new node."
    page.model.setData(page.model.index(0, 3), "x", Qt.ItemDataRole.EditRole)
    assert page.model.index(0, STATE).data() == "wrong"
    window._tick()
    assert rail_states(window.controller)["training"] == ""
    assert window.controller.document.dirty


def test_that_a_wrong_number_of_the_training_leaves_connecting_possible(
    window: MainWindow, profile_file: Path, qtbot: QtBot
) -> None:
    window.open_profile(str(profile_file))
    size = training_of(window).form.fields["batch_size"].input
    assert isinstance(size, QLineEdit)
    type_into(qtbot, size, "0")
    assert window.controller.document.profile is None
    assert window.actions_by_name["connect"].isEnabled()
    assert not window.actions_by_name["launch"].isEnabled()
    assert "batch_size" in window.actions_by_name["launch"].toolTip()


def test_that_a_node_that_refuses_is_told_in_its_own_words_and_once(
    window: MainWindow, profile_file: Path, wait: Wait
) -> None:
    window.open_profile(str(profile_file))
    controller = window.controller
    page = training_of(window)
    controller._session_profile = controller.document.profile
    assert controller.document.profile is not None
    controller.session = IdleSession(controller.document.profile)  # type: ignore[assignment]
    put = controller.bridge.updates.put
    for name in ("gpu001", "gpu003"):
        put(NodeUpdate(node=name, state="ready", last_heard=time.time()))
    refused = NodeUpdate(
        node="gpu002", state="unreachable", detail="nobody listens on port 2222", remedy="Start it."
    )
    put(refused)
    words = "gpu002: nobody listens on port 2222. Start it."
    wait(lambda: controller.why_not_launch() == words, 5)
    wait(lambda: window.sentence.text() == words, 5)
    shown = [label.text() for label in page.findChildren(QLabel) if label.isVisible()]
    assert sum("nobody listens" in text for text in shown) == 1
    said = page.plan_card.panel.text.toPlainText()
    assert not any("not connected" in text for text in (*shown, said))


class IdleSession:
    """A session whose nodes say nothing more."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile

    def facts(self) -> dict[str, NodeFacts]:
        return {}

    def addresses(self) -> dict[str, str]:
        return {}

    def runs(self) -> list[object]:
        return []

    def plan(self, training: object, placement: object) -> None:
        what = "gpu002: not connected. Connect to it, or take it out of the profile"
        raise PlanError.of([Fault(what, node="gpu002")])

    def close(self) -> None:
        """Nothing is held."""
