"""The runs page with runs in it: filter, sort, notes, tags, deletion with undo, details, menu."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from gui import deleting
from gui.runs_menu import run_menu
from gui.runs_model import NOTE, STATE, STEPS, TAGS, started_text
from gui.runs_page import RunsPage
from gui.runs_table import shared
from gui.window import MainWindow
from remote.export.bundle import write_bundle
from remote.history import History, RunRecord, StopOrder, TaskRecord
from remote.updates import ResultUpdate
from tests.remote.export.run_rows import HOSTILE, fill
from trainer.spec import TaskId

Wait = Callable[[Callable[[], bool], float], None]
IDS = ("20261130-1501-aaaa", "20261130-1502-bbbb", "20261130-1503-cccc", "20261130-1504-dddd")


def put(run_id: str, at: float, *, state: str = "finished", steps: int = 10, **more: str) -> None:
    history = History()
    name = more.get("name", "lab")
    training = f'{{"model": "{more.get("model", "mlp")}"}}'
    tasks = [TaskRecord(task=TaskId("worker", 0), node="gpu001", root="/r")]
    history.add_run(
        RunRecord(run_id=run_id, name=name, started_at=at, training=training, state=state),  # type: ignore[arg-type]
        tasks,
    )
    if state in ("finished", "failed"):
        history.finish(
            ResultUpdate(run_id=run_id, state=state, global_step=steps, final_loss=1.0,  # type: ignore[arg-type]
                         accuracy=None, examples=1, examples_per_second=None,
                         time_to_first_step_s=None, reason="worker:0 on gpu001: no room"),
            at + 65.0,
        )  # fmt: skip
    history.close()


@pytest.fixture
def page(window: MainWindow, wait: Wait) -> RunsPage:
    """Four runs: one of them failed, one of another model, one going on."""
    now = time.time()
    put(IDS[0], now - 40 * 86400, steps=300, model="resnet50")
    put(IDS[1], now - 3600, state="failed", steps=20, name=HOSTILE)
    put(IDS[2], now - 1800, steps=1000)
    put(IDS[3], now - 60, state="training")
    window.show_page("runs")
    found = window.page("runs")
    assert isinstance(found, RunsPage)
    wait(lambda: found.chosen() == IDS[3], 10)
    return found


def shown(page: RunsPage) -> list[str]:
    rows = (page.model.row_at(row) for row in range(page.model.rowCount()))
    return [row.record.run_id for row in rows if row is not None]


def choose(page: RunsPage, *run_ids: str) -> None:
    page.table.choose_rows([page.model.place_of(run_id) for run_id in run_ids])


def on_record() -> set[str]:
    history = History()
    try:
        return {run.run_id for run in history.runs()}
    finally:
        history.close()


def test_that_words_states_and_times_filter(page: RunsPage) -> None:
    page.filter.text.setText("RESNET lab")
    assert shown(page) == [IDS[0]]
    page.filter.text.setText("läb <script>")
    assert shown(page) == [IDS[1]]
    page.filter.text.clear()
    page.filter.state.setCurrentIndex(page.filter.state.findData("failed"))
    assert shown(page) == [IDS[1]]
    page.filter.clear_button.click()
    page.filter.span.setCurrentIndex(2)  # the last week
    assert shown(page) == [IDS[3], IDS[2], IDS[1]]
    assert page.subtitle.text() == "3 of 4 runs"
    page.filter.text.setText("no such run")
    assert shown(page) == []
    assert page.empty.isVisible()
    assert "Clear the filter" in page.empty.text()
    page.filter.clear()
    assert len(shown(page)) == 4


def test_that_columns_sort_and_what_has_no_value_stands_last(page: RunsPage) -> None:
    page.table.sortByColumn(STEPS, Qt.SortOrder.AscendingOrder)
    assert shown(page) == [IDS[1], IDS[0], IDS[2], IDS[3]]
    page.table.sortByColumn(STEPS, Qt.SortOrder.DescendingOrder)
    assert shown(page) == [IDS[2], IDS[0], IDS[1], IDS[3]]


def test_that_a_note_and_tags_are_edited_by_keys_and_kept(
    page: RunsPage, qtbot: QtBot, wait: Wait
) -> None:
    choose(page, IDS[1])
    page.table.setFocus()
    for key, text in ((Qt.Key.Key_F2, f"a note {HOSTILE[:20]}"), (Qt.Key.Key_T, "b, läb ,b")):
        qtbot.keyClick(page.table, key)
        editor = page.table.findChild(QLineEdit)
        assert editor is not None
        editor.setText(text)
        qtbot.keyClick(editor, Qt.Key.Key_Return)
        wait(lambda: page.table.findChild(QLineEdit) is None, 10)
    row = page.model.place_of(IDS[1])
    assert page.model.index(row, TAGS).data() == "b, läb"
    assert page.model.index(row, NOTE).data().startswith("a note <script>")

    def kept() -> bool:
        history = History()
        remark = history.remark(IDS[1])
        history.close()
        return remark.tags == ("b", "läb") and remark.note.startswith("a note <script>")

    wait(kept, 10)
    page.filter.text.setText("a note läb")
    assert shown(page) == [IDS[1]]


def test_that_a_deleted_run_can_be_brought_back(page: RunsPage, qtbot: QtBot) -> None:
    choose(page, IDS[1], IDS[2])
    qtbot.keyClick(page.table, Qt.Key.Key_Delete)
    assert shown(page) == [IDS[3], IDS[0]]
    (notice,) = page._controller.notices.open
    assert "2 runs are deleted" in notice.text
    page.table.setFocus()
    qtbot.keySequence(page.table, QKeySequence("Ctrl+Z"))
    assert len(shown(page)) == 4
    assert page._controller.notices.open == []
    assert on_record() == set(IDS)


def test_that_a_deleted_run_is_gone_after_the_time_to_undo(
    page: RunsPage, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert page.deleting._timer.interval() == deleting.UNDO_MS
    page.deleting._timer.setInterval(1)
    choose(page, IDS[1])
    page.delete_button.click()
    wait(lambda: on_record() == {IDS[0], IDS[2], IDS[3]}, 10)
    assert page._controller.notices.open == []
    page.load()
    wait(lambda: page.deleting.hidden == frozenset(), 10)
    assert IDS[1] not in shown(page)


def test_that_a_window_that_closes_ends_the_time_to_undo(page: RunsPage) -> None:
    choose(page, IDS[2])
    page.delete_button.click()
    page.deleting.finish()
    assert on_record() == {IDS[0], IDS[1], IDS[3]}


def test_that_a_run_going_on_is_not_deleted(page: RunsPage, qtbot: QtBot) -> None:
    choose(page, IDS[3], IDS[2])
    assert not page.delete_button.isEnabled()
    assert page.delete_button.toolTip() == f"Run {IDS[3]} is going on: stop it first."
    qtbot.keyClick(page.table, Qt.Key.Key_Delete)
    assert len(shown(page)) == 4


def test_that_the_chosen_run_is_told_in_detail(page: RunsPage, wait: Wait) -> None:
    fill(History(), "20200101-0000-zzzz", name="läb")
    page.load("20200101-0000-zzzz")
    wait(lambda: "20200101-0000-zzzz" in page.details.title.text(), 20)
    numbers = {row[0]: row[1] for row in page.details.numbers.texts()}
    assert numbers["Elapsed"] == "1:40"
    assert numbers["Accuracy"] == "87.50%"
    assert ["model", "mlp"] in page.details.settings.texts()
    tasks = page.details.tasks.texts()
    assert ["worker:0", f"{HOSTILE} · 1 GPU", "finished, start 2"] in tasks
    assert any(row[0] == "  start 1" and row[2].startswith("failed: cannot") for row in tasks)
    choose(page, IDS[1])
    wait(lambda: page.details.failure.isVisible(), 20)
    assert page.details.failure.text() == "worker:0 on gpu001: no room"


def test_that_the_menu_has_everything_with_its_key(page: RunsPage) -> None:
    choose(page, IDS[1])
    menu = run_menu(page)
    texts = {action.text().split("\t")[0]: action for action in menu.actions()}
    assert {"Open", "Follow live", "Compare", "Edit note", "Edit tags", "Delete"} <= set(texts)
    assert texts["Open"].isEnabled()
    assert not texts["Compare"].isEnabled()
    assert "Choose two runs" in texts["Compare"].toolTip()
    menu.deleteLater()


def test_that_a_run_is_exported_and_a_dropped_bundle_comes_in(
    page: RunsPage, window: MainWindow, wait: Wait, odd_path: Path
) -> None:
    fill(History(), IDS[0].replace("aaaa", "zzzz"))
    run_id = IDS[0].replace("aaaa", "zzzz")
    for kind, name in (("bundle", "a.clewrun"), ("report", "a.html"), ("csv", "tables")):
        page.exporting.write(run_id, kind, odd_path / name)
        wait(lambda n=name: (odd_path / n).exists() and _told(window, n), 20)  # type: ignore[misc]
    history = History()
    history.delete(run_id)
    history.close()
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(odd_path / "a.clewrun"))])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0)
    entered = QDragEnterEvent(QPointF(9, 9).toPoint(), copy, mime, left, none)
    QApplication.sendEvent(window, entered)
    assert entered.isAccepted()
    QApplication.sendEvent(window, QDropEvent(QPointF(9, 9), copy, mime, left, none))
    wait(lambda: page.chosen() == run_id, 20)
    row = page.model.known(run_id)
    assert row is not None
    assert row.remark.imported_at is not None
    assert "imported" in page.attach_button.toolTip()


def _told(window: MainWindow, name: str) -> bool:
    return any(name in notice.text for notice in window.controller.notices.open)


def test_that_a_bundle_that_is_none_is_told(window: MainWindow, wait: Wait, odd_path: Path) -> None:
    path = odd_path / "x.clewrun"
    path.write_bytes(b"PK nothing")
    assert window.open_profile(str(path))
    wait(lambda: bool(window.controller.notices.open), 20)
    (notice,) = window.controller.notices.open
    assert notice.text == "x.clewrun is no run bundle, or only a part of one"


def test_that_a_bundle_of_a_run_that_is_there_says_so(
    window: MainWindow, wait: Wait, odd_path: Path
) -> None:
    history = History()
    fill(history)
    path = write_bundle(history, "20261130-1502-k3f9", odd_path / "a.clewrun")
    history.close()
    window.open_profile(str(path))
    wait(lambda: _told(window, "was in the history already"), 20)


def test_that_twenty_thousand_runs_are_filtered_and_sorted_at_once(page: RunsPage) -> None:
    one = page.model.known(IDS[0])
    assert one is not None
    many = [
        one._replace(
            record=RunRecord(run_id=f"20200101-{n:05d}", name=f"n{n}", started_at=float(n))
        )
        for n in range(20_000)
    ]
    page.model.set_rows(many)
    begun = time.process_time()
    page.filter.text.setText("n19999")
    page.table.sortByColumn(STEPS, Qt.SortOrder.AscendingOrder)
    assert time.process_time() - begun < 2.0
    assert shown(page) == ["20200101-19999"]


def test_that_columns_share_what_room_there_is() -> None:
    assert shared({1: 100, 2: 300}, 1000) == {1: 100, 2: 300}
    assert shared({1: 100, 2: 300}, 300) == {1: 100, 2: 200}
    assert min(shared({1: 100, 2: 300}, 10).values()) >= 60


def test_that_a_start_of_another_year_has_its_year() -> None:
    now = time.mktime((2026, 11, 30, 12, 0, 0, 0, 0, -1))
    assert started_text(now - 86400, now) == "Nov 29 12:00"
    assert started_text(now - 366 * 86400, now).startswith("2025-11-29")


def test_that_a_node_that_is_gone_for_good_can_be_given_up(page: RunsPage, wait: Wait) -> None:
    order = StopOrder(
        run_id=IDS[1], node="gpu & <b>", place="ana@gpu:22", root="/r", depth="now", ordered_at=1.0
    )
    history = History()
    history.stop_orders.place([order, replace(order, node="gpu002")])
    assert give_up(page).isEnabled() is False
    page.load(IDS[1])
    wait(lambda: page.chosen() == IDS[1] and "gpu002" in page.details.waits.text(), 10)
    index = page.model.index(page.model.place_of(IDS[1]), STATE)
    assert index.data() == "failed · to be stopped"
    tip = index.data(Qt.ItemDataRole.ToolTipRole)
    assert "gpu &amp; &lt;b&gt; and gpu002 are heard again" in tip
    give_up(page).trigger()
    dialog = page.withdrawing.dialog
    assert dialog is not None
    assert not dialog.give_up.isEnabled()
    dialog.boxes[0].setChecked(True)
    assert dialog.chosen() == ["gpu & <b>"]
    dialog.give_up.click()
    wait(lambda: page.details.waits.text() == "It stops when gpu002 is heard again.", 10)
    assert [o.node for o in history.stop_orders.waiting()] == ["gpu002"]
    history.close()


def give_up(page: RunsPage) -> QAction:
    return next(a for a in run_menu(page).actions() if a.text().startswith("Give up"))
