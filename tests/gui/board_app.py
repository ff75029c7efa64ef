"""A window with the placement board on a screen, for tests that work it from outside.

Prints a JSON line whenever what it says has changed: where each item is on the screen, by what a
screen reader calls it, the profile's placement, and the task that is carried.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication

from gui.settings import Settings
from gui.theme import theme
from gui.training_page import TrainingPage
from gui.window import MainWindow
from tests.gui.board_session import connected

GPUS = {"gpu001": 2, "gpu002": 2, "cpu001": 0}


def state(window: MainWindow, page: TrainingPage) -> str:
    """One JSON line."""
    board = page.board
    spots = {}
    for row, item in enumerate(board.board_model.items):
        center = board.visualRect(board.board_model.index(row)).center()
        at = board.viewport().mapToGlobal(center)
        spots[board.board_model.spoken(item)] = (at.x(), at.y())
    document = window.controller.document
    words = {
        "spots": spots,
        "placement": document.placement,
        "carried": board.carried,
        "hint": page.plan_card.hint.text(),
        "focus": board.hasFocus(),
        "workers": document.training().get("workers"),
    }
    return json.dumps(words)


def main(folder: Path) -> int:
    app = QApplication(sys.argv[:1])
    theme().choose("light")
    window = MainWindow(Settings(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat)))
    window.move(0, 0)
    window.resize(1280, 860)
    window.show()
    page = connected(window, GPUS, {"workers": 3})
    page.board.setFocus()
    said = [""]

    def say() -> None:
        line = state(window, page)
        if line != said[0]:
            said[0] = line
            print(line, flush=True)

    timer = QTimer()
    timer.timeout.connect(say)
    timer.start(50)
    return int(app.exec())


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
