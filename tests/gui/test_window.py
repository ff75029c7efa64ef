"""The main window: files, unsaved changes, pages, keys, and what it says."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QMessageBox
from pytestqt.qtbot import QtBot

from gui.node_table import NodeTableModel
from gui.settings import Settings
from gui.window import MainWindow
from remote import profile
from remote.facts import Gpu, NodeFacts
from remote.updates import NodeUpdate, NoticeUpdate, Progress
from tests.support.facts import node_facts

Wait = Callable[[Callable[[], bool], float], None]


def table_of(window: MainWindow) -> NodeTableModel:
    page = window.page("cluster")
    model = page.model  # type: ignore[attr-defined]
    assert isinstance(model, NodeTableModel)
    return model


def test_that_the_start_page_says_what_to_do(window: MainWindow) -> None:
    assert window.current_page == "start"
    assert window.start_page.open_button.isEnabled()
    assert "Open a profile" in window.sentence.text() or window.sentence.text() == ""
    assert not window.actions_by_name["connect"].isEnabled()
    assert "Open a profile" in window.actions_by_name["launch"].toolTip()
    assert not window.rail.buttons["cluster"].isEnabled()


def test_that_an_opened_profile_is_shown_and_remembered(
    window: MainWindow, settings: Settings, profile_file: Path
) -> None:
    window.open_profile(str(profile_file))
    model = table_of(window)
    assert window.current_page == "cluster"
    assert [model.index(r, 2).data() for r in range(3)] == ["gpu001", "gpu002", "gpu003"]
    assert model.index(0, 5).data() == "gpu001-ib0"
    assert model.index(2, 6).data() == "0,1"
    assert settings.recent() == [str(profile_file)]
    assert window.windowTitle() == "lab – Clew"


def test_that_an_edit_shows_a_star_until_it_is_saved(
    window: MainWindow, profile_file: Path
) -> None:
    window.open_profile(str(profile_file))
    model = table_of(window)
    assert model.setData(model.index(1, 3), "2200", Qt.ItemDataRole.EditRole)
    assert "*" in window.windowTitle()
    window.actions_by_name["save"].trigger()
    assert "*" not in window.windowTitle()
    assert profile.load(profile_file).profile.nodes[1].port == 2200
    assert model.setData(model.index(1, 3), "2222", Qt.ItemDataRole.EditRole)
    assert "*" in window.windowTitle()
    window.actions_by_name["undo"].trigger()
    assert "*" not in window.windowTitle()


def test_that_a_profile_saved_and_opened_again_is_equal(
    window: MainWindow, profile_file: Path, odd_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.open_profile(str(profile_file))
    model = table_of(window)
    row = model.add()
    model.setData(model.index(row, 2), "127.0.0.9", Qt.ItemDataRole.EditRole)
    model.setData(model.index(row, 4), "ana", Qt.ItemDataRole.EditRole)
    saved = window.controller.document.profile
    target = odd_path / "copy of lab.yaml"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    window.actions_by_name["save_as"].trigger()
    window.open_profile(str(target))
    assert window.controller.document.profile == saved
    assert not window.controller.document.dirty


def test_that_a_wrong_cell_is_told_in_its_row_and_blocks_nothing_else(
    window: MainWindow, profile_file: Path
) -> None:
    window.open_profile(str(profile_file))
    model = table_of(window)
    model.setData(model.index(1, 3), "99999", Qt.ItemDataRole.EditRole)
    assert "port" in model.issue(1)
    assert model.index(1, 0).data() == "wrong"
    assert model.index(0, 0).data() == "not connected"
    assert not window.actions_by_name["connect"].isEnabled()
    assert not window.actions_by_name["save"].isEnabled()
    model.setData(model.index(1, 3), "", Qt.ItemDataRole.EditRole)
    assert window.actions_by_name["connect"].isEnabled()


def test_that_a_removed_node_can_be_brought_back(window: MainWindow, profile_file: Path) -> None:
    window.open_profile(str(profile_file))
    page = window.page("cluster")
    page.table.selectRow(1)  # type: ignore[attr-defined]
    page.remove_selected()  # type: ignore[attr-defined]
    model = table_of(window)
    assert [model.name(r) for r in range(model.rowCount())] == ["gpu001", "gpu003"]
    (notice,) = window.controller.notices.open
    assert notice.text == "Removed gpu002."
    window.controller.notices.act(notice)
    assert [model.name(r) for r in range(3)] == ["gpu001", "gpu002", "gpu003"]


def test_that_a_bad_profile_is_one_notice_with_its_lines(
    window: MainWindow, odd_path: Path
) -> None:
    path = odd_path / "bad.yaml"
    path.write_text("clew: 1\nnodes:\n  - hots: a\n  - host: b\n    port: x\n", encoding="utf-8")
    window.open_profile(str(path))
    assert window.current_page == "start"
    (notice,) = window.controller.notices.open
    assert notice.level == "error"
    assert "bad.yaml:3" in notice.text
    assert "bad.yaml:5" in notice.text
    window.open_profile(str(odd_path / "missing.yaml"))
    assert "missing.yaml" in window.controller.notices.open[-1].text


@pytest.mark.parametrize(
    ("button", "stays"),
    [
        (QMessageBox.StandardButton.Cancel, True),
        (QMessageBox.StandardButton.Discard, False),
        (QMessageBox.StandardButton.Save, False),
    ],
)
def test_that_unsaved_changes_are_asked_about_on_close(
    window: MainWindow,
    profile_file: Path,
    answer_box: Callable[[QMessageBox.StandardButton], list[str]],
    button: QMessageBox.StandardButton,
    stays: bool,
) -> None:
    window.open_profile(str(profile_file))
    model = table_of(window)
    model.setData(model.index(0, 4), "eva", Qt.ItemDataRole.EditRole)
    words = answer_box(button)
    window.close()
    assert words == ["Save the changes of lab?"]
    assert window.isVisible() is stays
    saved = profile.load(profile_file).profile.nodes[0].user
    assert saved == ("eva" if button == QMessageBox.StandardButton.Save else None)


def facts(name: str) -> NodeFacts:
    gpu = Gpu(index=0, uuid="GPU-1", name="NVIDIA A100", memory_total_bytes=2**36)
    return node_facts(name, (gpu,), clock_offset_s=357.0)


def test_that_nodes_show_state_progress_and_remedy(
    window: MainWindow, profile_file: Path, wait: Wait
) -> None:
    window.open_profile(str(profile_file))
    put = window.controller.bridge.updates.put
    put(NodeUpdate(node="gpu001", state="ready", last_heard=time.time(), facts=facts("gpu001")))
    put(
        NodeUpdate(
            node="gpu002",
            state="unreachable",
            detail="nobody listens <b>there</b>",
            remedy="Start sshd.",
            last_heard=time.time() - 1801,  # half an hour, also half a minute later
        )
    )
    put(Progress(node="gpu003", action="Sending the data", done=25, total=100))
    model, page = table_of(window), window.page("cluster")
    wait(lambda: model.index(2, 11).data() == "Sending the data 25%", 5)
    assert model.index(0, 0).data() == "ready"
    assert model.index(0, 8).data() == "1 × A100"
    assert model.index(1, 7).data() == "30 min ago"
    wait(lambda: page.remedy.text() == "Start sshd.", 5)  # type: ignore[attr-defined]
    assert page.what.text() == "nobody listens <b>there</b>"  # type: ignore[attr-defined]
    page.table.selectRow(0)  # type: ignore[attr-defined]
    assert "5 min 57 s ahead" in page.facts.text()  # type: ignore[attr-defined]
    command = page.ssh_command(1)  # type: ignore[attr-defined]
    assert command == "ssh -p 2222 -- gpu002"


def test_that_the_ssh_command_is_quoted(window: MainWindow, profile_file: Path) -> None:
    window.open_profile(str(profile_file))
    document = window.controller.document
    nodes = document.nodes()
    nodes[0]["identity_file"] = "/keys/a b'c"
    document.set_nodes(nodes, "test")
    command = window.page("cluster").ssh_command(0)  # type: ignore[attr-defined]
    assert command == "ssh -i '/keys/a b'\"'\"'c' -- gpu001"


def test_that_notices_count_up_and_are_plain_text(window: MainWindow, wait: Wait) -> None:
    for _ in range(3):
        window.controller.bridge.updates.put(
            NoticeUpdate(
                level="warning", text="disk is <b>full</b>", node="gpu001", remedy="Free it."
            )
        )
    wait(lambda: bool(window.controller.notices.open), 5)
    wait(lambda: window.controller.notices.open[0].count == 3, 5)
    labels = [label for label in window.strip.findChildren(QLabel) if "full" in label.text()]
    assert labels[0].text() == "gpu001: disk is <b>full</b>. Free it.  (3×)"
    assert labels[0].textFormat() == Qt.TextFormat.PlainText


def test_that_keys_reach_the_pages(window: MainWindow, profile_file: Path, qtbot: QtBot) -> None:
    window.open_profile(str(profile_file))
    window.activateWindow()
    for number, key in enumerate(("cluster", "training", "live", "logs", "runs"), start=1):
        qtbot.keyClick(
            window, getattr(Qt.Key, f"Key_{number}"), Qt.KeyboardModifier.ControlModifier
        )
        assert window.current_page == key


def test_that_theme_and_place_are_remembered(
    window: MainWindow, settings: Settings, profile_file: Path
) -> None:
    window.choose_theme("dark")
    window.resize(900, 640)
    window.close()
    again = MainWindow(settings)
    assert settings.theme == "dark"
    assert again.height() == 640  # the width is the offscreen screen's
    again.controller.bridge.stop()
    again.choose_theme("light")
    again.deleteLater()
