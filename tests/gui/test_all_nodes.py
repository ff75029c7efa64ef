"""What holds for all nodes can be said in the window, and a mistake is told where it was made."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QMessageBox

from gui.cluster_page import ClusterPage
from gui.models import Models
from gui.window import MainWindow
from remote import profile
from remote.updates import NodeSample


def test_that_python_and_login_are_set_for_all_nodes_and_taken_back_as_one(
    window: MainWindow, profile_file: Path
) -> None:
    window.open_profile(str(profile_file))
    document = window.controller.document
    before = document.profile
    page = window.page("cluster")
    assert isinstance(page, ClusterPage)
    dialog = page.edit_all()
    dialog.lines["environment.python"].setText("~/venvs/größe tf/bin/python")
    dialog.lines["ssh.user"].setText("-oProxyCommand=x")
    ok = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
    ok.click()
    assert dialog.isVisible()
    assert dialog.problem.text().startswith("User: ")
    assert document.profile == before
    dialog.lines["ssh.user"].setText("ana")
    ok.click()
    assert document.profile is not None
    assert document.profile.environment.python == "~/venvs/größe tf/bin/python"
    assert document.profile.ssh.user == "ana"
    document.undo()
    assert document.profile == before


def test_that_a_profile_saved_without_a_suffix_gets_one_and_replaces_nothing_unasked(
    window: MainWindow, profile_file: Path, odd_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.open_profile(str(profile_file))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(odd_path / "kopie"), ""))
    window.actions_by_name["save_as"].trigger()
    saved = odd_path / "kopie.yaml"
    assert profile.load(saved).profile == window.controller.document.profile
    saved.write_text("other", encoding="utf-8")
    cancel = QMessageBox.StandardButton.Cancel
    monkeypatch.setattr(QMessageBox, "exec", lambda _: cancel)
    window.actions_by_name["save_as"].trigger()
    assert saved.read_text(encoding="utf-8") == "other"


def test_that_nodes_of_another_profile_are_not_in_a_runs_chart() -> None:
    models = Models()
    models.show_run("first", None, 0.0)
    models.apply(_sample("old"))
    models.forget_devices()
    models.apply(_sample("new"))
    assert set(models.shown_devices.notes) == {"old"}  # the run that is shown still has its own
    models.show_run("second", None, 10.0)
    assert set(models.shown_devices.notes) == {"new"}


def _sample(node: str) -> NodeSample:
    return NodeSample(
        node=node,
        t=1.0,
        cpu_percent=50.0,
        memory_used_bytes=None,
        memory_total_bytes=None,
        gpu_note="no NVIDIA GPU here",
    )
