"""The main job in the window, for real: practice cluster, launch, watch, stop, close."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from gui.dashboard import Dashboard
from gui.window import MainWindow
from tests.support.waiting import PATIENCE_S

Wait = Callable[[Callable[[], bool], float], None]
pytestmark = [pytest.mark.tf, pytest.mark.timeout(1500)]
LIMIT_S = 400.0
"""For what processes that load TensorFlow must do, whatever else the machine does."""
ROOT = Path(__file__).parents[2]


def trigger(window: MainWindow, name: str) -> None:
    action = window.actions_by_name[name]
    assert action.isEnabled(), action.toolTip()
    action.trigger()


def stop(window: MainWindow) -> None:
    """The button, and Enter at its question."""
    trigger(window, "stop")
    box = window.stopping.box
    assert box is not None
    button = box.defaultButton()
    assert button is not None
    assert button.text() == "Stop after a checkpoint"
    button.click()


def open_practice(window: MainWindow, qtbot: QtBot, wait: Wait, steps: int) -> None:
    pytest.importorskip("asyncssh")
    qtbot.mouseClick(window.start_page.practice_button, Qt.MouseButton.LeftButton)
    controller = window.controller
    wait(lambda: controller.document.is_open, LIMIT_S)
    wait(lambda: controller.models.nodes.counts().get("ready") == 3, LIMIT_S)
    controller.document.set_training(
        {**controller.document.training(), "steps": steps, "checkpoint_every_s": 5}, "test"
    )


def test_that_the_main_job_goes_from_a_click_to_charts_to_nothing_left(
    window: MainWindow,
    qtbot: QtBot,
    wait: Wait,
    tmp_path: Path,
    answer_box: Callable[[QMessageBox.StandardButton], list[str]],
) -> None:
    controller = window.controller
    open_practice(window, qtbot, wait, steps=100_000)
    window.show_page("training")
    board = window.page("training").placing.board  # type: ignore[attr-defined]
    assert dict(board.placement) == {"ps:0": "node3", "worker:0": "node1", "worker:1": "node2"}
    trigger(window, "launch")
    assert window.current_page == "live"
    run = controller.models.run
    assert run is not None
    wait(lambda: run.step > 300 and len(run.rate) > 1, LIMIT_S)
    dashboard = window.page("live").dashboard  # type: ignore[attr-defined]
    assert isinstance(dashboard, Dashboard)
    wait(lambda: dashboard.loss.raw.drawn > 100, LIMIT_S)
    assert dashboard.rate.lines[0].drawn > 0
    assert [line.label for line in dashboard.device.lines] == [
        "node1 CPU",
        "node2 CPU",
        "node3 CPU",
    ]
    assert run.run_id in window.sentence.text()
    window.show_page("logs")
    wait(lambda: len(run.logs) == 3, LIMIT_S)
    stop(window)
    wait(lambda: run.result is not None, LIMIT_S)
    assert run.state == "stopped"
    assert run.result is not None
    assert run.result.left_behind == ()
    words = [notice.text for notice in controller.notices.past]
    assert any("Nothing is left on the nodes" in text for text in words)
    _past_run_is_the_same(window, wait, run.run_id)
    _picture(run.run_id, tmp_path / "läb 'x'.png")
    words = answer_box(QMessageBox.StandardButton.Discard)  # the number of steps was edited
    window.close()
    assert words
    wait(lambda: not window.isVisible(), LIMIT_S)


def _past_run_is_the_same(window: MainWindow, wait: Wait, run_id: str) -> None:
    """What the history shows is what was shown live."""
    live = window.controller.models.run
    assert live is not None
    window.show_page("runs")
    page = window.page("runs")
    wait(lambda: page.chosen() == run_id, 10)  # type: ignore[attr-defined]
    page.open_button.click()  # type: ignore[attr-defined]
    wait(lambda: window.controller.models.run is not live, LIMIT_S)
    past = window.controller.models.run
    assert past is not None
    assert window.current_page == "live"
    assert past.step == live.step
    np.testing.assert_allclose(past.loss.rows()[1], live.loss.rows()[1])


def _picture(run_id: str, out: Path) -> None:
    command = [sys.executable, "-m", "gui.render", "--run", run_id, "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    image = QImage(str(out))
    assert (image.width(), image.height()) == (1600, 1000)
    colors = {image.pixel(x, y) for x in range(100, 1300, 3) for y in range(150, 950, 7)}
    assert len(colors) > 12  # curves, grid and words, not an empty page


def test_that_leaving_a_run_going_on_is_possible_and_it_can_be_followed_again(
    window: MainWindow, qtbot: QtBot, wait: Wait
) -> None:
    controller = window.controller
    open_practice(window, qtbot, wait, steps=1_000_000)
    trigger(window, "launch")
    run = controller.models.run
    assert run is not None
    try:
        wait(lambda: run.step > 50, LIMIT_S)
        window.files.save()
        controller.disconnect_nodes()
        controller.follow_asked.emit(run.run_id)  # opens the profile, connects and attaches
        wait(lambda: controller.models.run is not run, LIMIT_S)
        again = controller.models.run
        assert again is not None
        states: list[str] = [again.state]
        wait(lambda: _noted(states, again.state) and again.step > run.step, LIMIT_S)
        assert set(states) == {"training"}
        assert controller.models.devices.first_t is not None
        assert controller.models.devices.first_t < again.started_at + 5  # of before the pause, too
        stop(window)
        wait(lambda: again.result is not None, LIMIT_S)
        assert again.result is not None
        assert again.result.left_behind == ()
    finally:
        _end_tasks(window)


def _end_tasks(window: MainWindow) -> None:
    """If an assertion failed before the stop: leave no task behind."""
    cluster = window.practice._cluster
    for process in cluster.left_running() if cluster is not None else ():
        if "remote.node.supervisor" in process.command or "-m trainer" in process.command:
            os.kill(process.pid, signal.SIGKILL)


def _noted(states: list[str], state: str) -> bool:
    states.append(state)
    return True
