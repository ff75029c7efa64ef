"""Telling of a run's end, failure and stall when the window is not in front."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QProcess, QTimer
from PySide6.QtWidgets import QApplication

from gui.attention import Happening, Watch
from gui.language import tr
from gui.tray import Tray, tray_state

if TYPE_CHECKING:
    from gui.window import MainWindow

TRAY_MS = 800
"""The desktop is asked for its tray when the window stands."""
Way = Literal["none", "tray", "desktop", "alert"]
_COMMAND = "notify-send"


def choose_way(*, wanted: bool, in_front: bool, tray: bool, command: bool) -> Way:
    """How somebody is told: not at all, beside the tray's icon, by the desktop, or by the taskbar.

    The window's own notice stands in any case.
    """
    if in_front or not wanted:
        return "none"
    if tray:
        return "tray"
    return "desktop" if command else "alert"


def desktop_command() -> str:
    """The program that shows a desktop notification; empty: none, or no desktop to show it."""
    return (shutil.which(_COMMAND) or "") if os.environ.get("DBUS_SESSION_BUS_ADDRESS") else ""


class Notifying(QObject):
    """Looks at the window's run at each tick, and keeps the tray's icon up to date."""

    def __init__(self, window: MainWindow, tray: Tray | None = None) -> None:
        super().__init__(window)
        self._window = window
        self._settings = window.settings
        self._watch = Watch()
        self._page = ""
        self.tray = tray if tray is not None else Tray(window, window.actions_by_name)
        self.in_front: Callable[[], bool] = self._is_in_front
        self.command: Callable[[], str] = desktop_command
        self._drawn: tuple[int, int] = (0, -1)
        for name, on in (("tray", self._settings.tray), ("notify", self._settings.notify)):
            action = window.actions_by_name[name]
            action.setCheckable(True)
            action.setChecked(on)
        self.tray.clicked.connect(lambda: self.bring_up(""))
        self.tray.message_clicked.connect(lambda: self.bring_up(self._page))
        window.controller.ticked.connect(self.look)
        QTimer.singleShot(TRAY_MS, self, self.show_tray)

    def show_tray(self) -> None:
        """Show the icon or not, as was chosen. Without a tray the choice cannot be made."""
        action = self._window.actions_by_name["tray"]
        on = self.tray.choose(self._settings.tray)
        self._drawn = (0, -1)
        missing = not on and not self.tray.available()
        action.setEnabled(not missing)
        action.setProperty("why", tr("This desktop has no tray.") if missing else "")

    def choose_tray(self) -> None:
        """What the menu does."""
        self._settings.tray = self._window.actions_by_name["tray"].isChecked()
        self.show_tray()

    def choose_notify(self) -> None:
        """What the menu does."""
        self._settings.notify = self._window.actions_by_name["notify"].isChecked()

    def look(self) -> None:
        """At each tick; costs nothing while nothing comes."""
        run = self._window.controller.models.run
        for happening in self._watch.look(run):
            self.tell(happening)
        now = (id(run), run.version if run is not None else 0)
        if self.tray.on and now != self._drawn:
            self._drawn = now
            self.tray.show_state(tray_state(run))

    def tell(self, happening: Happening) -> Way:
        """Tell of it in the best way there is; returns which that was."""
        command = self.command()
        way = choose_way(
            wanted=self._settings.notify,
            in_front=self.in_front(),
            tray=self.tray.on,
            command=bool(command),
        )
        run = self._window.controller.models.run
        name = self._window.controller.document.title or "Clew"
        title = plain_words(
            tr("{name}: run {run_id}", name=name, run_id=run.run_id) if run is not None else name
        )
        text = plain_words(happening.text)
        if way == "tray":
            self._page = happening.page
            self.tray.message(title, text, happening.level)
        elif way == "desktop":
            urgency = "critical" if happening.level == "error" else "normal"
            options = ["--app-name=Clew", "--icon=clew", f"--urgency={urgency}"]
            QProcess.startDetached(command, [*options, "--", title, text])
        if way != "none":
            QApplication.alert(self._window)
        return way

    def bring_up(self, page: str) -> None:
        """The window in front of all others, at ``page``; empty: at the one that is open."""
        window = self._window
        if window.isMinimized():
            window.showNormal()
        window.show()
        window.raise_()
        window.activateWindow()
        if page:
            window.show_page(page)

    def _is_in_front(self) -> bool:
        return QApplication.activeWindow() is not None and not self._window.isMinimized()


def plain_words(text: str, most: int = 300) -> str:
    """``text`` on one line for a desktop that may take it for markup, cut where it is long."""
    words = " ".join(text.replace("<", "‹").split())
    return words if len(words) <= most else words[: most - 1] + "…"
