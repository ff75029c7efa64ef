"""The placement board, worked with mouse and keys: what is done there is in the profile at once."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.board_layout import Item
from gui.board_menu import board_menu
from gui.board_view import BoardView
from gui.training_page import TrainingPage
from gui.window import MainWindow
from remote.checks import Finding
from remote.errors import PlanError
from remote.profile import dumps
from remote.updates import GpuSample, NodeSample, NodeUpdate
from tests.gui.board_session import connected
from tests.support.facts import cards, node_facts

LEFT = Qt.MouseButton.LeftButton
LONG = "a-very-long-name-of-a-machine-in-the-basement-of-building-42.compute.example.org"

NAMES = [LONG, "節点-東京-計算機室-三号機", "مركز-الحوسبة-عقدة-12", "<b>bold<i>&amp;"]


def item_of(board: BoardView, spoken: str) -> Item:
    """The item that a screen reader calls so, or begins to."""
    model = board.board_model
    found = [item for item in model.items if model.spoken(item).startswith(spoken)]
    assert found, [model.spoken(item) for item in model.items]
    return found[0]


def spot(board: BoardView, spoken: str) -> QPoint:
    """Its middle on the screen, scrolled into sight."""
    index = board.board_model.index(board.board_model.items.index(item_of(board, spoken)))
    board.scrollTo(index)
    return board.visualRect(index).center()


def drag(qtbot: QtBot, board: BoardView, task: str, target: str) -> None:
    view = board.viewport()
    start = spot(board, task)
    qtbot.mousePress(view, LEFT, pos=start)
    end = spot(board, target)
    qtbot.mouseMove(view, start + QPoint(30, 8))
    qtbot.mouseMove(view, end)
    qtbot.mouseRelease(view, LEFT, pos=end)


def keys(qtbot: QtBot, board: BoardView, *pressed: Qt.Key) -> None:
    for key in pressed:
        qtbot.keyClick(board, key)


def placement(page: TrainingPage) -> dict[str, str]:
    document = page._controller.document
    assert document.placement is not None
    return document.placement


def training(page: TrainingPage) -> tuple[int | None, int]:
    found = page._controller.training()
    assert found is not None
    return found.workers, found.ps


@pytest.fixture
def page(window: MainWindow) -> TrainingPage:
    """Two nodes with two GPUs each and one without, three workers, one ps."""
    return connected(window, {"gpu001": 2, "gpu002": 2, "cpu001": 0}, {"workers": 3})


AUTOMATIC = {
    "ps:0": "cpu001",
    "worker:0": "gpu001/0",
    "worker:1": "gpu001/1",
    "worker:2": "gpu002/0",
}


def test_that_a_task_is_moved_by_drag_and_drop_and_taken_back(
    page: TrainingPage, qtbot: QtBot
) -> None:
    document = page._controller.document
    assert placement(page) == {}
    drag(qtbot, page.board, "worker:0", "GPU 1 of gpu002")
    assert placement(page) == {**AUTOMATIC, "worker:0": "gpu002/1"}
    assert document.dirty
    assert document.profile is not None
    assert "placement:\n  ps:0: cpu001\n  worker:0: gpu002/1\n" in dumps(document.profile)
    drag(qtbot, page.board, "worker:0", "worker:1")  # they change places
    assert placement(page)["worker:0"] == "gpu001/1"
    assert placement(page)["worker:1"] == "gpu002/1"
    document.undo()
    assert placement(page)["worker:0"] == "gpu002/1"
    document.undo()
    assert placement(page) == {}
    document.redo()
    assert placement(page)["worker:0"] == "gpu002/1"
    page.plan_card.automatic_button.click()
    assert placement(page) == {}


def test_that_automatic_places_are_not_saved(page: TrainingPage, qtbot: QtBot) -> None:
    drag(qtbot, page.board, "worker:2", "GPU 1 of gpu002")
    assert placement(page)["worker:2"] == "gpu002/1"
    drag(qtbot, page.board, "worker:2", "GPU 0 of gpu002")
    assert placement(page) == {}


def test_that_a_task_is_moved_with_keys(page: TrainingPage, qtbot: QtBot) -> None:
    board = page.board
    board.choose("worker:1")
    keys(qtbot, board, Qt.Key.Key_M)
    assert board.carried == "worker:1"
    keys(qtbot, board, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Escape)
    assert board.carried == ""
    assert placement(page) == {}
    board.choose("worker:2")
    keys(qtbot, board, Qt.Key.Key_M, Qt.Key.Key_Right)
    assert page.plan_card.hint.text() == "worker:2 → GPU 1 of gpu002"
    keys(qtbot, board, Qt.Key.Key_Return)
    assert placement(page) == {**AUTOMATIC, "worker:2": "gpu002/1"}
    assert board.chosen == "worker:2"


def test_that_escape_while_a_task_is_carried_dismisses_no_notice(
    page: TrainingPage, window: MainWindow, qtbot: QtBot
) -> None:
    window.controller.notices.warning("something to be read")
    page.board.setFocus()
    page.board.choose("worker:0")
    keys(qtbot, page.board, Qt.Key.Key_M, Qt.Key.Key_Escape)
    assert page.board.carried == ""
    assert [notice.text for notice in window.controller.notices.open] == ["something to be read"]


def test_that_tasks_are_added_and_removed_with_keys(page: TrainingPage, qtbot: QtBot) -> None:
    board = page.board
    board.choose("worker:0")
    keys(qtbot, board, Qt.Key.Key_W)
    assert training(page) == (4, 1)
    assert placement(page) == {}  # where there is room, by itself
    assert board.chosen == "worker:3"
    keys(qtbot, board, Qt.Key.Key_P)
    assert training(page) == (4, 2)
    assert placement(page)["ps:1"] == "gpu002"  # beside what was current
    board.choose("worker:1")
    keys(qtbot, board, Qt.Key.Key_Delete)
    assert training(page) == (3, 2)
    assert placement(page)["worker:1"] == "gpu002/0"
    for _ in range(3):
        page._controller.document.undo()
    assert (training(page), placement(page)) == ((3, 1), {})


def test_that_a_worker_is_added_on_the_gpu_that_was_chosen(
    page: TrainingPage, qtbot: QtBot
) -> None:
    qtbot.mouseClick(page.board.viewport(), LEFT, pos=spot(page.board, "GPU 1 of gpu002"))
    keys(qtbot, page.board, Qt.Key.Key_W)
    assert training(page) == (4, 1)
    assert page.board.board_model.board.place_of("worker:3") == "gpu002/1"


def test_that_what_cannot_be_is_refused_in_a_sentence(page: TrainingPage, qtbot: QtBot) -> None:
    document = page._controller.document
    document.set_training({"workers": 4, "baseline": "single"}, "test")
    keys(qtbot, page.board, Qt.Key.Key_W)
    assert page.plan_card.hint.text() == (
        "baseline is single: one process does it all. Set it to none first."
    )
    document.set_training({"workers": 1}, "test")
    page.board.choose("worker:0")
    keys(qtbot, page.board, Qt.Key.Key_Delete)
    assert page.plan_card.hint.text() == "There must be a worker. Move it instead."


def test_that_arrows_and_tab_go_from_task_to_task(page: TrainingPage, qtbot: QtBot) -> None:
    board = page.board
    board.setFocus()
    board.choose("worker:0")
    keys(qtbot, board, Qt.Key.Key_Right)
    assert board.chosen == "worker:1"
    keys(qtbot, board, Qt.Key.Key_Left, Qt.Key.Key_Tab, Qt.Key.Key_Tab)
    assert board.chosen == "worker:2"
    keys(qtbot, board, Qt.Key.Key_Backtab)
    assert board.chosen == "worker:1"
    keys(qtbot, board, Qt.Key.Key_End)
    assert board.chosen == "ps:0"
    assert board.focusNextPrevChild(False)
    keys(qtbot, board, Qt.Key.Key_Home)
    item = board.current_item()
    assert item is not None
    assert board.board_model.spoken(item) == "CPU of gpu001, free"


def test_that_every_cell_and_task_has_a_name_that_a_screen_reader_says(page: TrainingPage) -> None:
    interface = QAccessible.queryAccessibleInterface(page.board)
    assert interface is not None
    name = QAccessible.Text.Name
    assert interface.text(name) == "Placement board"
    children = [interface.child(at) for at in range(interface.childCount())]
    names = [child.text(name) for child in children if child is not None]
    assert names == [
        "node gpu001, address host0, 8 CPUs · 32 GiB",
        "CPU of gpu001, free",
        "GPU 0 of gpu001, A100-SXM4-80GB · 80 GiB, worker:0",
        "worker:0, chief, on GPU 0 of gpu001",
        "GPU 1 of gpu001, A100-SXM4-80GB · 80 GiB, worker:1",
        "worker:1, on GPU 1 of gpu001",
        "node gpu002, address host1, 8 CPUs · 32 GiB",
        "CPU of gpu002, free",
        "GPU 0 of gpu002, A100-SXM4-80GB · 80 GiB, worker:2",
        "worker:2, on GPU 0 of gpu002",
        "GPU 1 of gpu002, A100-SXM4-80GB · 80 GiB, free",
        "node cpu001, address host2, 8 CPUs · 32 GiB",
        "CPU of cpu001, ps:0",
        "ps:0, on CPU of cpu001",
    ]


def test_that_the_plan_can_be_read_and_copied_for_one_task_and_for_all(
    page: TrainingPage, qtbot: QtBot
) -> None:
    panel = page.plan_card.panel
    page.board.choose("worker:1")
    assert panel.title.text() == "worker:1 on gpu001"
    assert "address  host0:2221" in panel.text.toPlainText()
    panel.tabs.setCurrentIndex(1)
    keys_before = json.loads(panel.text.toPlainText())
    assert keys_before["task"] == {"type": "worker", "index": 1}
    panel.tabs.setCurrentIndex(2)
    assert "CUDA_VISIBLE_DEVICES=GPU-gpu001-1" in panel.text.toPlainText()
    panel.tabs.setCurrentIndex(3)
    qtbot.keyClick(page.board, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    line = "/usr/bin/python3 -m trainer /home/ana/.clew/runs/RUN/gpu001/worker-1"
    assert QGuiApplication.clipboard().text() == line
    panel.all_button.click()
    assert panel.title.text() == "All 4 tasks"
    panel.copy_button.click()
    assert QGuiApplication.clipboard().text().count("-m trainer") == 4
    page.board.choose("worker:2")  # choosing one shows that one again
    assert panel.title.text() == "worker:2 on gpu002"


def test_that_a_task_without_a_place_is_marked_and_the_rest_can_be_placed(
    page: TrainingPage, qtbot: QtBot
) -> None:
    drag(qtbot, page.board, "worker:0", "GPU 1 of gpu002")
    document = page._controller.document
    document.set_training({"workers": 4}, "test")
    words = "worker:3 has no place. Give it one, or place all tasks automatically"
    assert page.plan_card.reason.text() == words
    assert item_of(page.board, f"worker:3, without a place, {words}").cell is not None
    assert not page.launch_button.isEnabled()
    page.plan_card.rest_button.click()
    assert placement(page)["worker:3"] == "gpu001/0"
    assert not page.plan_card.reason.isVisible()
    document.undo()
    drag(qtbot, page.board, "worker:3", "CPU of cpu001")
    assert placement(page)["worker:3"] == "cpu001"


def test_that_a_card_that_was_lost_is_marked_where_it_is(window: MainWindow) -> None:
    first, second = cards("gpu001", 2)
    lost = dataclasses.replace(second, lost=True, warning="fell off the bus")
    page = connected(
        window,
        {"gpu001": 2},
        {"workers": 1},
        {"worker:0": "gpu001/1", "ps:0": "gpu001"},
        gpu001=node_facts("gpu001", (first, lost)),
    )
    words = "worker:0 cannot have GPU 1 of gpu001: its system has lost it. Choose one of 0"
    assert page.plan_card.reason.text() == words
    spoken = page.board.board_model.spoken(item_of(page.board, "GPU 1 of gpu001"))
    assert spoken == f"GPU 1 of gpu001, A100, worker:0, its system has lost it, {words}"
    assert page.placing.refusal("worker:0", item_of(page.board, "GPU 1 of").cell) == (  # type: ignore[arg-type]
        "GPU 1 of gpu001 cannot be used: its system has lost it."
    )


def test_that_a_node_that_went_is_marked_and_one_that_comes_is_not(
    page: TrainingPage, window: MainWindow
) -> None:
    session = window.controller.session
    del session._facts["gpu002"]  # type: ignore[union-attr]
    nodes = window.controller.models
    nodes.apply(NodeUpdate(node="gpu002", state="unreachable", detail="no answer"))
    window.controller.changed.emit()
    spoken = [page.board.board_model.spoken(i) for i in page.board.board_model.items]
    assert "node gpu002, address host1, not connected, no answer" in spoken
    assert page.plan_card.panel.text.toPlainText() == "gpu002: no answer"
    nodes.apply(NodeUpdate(node="gpu002", state="connecting"))
    window.controller.changed.emit()
    assert item_of(page.board, "node gpu002, address host1, connecting")


def test_that_it_says_who_else_is_on_a_gpu(page: TrainingPage, window: MainWindow) -> None:
    models = window.controller.models
    gpu = GpuSample(
        uuid="GPU-gpu001-1",
        index=1,
        name="A100",
        utilization_percent=97.0,
        memory_used_bytes=12 * 2**30,
        memory_total_bytes=80 * 2**30,
        temperature_c=None,
        power_watts=None,
    )
    models.apply(
        NodeSample(
            node="gpu001",
            t=0.0,
            cpu_percent=1.0,
            memory_used_bytes=1,
            memory_total_bytes=2,
            gpus=(gpu,),
        )
    )
    page.refresh(0.0)
    assert page.board.board_model.spoken(item_of(page.board, "GPU 1 of gpu001")).endswith(
        "worker:1, in use: 12 GiB, about 100 %"
    )
    models.check.began = True
    what = "GPU 1 (A100) is in use: bo (pid 12 python, 10 GB)"
    models.check.apply(Finding(topic="gpu", level="warning", node="gpu001", what=what))
    page.refresh(0.0)
    assert page.board.board_model.spoken(item_of(page.board, "GPU 1 of gpu001")).endswith(
        "worker:1, in use: bo (pid 12 python, 10 GB)"
    )


def test_that_without_nodes_it_says_what_to_do_next(window: MainWindow) -> None:
    window.controller.document.new({})
    window.show_page("training")
    page = window.page("training")
    assert isinstance(page, TrainingPage)
    card = page.plan_card
    assert card.empty.text() == "There are no nodes yet. Add the first one on the Cluster page."
    assert not card.connect_button.isVisible()
    window.controller.document.new({"nodes": [{"host": "gpu001"}]})
    assert card.empty.text().startswith("Connect to the nodes")
    assert card.connect_button.isVisible()
    window.controller.document.new({"nodes": [{"host": "gpu001"}], "placement": {"ps:0": "x"}})
    assert card.empty.text() == ("placement.ps:0: there is no node x: write one of gpu001")
    card.automatic_button.click()
    assert card.empty.text().startswith("Connect to the nodes")


def test_that_a_file_that_cannot_be_saved_cannot_be_changed_on_the_board(
    page: TrainingPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(page._controller.document), "read_only", property(lambda _: True))
    page.placing.show_plan()
    drag(qtbot, page.board, "worker:0", "GPU 1 of gpu002")
    page.board.choose("worker:0")
    keys(qtbot, page.board, Qt.Key.Key_W, Qt.Key.Key_Delete, Qt.Key.Key_M)
    assert (placement(page), page.board.carried) == ({}, "")
    menu = board_menu(page.board, page.placing.automatic, by_hand=True)
    enabled = [action.text().split("\t")[0] for action in menu.actions() if action.isEnabled()]
    assert [text for text in enabled if text] == ["Copy what is shown"]


def test_that_the_menu_does_what_the_keys_do(page: TrainingPage) -> None:
    page.board.choose("worker:2")
    menu = board_menu(page.board, page.placing.automatic, by_hand=False)
    actions = {action.text().split("\t")[0]: action for action in menu.actions()}
    actions["Add a ps on this node"].trigger()
    assert page.board.board_model.board.place_of("ps:1") == "gpu002"
    actions["Remove worker:2"].trigger()
    assert training(page) == (2, 2)


def test_that_any_name_has_its_place_and_is_whole_in_the_tooltip(window: MainWindow) -> None:
    page = connected(window, {**dict.fromkeys(NAMES, 3), "b": 1}, {"ps": 2})
    board = page.board
    for width in (1700, 860):
        window.resize(width, 640)
        QApplication.processEvents()
        for item in board.board_model.items:
            assert item.rect.right() <= board.viewport().width()
            assert item.rect.width() > 20
        assert not board.grab().isNull()
    for name in NAMES:
        index = board.board_model.items.index(item_of(board, f"node {name}"))
        tip = board.board_model.data(board.board_model.index(index), Qt.ItemDataRole.ToolTipRole)
        escaped = name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        assert escaped in tip


def test_that_of_many_nodes_only_those_in_sight_are_drawn(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = connected(window, {f"gpu{i:03d}": 8 for i in range(64)})
    drawn: list[str] = []
    paint: Callable[..., None] = __import__("gui.board_paint").board_paint.BoardPainter.card

    def noted(self: object, box: object) -> None:
        drawn.append(box.card.node)  # type: ignore[attr-defined]
        paint(self, box)

    monkeypatch.setattr("gui.board_paint.BoardPainter.card", noted)
    page.board.viewport().repaint()
    assert 0 < len(set(drawn)) < 12
    page.board.setFocus()
    page.board.choose("worker:0")
    keys(qtbot, page.board, Qt.Key.Key_M, Qt.Key.Key_End)
    drawn.clear()
    page.board.viewport().repaint()
    assert "gpu063" in drawn
    assert "gpu000" not in drawn
    keys(qtbot, page.board, Qt.Key.Key_Return)
    assert placement(page)["worker:0"] == "gpu063/7"
    assert placement(page)["worker:511"] == "gpu000/0"


def test_that_edited_nodes_keep_the_places_of_the_others(page: TrainingPage, qtbot: QtBot) -> None:
    drag(qtbot, page.board, "worker:0", "GPU 1 of gpu002")
    document = page._controller.document
    nodes = document.nodes()
    nodes[1]["name"] = "renamed"
    document.set_nodes(nodes, "rename")
    assert placement(page)["worker:0"] == "renamed/1"
    assert page.plan_card.empty.text().startswith("The nodes were edited.")
    with pytest.raises(PlanError):
        page._controller.plan()
