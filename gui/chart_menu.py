"""The context menu of a chart: its picture to a file or to the clipboard."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox, QWidget

from gui.language import tr
from gui.picture import as_image, save_picture
from remote.errors import ClewError

_KINDS = (
    (tr("Save as PNG…"), ".png", tr("Pictures (*.png)")),
    (tr("Save as SVG…"), ".svg", tr("Drawings (*.svg)")),
)


class PictureMenu:
    """Gives ``widget`` a menu, by the right button and by the menu key.

    Args:
        widget: what the picture shows.
        asked: where the menu is asked for: ``widget`` itself and perhaps a part of it.
        name: of the file, without its ending.
    """

    def __init__(self, widget: QWidget, asked: list[QWidget], name: str) -> None:
        self._widget, self.name = widget, name
        for each in asked:
            each.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            each.customContextMenuRequested.connect(
                lambda at, source=each: self.menu().popup(source.mapToGlobal(at))
            )

    def menu(self, at: QPoint | None = None) -> QMenu:
        """The menu, not yet shown."""
        menu = QMenu(self._widget)
        for text, ending, kinds in _KINDS:
            action = menu.addAction(text)
            action.triggered.connect(lambda _=False, e=ending, k=kinds: self._ask(e, k))
        menu.addAction(tr("Copy picture")).triggered.connect(lambda *_: self.copy())
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def copy(self) -> None:
        QGuiApplication.clipboard().setImage(as_image(self._widget))

    def _ask(self, ending: str, kinds: str) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self._widget, tr("Save picture"), f"{self.name}{ending}", kinds
        )
        if not name:
            return
        path = Path(name)
        try:
            save_picture(self._widget, path if path.suffix else Path(name + ending))
        except ClewError as error:
            box = QMessageBox(self._widget)
            box.setIcon(QMessageBox.Icon.Warning)
            box.setTextFormat(Qt.TextFormat.PlainText)
            box.setText(str(error))
            box.open()
