"""Where the window and its parts stood: remembered, and brought back to where a screen is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow, QSplitter

from gui.settings import Settings

GRIP = 80
"""So many pixels of a window must be on a screen, each way, for it to count as visible."""


def restore_place(window: QMainWindow, settings: Settings) -> None:
    """Put the window where it was; onto a screen where that one is gone."""
    window.restoreGeometry(settings.geometry)
    screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
    place = visible_place(window.geometry(), screens)
    if place != window.geometry():
        window.setGeometry(place)


def visible_place(wanted: QRect, screens: Sequence[QRect]) -> QRect:
    """``wanted``, or the nearest place in which its upper edge can be taken hold of.

    Args:
        wanted: the window's rectangle.
        screens: the rectangles of all screens, the first is the main one.
    """
    if not screens:
        return wanted
    edge = QRect(wanted.left(), wanted.top(), wanted.width(), GRIP)
    for screen in screens:
        seen = edge.intersected(screen)
        if seen.width() >= min(GRIP, wanted.width()) and seen.height() >= GRIP // 2:
            return wanted
    screen = screens[0]
    width, height = min(wanted.width(), screen.width()), min(wanted.height(), screen.height())
    left = min(max(wanted.left(), screen.left()), screen.right() + 1 - width)
    top = min(max(wanted.top(), screen.top()), screen.bottom() + 1 - height)
    return QRect(left, top, width, height)


def remember_splitter(splitter: QSplitter, settings: Settings, name: str) -> None:
    """Restore how ``splitter`` divided its room, and keep it whenever the user moves it."""
    splitter.restoreState(settings.part(name))
    splitter.splitterMoved.connect(lambda *_: settings.set_part(name, splitter.saveState()))
