"""The application: everything around the main window."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QSettings, QTimer
from PySide6.QtWidgets import QApplication

from gui.background import let_go
from gui.icons import app_icon
from gui.language import LANGUAGES, choose, install

OFFER_MS = 600
"""The history is looked into when the window stands."""


def run(
    profile_path: str | None = None,
    *,
    known_hosts: Sequence[Path] = (),
    practice: bool = False,
    launch: bool = False,
) -> int:
    """Open the window, with a profile if one is given; returns the exit status.

    ``known_hosts`` are read beside OpenSSH's; ``practice`` starts the practice cluster and
    connects to it; ``launch`` connects to the profile's nodes and starts its training.

    Ctrl-C in the terminal and a logout close the window as its button does, without questions
    that nobody could answer: runs are left going on, as their nodes look after them.
    """
    app = make_application(sys.argv[:1])
    use_language(app)
    # Only now: the modules below have texts that are fixed when they are loaded.
    from gui.settings import Settings
    from gui.theme import Theme
    from gui.window import MainWindow

    settings = Settings()
    Theme(app, settings.theme)
    window = MainWindow(settings)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: window.close_now())
    window.show()
    window.draft_bar.look()
    window.controller.known_hosts = list(known_hosts)
    if profile_path is not None:
        window.open_profile(profile_path)
        if launch:
            window.connect_and_launch()
    elif practice:
        window.start_practice()
    if not (launch or practice):
        QTimer.singleShot(OFFER_MS, window.following.offer)
    status = app.exec()
    window.finish()
    let_go()
    return status


def use_language(app: QApplication) -> None:
    """The language that was chosen in the menu, before any module that has texts is loaded."""
    value = QSettings().value("language", "system")
    choose(next((language for language in LANGUAGES if language == value), "system"))
    install(app)


def make_application(arguments: list[str]) -> QApplication:
    """The QApplication with its name and icon; sharp on screens of any ratio."""
    QCoreApplication.setOrganizationName("clew")
    QCoreApplication.setApplicationName("clew")
    QApplication.setDesktopFileName("clew")
    app = QApplication(arguments)
    app.setApplicationDisplayName("Clew")
    app.setWindowIcon(app_icon())
    app.setQuitOnLastWindowClosed(False)  # the window quits when it has let go of the nodes
    return app
