"""The question before a stop, and the list of what runs have left on the nodes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from gui.settings import Settings
from gui.sweep_dialog import SIZE, WHAT, WHY, SweepDialog
from gui.window import MainWindow
from remote.practice import PracticeCluster
from remote.updates import RunUpdate, StopDepth

Wait = Callable[[Callable[[], bool], float], None]
LIMIT_S = 120.0
OLD_S = 2 * 86400.0


class Asked:
    """Stands where the handle of a run does, and keeps what was asked of it."""

    controlled_from = ""

    def __init__(self) -> None:
        self.depths: list[StopDepth] = []

    def stop(self, depth: StopDepth) -> None:
        self.depths.append(depth)


@pytest.fixture
def asked(window: MainWindow) -> Asked:
    """What a run that goes on in the window is asked for."""
    found = Asked()
    window.controller.handle = found  # type: ignore[assignment]
    window.controller.models.show_run("20261130-1502-k3f9", None, time.time(), "training")
    window.controller.changed.emit()
    return found


def box_of(window: MainWindow) -> QMessageBox:
    box = window.stopping.box
    assert box is not None
    return box


def click(box: QMessageBox, text: str) -> None:
    next(button for button in box.buttons() if button.text() == text).click()


def test_that_the_stop_button_asks_and_remembers_the_depth(
    window: MainWindow, asked: Asked, settings: Settings
) -> None:
    window.actions_by_name["stop"].trigger()
    box = box_of(window)
    default = box.defaultButton()
    assert default is not None
    assert default.text() == "Stop after a checkpoint"
    assert "20261130-1502-k3f9" in box.text()
    click(box, "Cancel")
    assert (asked.depths, window.stopping.box) == ([], None)
    window.actions_by_name["stop"].trigger()
    click(box_of(window), "Stop now")
    assert asked.depths == ["now"]
    assert settings.stop_depth == "now"


def test_that_a_stop_only_gets_deeper(window: MainWindow, asked: Asked) -> None:
    choices = window.stopping.choices
    choices["checkpoint"].trigger()
    assert asked.depths == ["checkpoint"], "nothing is lost, so nothing is asked"
    assert [choice.isEnabled() for choice in choices.values()] == [False, True, True]
    choices["force"].trigger()
    assert "deeper" in box_of(window).text()
    click(box_of(window), "Kill at once")
    assert asked.depths == ["checkpoint", "force"]
    window.actions_by_name["stop"].trigger()
    assert window.stopping.box is None, "there is nothing deeper to ask for"


def test_that_a_question_goes_with_its_run(window: MainWindow, asked: Asked) -> None:
    window.actions_by_name["stop"].trigger()
    assert box_of(window).isVisible()
    models = window.controller.models
    models.apply(RunUpdate(run_id="20261130-1502-k3f9", state="finished"))
    window.controller.changed.emit()
    assert window.stopping.box is None
    assert asked.depths == []
    assert not window.stopping.menu.isEnabled()


@pytest.fixture
def nodes(window: MainWindow, practice: PracticeCluster, wait: Wait) -> Iterator[PracticeCluster]:
    """The practice nodes, connected."""
    controller = window.controller
    controller.known_hosts = [practice.known_hosts]
    assert window.open_profile(str(practice.profile))
    controller.connect_nodes()

    def settled() -> bool:
        counts = controller.models.nodes.counts()
        return not controller.busy and sum(map(counts.get, ("ready", "unusable"), (0, 0))) == 3

    wait(settled, LIMIT_S)
    yield practice
    controller.disconnect_nodes()


def leave(home: Path, name: str) -> Path:
    """An upload that broke off two days ago."""
    part = home / ".clew" / "data" / f".part-{name}"
    part.mkdir(parents=True)
    for file in (part / ".clew-journal", part / "half"):
        file.write_bytes(b"x" * 3000)
        os.utime(file, (time.time() - OLD_S,) * 2)
    os.utime(part, (time.time() - OLD_S,) * 2)
    return part


@pytest.mark.timeout(600)
def test_that_leftovers_are_listed_by_node_and_what_is_ticked_is_removed(
    window: MainWindow, nodes: PracticeCluster, qtbot: QtBot, wait: Wait
) -> None:
    first, second = leave(nodes.nodes[0].home, "<b>a\n"), leave(nodes.nodes[1].home, "keep")
    assert window.actions_by_name["sweep"].isEnabled()
    dialog = SweepDialog(window.controller, window)
    qtbot.addWidget(dialog)
    dialog.show()
    wait(lambda: not dialog.busy, LIMIT_S)
    tops = [top for i in range(2) if (top := dialog.list.topLevelItem(i)) is not None]
    assert [top.text(WHAT) for top in tops] == ["node1", "node2"]
    rows = [row for top in tops if (row := top.child(0)) is not None]
    assert [row.text(WHAT) for row in rows] == ["data/.part-<b>a?", "data/.part-keep"]
    assert {row.text(SIZE) for row in rows} == {"6.0 kB"}
    assert {row.text(WHY) for row in rows} == {"it was never finished"}
    assert "<b>" not in rows[0].toolTip(WHAT)
    assert dialog.remove_button.text() == "Remove 2 (12.0 kB)"
    rows[1].setCheckState(WHAT, Qt.CheckState.Unchecked)
    assert dialog.remove_button.text() == "Remove 1 (6.0 kB)"
    dialog.remove_button.click()
    wait(lambda: not dialog.busy, LIMIT_S)
    assert not first.exists()
    assert second.is_dir()
    assert dialog.words.text().startswith("Removed 1 of 1 (6.0 kB)")
    assert [found.title for found in dialog.ticked()] == ["data/.part-keep"]
    dialog.close()
