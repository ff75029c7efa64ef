"""A window that comes later finds what goes on, watches it, and asks before it takes it over."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from gui.window import MainWindow
from remote.practice import PracticeCluster
from remote.profile import load
from remote.updates import StepsUpdate
from tests.support.sessions import recorded, watched

pytestmark = pytest.mark.timeout(900)
Wait = Callable[[Callable[[], bool], float], None]
LIMIT_S = 200.0
SCRIPT = """
import os, sys, time, itertools
import trainer
for step in itertools.count(1):
    trainer.report(step=step, loss=1 / step, examples=4)
    time.sleep(0.03)
    if step == 30 and os.path.exists(SHORT):
        break
"""


@pytest.fixture
def profile(practice: PracticeCluster, odd_path: Path) -> Iterator[Path]:
    code = odd_path / "my 'code'"
    code.mkdir()
    (code / "slow.py").write_text(SCRIPT.replace("SHORT", repr(str(odd_path / "short"))))
    text = practice.profile.read_text(encoding="utf-8").partition("training:")[0]
    training = {"code": str(code), "command": ["python", "slow.py"], "workers": 2, "ps": 1}
    path = odd_path / "prøfile.yaml"
    path.write_text(f"{text}training: {json.dumps(training)}\n", encoding="utf-8")
    yield path
    for process in practice.left_running():
        if "supervisor" in process.command or "trainer" in process.command:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)


def connect(window: MainWindow, wait: Wait, practice: PracticeCluster, profile: Path) -> None:
    window.controller.known_hosts = [practice.known_hosts]
    assert window.open_profile(str(profile))
    window.controller.connect_nodes()
    wait(lambda: window.controller.models.nodes.counts().get("ready") == 3, LIMIT_S)


def answer(button: str) -> list[str]:
    """Press ``button`` of the next question; what it asked comes into the list."""
    asked: list[str] = []

    def press() -> None:
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):
            QTimer.singleShot(50, press)
            return
        asked.append(f"{box.text()} {box.informativeText()}")
        next(b for b in box.buttons() if b.text() == button).click()

    QTimer.singleShot(50, press)
    return asked


def test_that_a_second_window_finds_watches_and_takes_over_a_run(
    window: MainWindow,
    wait: Wait,
    practice: PracticeCluster,
    profile: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    controller = window.controller
    monkeypatch.setenv("CLEW_DESKTOP_NAME", "ana@läptop")
    first = tmp_path / "first"
    with watched(load(profile).profile, first, known_hosts=[practice.known_hosts]) as other:
        run = other.session.launch()
        other.wait_for(lambda w: len(w.of(StepsUpdate)) > 2, LIMIT_S)
        monkeypatch.setenv("CLEW_DESKTOP_NAME", "ben")
        connect(window, wait, practice, profile)

        def offered() -> bool:
            return any(run.run_id in n.text and n.action for n in controller.notices.open)

        wait(offered, LIMIT_S)
        notice = next(n for n in controller.notices.open if run.run_id in n.text)
        assert notice.text == f"Run {run.run_id} goes on on these nodes."
        controller.notices.act(notice)
        wait(lambda: window.controlling.holder == "ana@läptop", LIMIT_S)
        model = controller.models.run
        assert model is not None
        wait(lambda: model.step > 5 and model.state == "training", LIMIT_S)
        wait(lambda: any("Watched only" in n.text for n in controller.notices.open), 10)
        assert "controlled from ana@läptop" in window.sentence.text()

        asked = answer("Cancel")
        assert not window._closing.ask(), "closing a window that only watches can be cancelled"
        assert "controlled from ana@läptop" in asked[0]
        asked = answer("Cancel")
        window.actions_by_name["stop"].trigger()
        assert "controlled from ana@läptop" in asked[0]
        assert str(model.state) == "training"
        answer("Take control and stop")
        window.actions_by_name["stop"].trigger()
        answer("Stop now")  # how deep is the next question, once the control is here
        wait(lambda: model.result is not None, LIMIT_S)
        assert str(model.state) == "stopped"
        other.wait_for(lambda w: run.result is not None, LIMIT_S)
        assert not any("Watched only" in n.text for n in controller.notices.open)


def test_that_a_run_which_ended_unseen_is_known_and_opens_whole(
    window: MainWindow, wait: Wait, practice: PracticeCluster, profile: Path, tmp_path: Path
) -> None:
    (profile.parent / "short").touch()
    with watched(
        load(profile).profile, tmp_path / "first", known_hosts=[practice.known_hosts]
    ) as other:
        result = other.session.launch().wait(LIMIT_S)
        assert result is not None
        assert result.state == "finished"
        events = recorded(other.history, result.run_id, "worker:0")
    connect(window, wait, practice, profile)
    history = window.controller.history()
    wait(lambda: history.run(result.run_id) is not None, LIMIT_S)
    record = history.run(result.run_id)
    assert record is not None
    assert (record.state, record.result) == ("finished", None)
    window.controller.open_past_run(result.run_id)
    wait(lambda: window.controller.models.run is not None, LIMIT_S)
    model = window.controller.models.run
    assert model is not None
    assert (model.step, model.state) == (30, "finished")
    assert recorded(history, result.run_id, "worker:0") == events
    assert history.find(result.run_id).result is not None
