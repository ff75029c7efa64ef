"""Windows for tests: offscreen, with settings and history of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from gui.settings import Settings
from gui.theme import theme
from gui.window import MainWindow
from tests.support.waiting import PATIENCE_S

FIXTURES = Path(__file__).parent.parent / "fixtures" / "gui"
ODD = "läb 'A' \"b\" $x"
"""A folder name with blanks, quotes and more than ASCII."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The offscreen plugin says at each window that it knows no size hints or order: no news."""
    no_news = r"does not support (propagateSizeHints|raise)\(\)|systemTrayWindowChanged"
    here = str(Path(__file__).parent)
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.gui)
            item.add_marker(pytest.mark.qt_log_ignore(no_news, extend=True))


@pytest.fixture
def odd_path(tmp_path: Path) -> Path:
    """A folder whose name breaks careless quoting."""
    folder = tmp_path / ODD
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The history and the practice cluster of a test are its own."""
    monkeypatch.setenv("CLEW_DATA_DIR", str(tmp_path / "data é"))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(QSettings(str(tmp_path / "clew.ini"), QSettings.Format.IniFormat))


@pytest.fixture
def window(qtbot: QtBot, settings: Settings) -> Iterator[MainWindow]:
    """A main window on the start page; everything it started is ended afterwards."""
    theme().choose("light")
    found = MainWindow(settings)
    found.resize(1280, 840)
    found.show()
    yield found
    found.controller.prompter.close()
    if found.controller.session is not None:
        found.controller.session.close()
    found.finish()
    found.hide()
    found.deleteLater()


@pytest.fixture
def profile_file(odd_path: Path) -> Path:
    """A profile of three nodes that nobody connects to."""
    path = odd_path / "lab.yaml"
    path.write_text(
        "clew: 1\nname: lab\nnodes:\n"
        "  - host: gpu001\n    address: gpu001-ib0\n"
        "  - host: gpu002\n    port: 2222\n"
        "  - host: gpu003\n    gpus: [0, 1]\n"
        "training:\n  batch_size: 32\n",
        encoding="utf-8",
    )
    return path


@pytest.fixture
def wait(qtbot: QtBot) -> Callable[[Callable[[], bool], float], None]:
    """Turn the event loop until something holds; a busy machine has ``PATIENCE_S`` at least."""

    def until(holds: Callable[[], bool], timeout_s: float) -> None:
        qtbot.waitUntil(holds, timeout=int(max(timeout_s, PATIENCE_S) * 1000))

    return until


@pytest.fixture
def answer_box() -> Callable[[QMessageBox.StandardButton], list[str]]:
    """Clicks a button of the next message box; the list it returns gets the box's words."""

    def answer(button: QMessageBox.StandardButton) -> list[str]:
        seen: list[str] = []

        def click() -> None:
            box = QApplication.activeModalWidget()
            if not isinstance(box, QMessageBox):
                QTimer.singleShot(20, click)
                return
            seen.append(box.text())
            box.button(button).click()

        QTimer.singleShot(20, click)
        return seen

    return answer
