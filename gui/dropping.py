"""Files that are dropped on the window: profiles and run bundles open."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from gui.exporting import is_bundle

_PROFILES = (".yaml", ".yml")


class Dropping(QObject):
    """Watches ``window``; ``open_path`` gets the path of what was dropped."""

    def __init__(self, window: QWidget, open_path: Callable[[str], object]) -> None:
        super().__init__(window)
        self._open_path = open_path
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDropEvent) and event.type() == QEvent.Type.Drop:
            for path in _paths(event):
                self._open_path(path)
            event.acceptProposedAction()
            return True
        if isinstance(event, QDragEnterEvent) and _paths(event):
            event.acceptProposedAction()
            return True
        return False


def _paths(event: QDropEvent) -> list[str]:
    """The bundles that are dragged, or the one profile."""
    files = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
    bundles = [path for path in files if is_bundle(path)]
    profiles = [path for path in files if path.casefold().endswith(_PROFILES)]
    return bundles or profiles[:1]
