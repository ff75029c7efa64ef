"""What is told, once and for as long as it is true; and what Help shows."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QDialog, QLabel

from gui.help import LICENCE
from gui.keys import key_groups
from gui.window import MainWindow
from remote import profile
from remote.updates import NoticeUpdate, ResultUpdate, RunUpdate
from trainer.spec import TaskId

Wait = Callable[[Callable[[], bool], float], None]


def texts(window: MainWindow) -> list[str]:
    return [notice.text for notice in window.controller.notices.open]


def test_that_comments_lost_by_saving_are_said_to_be_kept(
    window: MainWindow, profile_file: Path
) -> None:
    document = window.controller.document
    before = profile_file.read_text(encoding="utf-8")
    profile_file.write_text(f"# our machines\n{before}", encoding="utf-8")
    window.open_profile(str(profile_file))
    for size, told in ((16, True), (8, False)):
        document.set_training({"batch_size": size}, f"size {size}")
        window.controller.notices.clear()
        assert window.files.save()
        words = ["The comments of lab.yaml are kept in lab.yaml.bak"] if told else []
        assert texts(window) == words
    kept = profile_file.with_name("lab.yaml.bak").read_text(encoding="utf-8")
    assert kept.startswith("# our machines")
    assert profile.load(profile_file).profile.training.batch_size == 8


def test_that_a_newer_profile_is_one_notice(window: MainWindow, profile_file: Path) -> None:
    text = profile_file.read_text(encoding="utf-8").replace("clew: 1", "clew: 99")
    profile_file.write_text(text.replace("port: 2222", "port: far"), encoding="utf-8")
    window.open_profile(str(profile_file))
    (notice,) = window.controller.notices.open
    assert notice.text == "lab.yaml was made by a newer Clew."
    assert "not saved" in notice.remedy
    assert "port" in notice.remedy  # what could not be understood is not hidden


def stopped() -> ResultUpdate:
    return ResultUpdate(
        run_id="r1",
        state="stopped",
        global_step=40,
        final_loss=1.5,
        accuracy=None,
        examples=40,
        examples_per_second=None,
        time_to_first_step_s=None,
    )


def test_that_a_stop_is_one_notice_and_the_next_run_takes_it_away(
    window: MainWindow, profile_file: Path, wait: Wait
) -> None:
    window.open_profile(str(profile_file))
    controller = window.controller
    controller.models.show_run("r1", None, time.time())
    put = controller.bridge.updates.put
    task = TaskId.parse("worker:0")
    put(RunUpdate(run_id="r1", state="stopping"))
    for text in ("stopped on request", "wrote a last checkpoint"):
        put(NoticeUpdate(level="info", text=text, node="gpu001", run_id="r1", task=task))
    put(NoticeUpdate(level="warning", text="slow disk", node="gpu001", run_id="r1", task=task))
    put(stopped())
    wait(lambda: len(texts(window)) >= 2, 5)
    end = "The run is stopped at step 40. Nothing is left on the nodes."
    assert texts(window) == ["gpu001, worker:0: slow disk", end]
    run = controller.models.run
    assert run is not None
    assert [row.text for row in run.logs[task].all()] == [
        "stopped on request",
        "wrote a last checkpoint",
    ]
    controller.models.show_run("r2", None, time.time())
    controller.run_shown.emit()
    assert texts(window) == ["gpu001, worker:0: slow disk"]


def test_that_help_shows_version_licence_and_every_key(window: MainWindow) -> None:
    for name, words in (("about", LICENCE), ("keys", "Ctrl+Shift+Z, Ctrl+Y")):
        window.actions_by_name[name].trigger()
        dialog = next(d for d in window.findChildren(QDialog) if d.isVisible())
        assert any(words in label.text() for label in dialog.findChildren(QLabel))
        dialog.close()
    shown = [keys for _, rows in key_groups(window.actions_by_name) for keys, _ in rows]
    for action in window.actions_by_name.values():
        for sequence in action.shortcuts():
            assert any(sequence.toString() in keys for keys in shown)
