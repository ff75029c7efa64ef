"""The check in the window: what it shows, how it is worked, and that it is for real."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gui.check_panel import DEVICES, FINDINGS, STEPS, CheckPanel
from gui.cluster_page import ClusterPage
from gui.window import MainWindow
from remote.checks import CheckEnd, CheckItem, CheckStep, Finding, HelloDevice, Pair

Wait = Callable[[Callable[[], bool], float], None]
WAYS = 1
FULL = Finding(topic="disk", level="problem", what="the disk is full", node="b", remedy="Free it.")
SLOW = Finding(topic="reach", level="warning", what="the way is slow", remedy="Use another.")
WELL = Finding(topic="shell", level="ok", what="the login shell is <b>bash</b>", node="a")
END = CheckEnd(state="problems", problems=1, warnings=1, seconds=2.0, reason="b: the disk is full")


def way(source: str, target: str, how: str = "open") -> Pair:
    good = how == "open"
    return Pair(
        source=source,
        target=target,
        task="worker:0",
        address=f"{target}:2220",
        how=how,  # type: ignore[arg-type]
        text=f"{source} dials {target}",
        rtt_s=0.0005 if good else None,
        bytes_per_second=2.0**30 if good else None,
    )


@pytest.fixture
def panel(window: MainWindow, profile_file: Path) -> CheckPanel:
    """The panel of a window with a profile that nobody connects to."""
    window.open_profile(str(profile_file))
    window.show_page("cluster")
    page = window.page("cluster")
    assert isinstance(page, ClusterPage)
    return page.check


def told(window: MainWindow, panel: CheckPanel, *items: CheckItem, hello: bool = False) -> None:
    """A check of nodes a and b that has told ``items``."""
    check = window.controller.models.check
    check.begin(["a", "b"], hello)
    for item in items:
        window.controller.models.apply(item)
    panel.refresh()


def text(panel: CheckPanel, tab: int, row: int, column: int) -> str:
    return str(panel.views[tab].model().index(row, column).data())


def test_that_before_a_check_the_panel_says_what_one_does(panel: CheckPanel) -> None:
    assert "Not checked yet" in panel.words.text()
    assert not panel.check_button.isEnabled()
    assert panel.check_button.toolTip() == "Connect to the nodes first."
    assert panel.tabs.isHidden()
    assert panel.cancel_button.isHidden()


def test_that_findings_are_told_worst_first_with_what_to_do(
    window: MainWindow, panel: CheckPanel
) -> None:
    told(window, panel, WELL, SLOW, FULL, END)
    assert panel.tabs.currentIndex() == FINDINGS
    assert panel.tabs.tabText(FINDINGS) == "Findings (2)"
    rows = [text(panel, FINDINGS, row, 0) for row in range(2)]
    assert rows == ["✗ problem", "! warning"]  # words, not only colours
    assert panel.detail.text() == "b: the disk is full."
    assert panel.remedy.text() == "Free it."
    assert panel.words.text() == "Checked in 2.0 s: 1 problem and 1 warning."
    panel.copy_button.click()
    assert QGuiApplication.clipboard().text() == "Free it."
    panel.everything.click()
    assert panel.findings.rowCount() == 3
    assert text(panel, FINDINGS, 2, 3) == WELL.what
    panel.views[FINDINGS].setCurrentIndex(panel.findings.index(2, 0))
    assert panel.detail.textFormat() == Qt.TextFormat.PlainText
    assert panel.remedy.isHidden()


def test_that_the_matrix_says_in_words_and_colours_who_reaches_whom(
    window: MainWindow, panel: CheckPanel
) -> None:
    told(window, panel, way("a", "b"), way("b", "a", "silent"), END)
    panel.tabs.setCurrentIndex(WAYS)
    view = panel.views[WAYS]
    words = [[text(panel, WAYS, row, column) for column in range(2)] for row in range(2)]
    assert words == [["–", "0.50 ms, 1.0 GiB/s"], ["no answer", "–"]]
    tint = Qt.ItemDataRole.BackgroundRole
    good, bad, none = (panel.matrix.index(r, c).data(tint) for r, c in ((0, 1), (1, 0), (0, 0)))
    assert isinstance(good, QColor)
    assert isinstance(bad, QColor)
    assert good != bad
    assert none is None
    assert panel.matrix.index(1, 0).data(Qt.ItemDataRole.ToolTipRole) == "b dials a"
    heads = [
        panel.matrix.headerData(1, side, Qt.ItemDataRole.DisplayRole)
        for side in (Qt.Orientation.Horizontal, Qt.Orientation.Vertical)
    ]
    assert heads == ["to b", "from b"]
    assert view.accessibleName() == "Who reaches whom"


def test_that_each_step_of_each_node_is_shown_while_it_goes_on(
    window: MainWindow, panel: CheckPanel
) -> None:
    told(
        window,
        panel,
        CheckStep(node="a", step="node", done=1, total=1),
        CheckStep(node="b", step="throughput", done=2, total=8, detail="sending to a"),
    )
    assert panel.tabs.currentIndex() == STEPS
    assert not panel.cancel_button.isHidden()
    assert text(panel, STEPS, 0, 1) == "done"
    assert text(panel, STEPS, 1, 3) == "sending to a (3 of 8)"
    assert text(panel, STEPS, 1, 1) == "–"
    assert 0 < panel.progress.value() < 1000
    assert panel.words.text() == "Checking: throughput …"


def test_that_a_check_without_any_finding_says_so(window: MainWindow, panel: CheckPanel) -> None:
    good = CheckEnd(state="good", problems=0, warnings=0, seconds=1.0)
    told(window, panel, WELL, good)
    assert panel.nothing.text() == "Nothing is in the way."
    assert not panel.nothing.isHidden()
    assert not panel.tabs.isTabVisible(DEVICES)


def test_that_the_hello_names_each_device(window: MainWindow, panel: CheckPanel) -> None:
    device = HelloDevice(node="a", device="GPU:0", name="A100", good=True, text="[5, 7, 9]")
    told(window, panel, device, END, hello=True)
    panel.tabs.setCurrentIndex(DEVICES)
    assert [text(panel, DEVICES, 0, column) for column in range(5)] == [
        "✓ ok",
        "a",
        "GPU:0",
        "A100",
        "[5, 7, 9]",
    ]


def test_that_the_panel_is_worked_with_the_keyboard(
    window: MainWindow, panel: CheckPanel, qtbot: QtBot
) -> None:
    told(window, panel, FULL, SLOW, END)
    window.activateWindow()
    panel.tabs.tabBar().setFocus()
    reached: list[QWidget | None] = []
    for _ in range(6):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())
    view = panel.views[FINDINGS]
    for widget in (view, panel.everything, panel.copy_button):
        assert widget in reached
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert panel.detail.text() == "the way is slow."
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "the way is slow. Use another."


def test_that_items_of_a_check_that_was_forgotten_show_nothing(
    window: MainWindow, panel: CheckPanel
) -> None:
    told(window, panel, FULL)
    window.controller.models.check.forget()
    window.controller.models.apply(SLOW)
    panel.refresh()
    assert panel.tabs.isHidden()
    assert panel.findings.check.findings == []


def test_that_a_click_checks_the_practice_cluster(
    window: MainWindow, qtbot: QtBot, wait: Wait
) -> None:
    pytest.importorskip("asyncssh")
    qtbot.mouseClick(window.start_page.practice_button, Qt.MouseButton.LeftButton)
    controller = window.controller
    wait(lambda: controller.models.nodes.counts().get("ready") == 3, 90)
    page = window.page("cluster")
    assert isinstance(page, ClusterPage)
    wait(lambda: page.check.check_button.isEnabled(), 30)
    qtbot.mouseClick(page.check.check_button, Qt.MouseButton.LeftButton)
    assert controller.why_not_launch() == "A check is going on. Cancel it, or wait for its end."
    assert not window.actions_by_name["launch"].isEnabled()
    check = controller.models.check
    wait(lambda: check.end is not None, 60)
    assert check.end is not None
    assert check.end.problems == 0, check.end.reason
    others = [(a, b) for a in check.nodes for b in check.nodes if a != b]
    found = [check.cell(*ends).good for ends in others]
    assert True in found
    assert False not in found
    wait(lambda: window.actions_by_name["launch"].isEnabled(), 10)
