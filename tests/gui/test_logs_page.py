"""The logs page: merged and filtered rows, search, following the end, the first failure."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication
from pytestqt.qtbot import QtBot

from gui.cause_card import followed_text, title_of
from gui.log_model import LogModel
from gui.log_search import LogSearch
from gui.log_view import ansi
from gui.logs_page import LogsPage
from gui.run_model import RunModel
from gui.theme import load_colors
from gui.window import MainWindow
from remote.logs import TaskLog
from remote.logs.colors import Style
from remote.updates import Cause, CauseUpdate, Consequence, LogUpdate, MarkUpdate
from tests.support.waiting import SLACK
from trainer.spec import TaskId

Wait = Callable[[Callable[[], bool], float], None]
PS, W0, W1 = TaskId("ps", 0), TaskId("worker", 0), TaskId("worker", 1)
T0 = 1796050000.0


class Shown:
    """The logs page of a window that shows a run, and what the run's tasks write."""

    def __init__(self, window: MainWindow) -> None:
        window.controller.models.show_run("r", None, T0)
        run = window.controller.models.run
        assert run is not None
        self.run: RunModel = run
        self.window = window
        window.show_page("logs")
        page = window.page("logs")
        assert isinstance(page, LogsPage)
        self.page = page

    def write(self, task: TaskId, text: str, at: float) -> None:
        self.run.apply(LogUpdate(run_id="r", task=task, offset=0, text=text, read_at=T0 + at))

    def texts(self) -> list[str]:
        self.page.refresh(T0)
        model = self.page.model
        rows = (model.row(position) for position in range(model.rowCount()))
        return [row.text for row in rows if row is not None]

    def choose(self, *names: str) -> None:
        tasks = self.page.tasks
        tasks.clearSelection()
        for row in range(tasks.count()):
            item = tasks.item(row)
            item.setSelected(item.text() in names)


@pytest.fixture
def shown(window: MainWindow, profile_file: Path) -> Shown:
    window.open_profile(str(profile_file))
    return Shown(window)


def test_that_logs_are_merged_by_time_whenever_they_come(shown: Shown) -> None:
    shown.write(W0, "a1\n", 1)
    shown.write(W1, "b2\n", 2)
    shown.write(W0, "a3\n", 3)
    assert shown.texts() == ["a1", "b2", "a3"]
    shown.write(PS, "p2\n", 2.5)
    shown.write(W1, "b4\n", 4)
    assert shown.texts() == ["a1", "b2", "p2", "a3", "b4"]
    assert [shown.page.tasks.item(i).text() for i in range(4)] == [
        "all",
        "ps:0",
        "worker:0",
        "worker:1",
    ]
    shown.choose("worker:0")
    assert shown.texts() == ["a1", "a3"]
    shown.choose("worker:0", "ps:0")
    shown.write(PS, "p5\n", 5)
    assert shown.texts() == ["a1", "p2", "a3", "p5"]


def test_that_a_progress_bar_is_shown_as_it_stands(shown: Shown) -> None:
    shown.write(W0, "begin\n", 1)
    shown.write(W0, "10%\r20%", 2)
    shown.write(W1, "b\n", 3)
    assert shown.texts() == ["begin", "b", "20%"]
    shown.write(W0, "\r30%", 4)
    assert shown.texts() == ["begin", "b", "30%"]
    shown.write(W0, "\rdone\n", 5)
    assert shown.texts() == ["begin", "b", "done"]


def test_that_levels_filter_what_is_there_and_what_comes(shown: Shown) -> None:
    shown.write(W0, "plain\nWARNING: odd\nTraceback (most recent call last):\nValueError: x\n", 1)
    shown.page.level.setCurrentIndex(2)
    assert len(shown.texts()) == 0 + len(["WARNING: odd", "Traceback", "ValueError"])
    shown.write(W0, "more\nERROR: bad\n", 2)
    shown.page.level.setCurrentIndex(3)
    shown.write(W0, "and more\nFATAL: worse\n", 3)
    assert shown.texts()[-2:] == ["ERROR: bad", "FATAL: worse"]


def test_that_text_is_never_markup(shown: Shown) -> None:
    shown.write(W0, "<b>step 1</b> &amp; loss\n", 1)
    assert shown.texts() == ["<b>step 1</b> &amp; loss"]
    shown.window.grab()  # it is painted as it is, too


