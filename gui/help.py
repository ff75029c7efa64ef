"""What the Help menu shows: the program's version and licence, and all keys."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from gui.icons import app_icon
from gui.keys import key_groups
from gui.language import tr
from gui.pages import Scrolled, heading, muted, plain
from gui.theme import UNIT, mono_font, scaled

LICENCE = "Apache License 2.0"
COLUMNS = 3
COLUMN = 360
"""How many columns the list of keys has at most, and the room for each."""


def version() -> str:
    """The installed version, in words where there is none: a checkout that is run as it is."""
    try:
        return tr("Version {version}", version=importlib.metadata.version("clew"))
    except importlib.metadata.PackageNotFoundError:
        return tr("Not installed: run from its sources")


def show_about(parent: QWidget) -> QDialog:
    """Open the dialog about the program."""
    dialog, layout = _dialog(parent, tr("About Clew"))
    mark = QLabel()
    mark.setPixmap(app_icon().pixmap(64, 64))
    layout.addWidget(mark)
    layout.addWidget(heading("Clew"))
    layout.addWidget(muted(tr("Train on your GPU machines over SSH, and see every step.")))
    layout.addWidget(plain(version()))
    layout.addWidget(plain(tr("Free software under the {licence}.", licence=LICENCE)))
    return _open(dialog, layout)


def show_keys(parent: QWidget, actions: dict[str, QAction]) -> QDialog:
    """Open the list of keys, one block for each place in which they work."""
    dialog, layout = _dialog(parent, tr("Keyboard"))
    layout.addWidget(heading(tr("Keyboard")))
    columns = QHBoxLayout()
    columns.setSpacing(4 * UNIT)
    groups = key_groups(actions)
    lines = sum(len(rows) + 2 for _, rows in groups)
    room = parent.screen().availableSize() * 0.9
    many = max(1, min(COLUMNS, room.width() // COLUMN))
    column, used = QVBoxLayout(), 0
    for title, rows in groups:
        column.addLayout(_block(title, rows))
        used += len(rows) + 2
        if used >= lines / many:
            column.addStretch(1)
            columns.addLayout(column)
            column, used = QVBoxLayout(), 0
    column.addStretch(1)
    columns.addLayout(column)
    place = Scrolled()
    place.setAccessibleName(tr("All keys"))
    place.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # arrows scroll where the screen is low
    place.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
    place.column.addLayout(columns)
    layout.addWidget(place, 1)
    wanted = place.inner.sizeHint()
    place.inner.setMinimumWidth(wanted.width())  # scrolled where even that has no room
    dialog.resize(min(wanted.width() + 80, room.width()), min(wanted.height() + 150, room.height()))
    return _open(dialog, layout)


def _block(title: str, rows: Sequence[tuple[str, str]]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(2 * UNIT)
    grid.setVerticalSpacing(UNIT // 2)
    grid.setContentsMargins(0, UNIT, 0, UNIT)
    head = plain(title)
    head.setFont(scaled(head.font(), 1.0, bold=True))
    grid.addWidget(head, 0, 0, 1, 2)
    for row, (keys, what) in enumerate(rows, start=1):
        label = plain(keys)
        label.setFont(mono_font())
        grid.addWidget(label, row, 0)
        grid.addWidget(plain(what), row, 1)
    grid.setColumnStretch(1, 1)
    return grid


def _dialog(parent: QWidget, title: str) -> tuple[QDialog, QVBoxLayout]:
    dialog = QDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(3 * UNIT, 3 * UNIT, 3 * UNIT, 2 * UNIT)
    layout.setSpacing(UNIT)
    return dialog, layout


def _open(dialog: QDialog, layout: QVBoxLayout) -> QDialog:
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.reject)
    layout.addSpacing(UNIT)
    layout.addWidget(buttons)
    dialog.open()
    return dialog
