"""What the Help menu shows: the program's version and licence, and all keys."""

from __future__ import annotations

import importlib.metadata

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from gui.icons import app_icon
from gui.pages import heading, muted, plain
from gui.rail import PAGES
from gui.theme import UNIT, mono_font

LICENCE = "Apache License 2.0"
_CELLS = (
    ("F2, Enter", "Edit the cell of the node table"),
    ("Enter, Del, Ctrl+Z", "On the runs page: open, delete, bring back"),
    ("C, F2, T, Ctrl+F", "Compare the chosen runs, edit note, edit tags, filter"),
    ("Shift+F10", "The menu of a run or a chart: export, save as picture"),
    ("Esc", "Leave a cell as it was; dismiss all notices"),
    ("Tab, Shift+Tab", "To the next field, to the one before"),
    ("Arrows, Tab", "On the board: to another task or free device"),
    ("M, Enter", "On the board: pick a task up; again, or Enter: drop it; Esc: leave it"),
    ("W, P", "On the board: add a worker, add a ps"),
    ("Del", "On the board: remove the task"),
    ("Ctrl+C", "On the board: copy what the plan means for the task"),
)


def version() -> str:
    """The installed version, in words where there is none: a checkout that is run as it is."""
    try:
        return f"Version {importlib.metadata.version('clew')}"
    except importlib.metadata.PackageNotFoundError:
        return "Not installed: run from its sources"


def key_rows(actions: dict[str, QAction]) -> list[tuple[str, str]]:
    """Keys, and what they do: of all actions, the pages, and the tables."""
    rows = []
    for action in actions.values():
        keys = ", ".join(sequence.toString() for sequence in action.shortcuts())
        if keys:
            rows.append((keys, action.text().replace("&", "").rstrip("…")))
    rows += [(f"Ctrl+{number}", title) for number, (_, title) in enumerate(PAGES, start=1)]
    return [*rows, *_CELLS]


def show_about(parent: QWidget) -> QDialog:
    """Open the dialog about the program."""
    dialog, layout = _dialog(parent, "About Clew")
    mark = QLabel()
    mark.setPixmap(app_icon().pixmap(64, 64))
    layout.addWidget(mark)
    layout.addWidget(heading("Clew"))
    layout.addWidget(muted("Train on your GPU machines over SSH, and see every step."))
    layout.addWidget(plain(version()))
    layout.addWidget(plain(f"Free software under the {LICENCE}."))
    return _open(dialog, layout)


def show_keys(parent: QWidget, actions: dict[str, QAction]) -> QDialog:
    """Open the list of keys."""
    dialog, layout = _dialog(parent, "Keyboard")
    layout.addWidget(heading("Keyboard"))
    grid = QGridLayout()
    grid.setHorizontalSpacing(3 * UNIT)
    grid.setVerticalSpacing(UNIT // 2)
    for row, (keys, what) in enumerate(key_rows(actions)):
        label = plain(keys)
        label.setFont(mono_font())
        grid.addWidget(label, row, 0)
        grid.addWidget(plain(what), row, 1)
    layout.addLayout(grid)
    return _open(dialog, layout)


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