def test_that_search_counts_and_goes_round(shown: Shown, qtbot: QtBot) -> None:
    shown.write(W0, "".join(f"step {n}\n" for n in range(300)) + "long " * 200 + "\n", 1)
    shown.texts()
    page = shown.page
    page.search.setText("STEP 29")
    assert page.found.text() == "1 of 11"  # 29 and 290 to 299
    assert not page.view.following
    qtbot.keyClick(page.search, Qt.Key.Key_Return)
    assert page.found.text() == "2 of 11"
    assert page.view.delegate.current == 290
    qtbot.keyClick(page.search, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    page.find_previous()
    assert page.found.text() == "11 of 11"
    page.find_next()
    assert page.view.delegate.current == 29
    assert page.view.horizontalScrollBar().value() == 0
    shown.write(W0, "step 29 again\n", 2)
    page.refresh(T0)
    assert page.found.text() == "1 of 12"
    page.search.setText("nowhere")
    assert page.found.text() == "nothing found"
    page.search.clear()
    assert page.found.text() == ""


def test_that_ctrl_f_takes_the_keyboard_to_the_search(
    shown: Shown, qtbot: QtBot, wait: Wait
) -> None:
    shown.window.activateWindow()
    shown.page.view.setFocus()
    qtbot.keyClick(shown.page.view, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    wait(shown.page.search.hasFocus, 5)


def test_that_the_end_is_followed_until_the_user_scrolls_up(shown: Shown, wait: Wait) -> None:
    view = shown.page.view
    bar = view.verticalScrollBar()
    shown.write(W0, "".join(f"{n}\n" for n in range(500)), 1)
    shown.texts()
    wait(lambda: bar.maximum() > 100 and bar.value() == bar.maximum(), 5)
    assert not shown.page.newest.isEnabled()
    bar.setValue(10)
    assert not view.following
    assert shown.page.newest.isEnabled()
    shown.write(W0, "more\n" * 100, 2)
    shown.texts()
    assert bar.value() == 10, "reading is not disturbed"
    shown.page.newest.click()
    assert view.following
    wait(lambda: bar.value() == bar.maximum(), 5)
    bar.setValue(0)
    bar.setValue(bar.maximum())
    assert view.following, "who scrolls to the end follows it again"


def test_that_selected_rows_are_copied_and_all_are_saved(
    shown: Shown, qtbot: QtBot, odd_path: Path
) -> None:
    shown.write(W0, "\x1b[31mred\x1b[0m 损失\nb\n", 1)
    shown.write(W1, "c\nhalf", 2)
    shown.texts()
    view = shown.page.view
    view.selectRow(1)
    view.selectionModel().select(
        shown.page.model.index(0), view.selectionModel().SelectionFlag.Select
    )
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "red 损失\nb"
    target = odd_path / "lög.txt"
    assert shown.page.save_to(target)
    lines = [line.split(maxsplit=2)[2] for line in target.read_text("utf-8").splitlines()]
    assert lines == ["worker:0  red 损失", "worker:0  b", "worker:1  c", "worker:1  half"]
    assert not shown.page.save_to(odd_path / "no" / "such.txt")
    assert "cannot be written" in shown.window.controller.notices.open[-1].text


def test_that_a_hundred_thousand_lines_stay_quick(shown: Shown) -> None:
    shown.write(W1, "".join(f"line {n} of worker 1\n" for n in range(1000)), 1)
    shown.write(W0, "".join(f"step {n} loss 1.5 and more words\n" for n in range(100_000)), 2)
    shown.texts()
    slowest = 0.0
    for n in range(10):
        shown.write(W1, f"more {n}\n" * 20, 3 + n)
        began = time.process_time()
        shown.page.refresh(T0)
        shown.page.view.viewport().grab()
        slowest = max(slowest, time.process_time() - began)
    assert slowest < 0.05 * SLACK  # usually a tenth of it
    began = time.process_time()
    shown.page.search.setText("step 99")
    assert time.process_time() - began < 0.5 * SLACK
    assert shown.page.found.text().endswith("of 1,111")


CAUSE = Cause(
    found=True,
    task=W1,
    node="gpu002",
    t=T0 + 12,
    kind="exception",
    text="worker:1 on gpu002: ValueError: no <b>such</b> column (train.py line 3)",
    meaning="What it means.",
    remedy="What to do.",
    place="train.py line 3",
    row=2,
    consequences=(
        Consequence(task=W0, node="gpu001", text="lost worker:1"),
        Consequence(task=PS, node="gpu001", text="the same", same=True),
    ),
)


def test_that_the_first_failure_is_pinned_and_leads_to_its_line(shown: Shown) -> None:
    page = shown.page
    shown.write(W0, "a\n" * 50, 1)
    shown.write(W1, "x\nTraceback (most recent call last):\nValueError: no <b>such</b> column\n", 2)
    assert not page.card.isVisible()
    shown.run.apply(CauseUpdate(run_id="r", cause=CAUSE))
    shown.choose("worker:0")
    shown.texts()
    assert page.card.isVisible()
    assert page.card.text.textFormat() == Qt.TextFormat.PlainText
    assert page.card.text.text() == CAUSE.text
    assert page.card.advice.text() == "What it means. What to do."
    assert title_of(CAUSE).startswith("First failure · ")
    assert title_of(CAUSE).endswith(" · exception · train.py line 3")
    words = "The same happened to ps:0. Because of it: worker:0 (lost worker:1)."
    assert followed_text(CAUSE) == words
    page.card.show_button.click()
    row = page.model.row(page.view.delegate.current)
    assert row is not None
    assert (row.task, row.text) == (W1, "ValueError: no <b>such</b> column")
    page.card.copy_button.click()
    assert words in QGuiApplication.clipboard().text()
    shown.run.apply(CauseUpdate(run_id="r", cause=None))
    shown.texts()
    assert not page.card.isVisible()


def test_that_a_mark_of_the_charts_leads_to_what_was_written_then(shown: Shown) -> None:
    for second in range(20):
        shown.write(W0, f"a{second}\n", second)
        shown.write(W1, f"b{second}\n", second)
    shown.texts()
    shown.window.show_page("live")
    live = shown.window.page("live")
    mark = MarkUpdate(run_id="r", t=T0 + 7.5, kind="failure", text="worker:1 failed", task=W1)
    live.dashboard.loss.mark_asked.emit(mark)  # type: ignore[attr-defined]
    assert shown.window.current_page == "logs"
    row = shown.page.model.row(shown.page.view.delegate.current)
    assert row is not None
    assert row.text == "b7"
    assert shown.page.show_moment(T0 - 100)
    assert shown.page.view.delegate.current == 0
    assert not shown.page.show_moment(T0, PS)


def test_that_another_run_takes_the_place_of_the_one_that_was_shown(shown: Shown) -> None:
    shown.write(W0, "old\n", 1)
    shown.texts()
    shown.window.controller.models.show_run("s", None, T0)
    assert shown.texts() == []
    assert not shown.page.card.isVisible()


def test_that_the_oldest_rows_go_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gui.log_model.MAX_ROWS", 100)
    monkeypatch.setattr("gui.log_model._SPARE", 10)
    log, model, search = TaskLog(W0), LogModel(), LogSearch()
    model.choose({W0: log}, None, "debug")
    search.set_words("odd", model.rows)

    def follow(what: str | int) -> None:
        if isinstance(what, int):
            search.dropped(what)
        else:
            search.extend(model.rows)

    model.listeners.append(follow)
    for n in range(30):
        log.feed(f"odd {n}\n" + "even\n" * 9, float(n))
        model.refresh()
        assert len(model.rows) <= 110
        assert all("odd" in model.rows[position].text for position in search.found)
        assert len(search.found) == sum("odd" in row.text for row in model.rows)
    assert model.rows[-1].text == "even"
    assert model.rowCount() == len(model.rows)


def contrast(color: str, ground: str) -> float:
    """WCAG 2's ratio of luminances, 1 to 21."""

    def luminance(name: str) -> float:
        c = QColor(name)
        parts = (c.redF(), c.greenF(), c.blueF())
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(color), luminance(ground)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_that_colours_are_readable_on_both_grounds(name: str) -> None:
    ground = load_colors()[name]["surface"]
    for color in (*map(str, range(16)), "#000000", "#ffffff", "#ff0000", "#00ff00"):
        ratio = contrast(ansi(Style(color), "#888888", name), ground)
        assert ratio > (4.0 if len(color) < 3 else 1.9), (color, ratio)
    assert ansi(Style(), "#888888", name) == "#888888"
