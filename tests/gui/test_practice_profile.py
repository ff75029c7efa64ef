"""The practice cluster's own profile, opened like any other file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gui.practice import practice_folder, practice_profile
from gui.settings import Settings
from gui.window import MainWindow

Wait = Callable[[Callable[[], bool], float], None]


@pytest.fixture
def left_behind() -> Path:
    """The profile as an earlier practice cluster has left it; nobody listens there any more."""
    path = practice_profile()
    path.parent.mkdir(parents=True)
    path.write_text(
        "clew: 1\nname: practice\nnodes:\n  - host: 127.0.0.1\n    name: node1\n    port: 9\n",
        encoding="utf-8",
    )
    return path


def test_that_opening_the_practice_profile_starts_its_cluster_and_connects(
    window: MainWindow,
    settings: Settings,
    left_behind: Path,
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[bool] = []

    def start() -> Path:
        started.append(True)
        return left_behind

    monkeypatch.setattr(window.practice, "start", start)
    window.start_page.recent_asked.emit(str(left_behind))
    wait(lambda: window.controller.session is not None, 30)
    assert started == [True]
    assert window.controller.document.path == left_behind
    assert window.current_page == "cluster"
    assert settings.recent() == []
    window.files.save()
    window.files.open_path(left_behind)
    assert settings.recent() == []


def test_that_a_practice_cluster_of_whoever_opened_the_window_is_not_started_twice(
    window: MainWindow, left_behind: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window.practice, "start", lambda: pytest.fail("started twice"))
    window.controller.known_hosts = [practice_folder() / "known_hosts"]
    assert window.open_profile(str(left_behind))
    assert window.controller.document.path == left_behind
