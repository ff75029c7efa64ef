"""The runs page: past runs open, and what was left going on can be followed again."""

from __future__ import annotations

import time
from collections.abc import Callable

from gui.window import MainWindow
from remote.history import History, RunRecord

Wait = Callable[[Callable[[], bool], float], None]


def record(run_id: str, **more: object) -> RunRecord:
    values: dict[str, object] = {"name": "lab", "started_at": time.time() - 60, "state": "stopped"}
    return RunRecord(run_id=run_id, **(values | more))  # type: ignore[arg-type]


def test_that_a_past_run_opens_with_no_profile_open(window: MainWindow, wait: Wait) -> None:
    History().add_run(record("20240101-000000-abcd", ended_at=time.time()), [])
    window.show_page("runs")
    page = window.page("runs")
    wait(lambda: page.chosen() == "20240101-000000-abcd", 10)  # type: ignore[attr-defined]
    page.open_button.click()  # type: ignore[attr-defined]
    wait(lambda: window.current_page == "live", 5)
    assert window.rail.buttons["live"].isEnabled()
