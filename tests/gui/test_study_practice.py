"""A scaling study in the window for real: two sizes of the practice cluster, tiny runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gui.window import MainWindow
from remote.practice import PracticeCluster
from remote.session.studying import store_of

Wait = Callable[[Callable[[], bool], float], None]
pytestmark = [pytest.mark.tf, pytest.mark.timeout(1500)]
LIMIT_S = 400.0


def test_that_one_and_two_workers_are_compared(
    window: MainWindow, practice: PracticeCluster, wait: Wait
) -> None:
    controller = window.controller
    controller.known_hosts = [practice.known_hosts]
    assert window.open_profile(str(practice.profile))
    tiny = {**controller.document.training(), "steps": 20, "batch_size": 8}
    controller.document.set_training(tiny, "test")
    controller.connect_nodes()
    wait(lambda: controller.models.nodes.counts().get("ready") == 3, LIMIT_S)
    window.actions_by_name["study"].trigger()
    studies = window.studies.window
    assert studies is not None
    studies.form.workers.setText("1, 2")
    studies.form.repeats.setText("1")
    studies.form.single.setChecked(False)
    wait(studies.start_button.isEnabled, LIMIT_S)
    studies.start_button.click()
    wait(lambda: studies.maker.active and controller.run_active, LIMIT_S)
    assert window.current_page == "live"
    wait(lambda: not studies.maker.active, LIMIT_S)
    assert studies.words.text() == "All runs are made."
    wait(lambda: len(studies.view.outcomes) == 2, LIMIT_S)
    assert [outcome.state for outcome in studies.view.outcomes] == ["finished"] * 2
    assert all(row.rate and row.speedup for row in studies.view.rows)
    assert studies.view.advice.text()
    assert len(store_of(controller.history()).load("last").runs) == 2
