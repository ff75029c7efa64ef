"""A real window in a process of its own, closed in a given state: run by ``test_closing``.

python closing_app.py STATE DELAY_MS PROFILE
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
sys.path.insert(0, str(Path(__file__).parents[2]))

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from gui.app import make_application
from gui.background import let_go
from gui.settings import Settings
from gui.theme import Theme
from gui.window import MainWindow


def main() -> int:
    state, delay_ms, profile = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    app = make_application(sys.argv[:1])
    Theme(app, "light")
    window = MainWindow(Settings())
    window.show()
    if state != "start":
        window.open_profile(profile)
        window.controller.connect_nodes()
    if state == "prompting":
        _ask_from_a_thread(window)
    _when_ready(window, state, lambda: QTimer.singleShot(delay_ms, lambda: _close(window, state)))
    status = app.exec()
    window.finish()
    let_go()
    print(f"closed at {_closed[0]:.3f}, gone in {_gone[0] - _closed[0]:.3f}", flush=True)
    return status


_closed = [0.0]
_gone = [0.0]


def _when_ready(window: MainWindow, state: str, then: Callable[[], None]) -> None:
    def look() -> None:
        ready: dict[str, Callable[[], bool]] = {
            "prompting": lambda: window.controller.prompter.dialog is not None,
            "connected": lambda: window.controller.models.nodes.counts().get("ready") == 3,
            "preparing": lambda: window.controller.models.run is not None,
            "running": lambda: (r := window.controller.models.run) is not None and r.step > 0,
        }
        _launch_when_possible(window, state)
        if state not in ready or ready[state]():
            then()
        else:
            QTimer.singleShot(20, look)

    look()


def _launch_when_possible(window: MainWindow, state: str) -> None:
    wanted = state in ("preparing", "running") and window.controller.models.run is None
    if wanted and not window.controller.why_not_launch():
        window.controller.launch()


def _close(window: MainWindow, state: str) -> None:
    _closed[0] = time.monotonic()
    if window.controller.run_active:
        QTimer.singleShot(50, _answer_leave)
    window.close()
    if not window.isVisible():
        _gone[0] = time.monotonic()
    else:
        QTimer.singleShot(10, lambda: _close(window, state))


def _answer_leave() -> None:
    box = QApplication.activeModalWidget()
    if isinstance(box, QMessageBox):
        box.buttons()[0].click()
    else:
        QTimer.singleShot(20, _answer_leave)


def _ask_from_a_thread(window: MainWindow) -> None:
    from remote.ssh.prompts import SecretQuestion

    question = SecretQuestion(kind="password", node="n", user="u", host="h", text="Password:")
    prompter = window.controller.prompter
    threading.Thread(target=lambda: prompter.secret(question)).start()  # not a daemon


if __name__ == "__main__":
    sys.exit(main())
