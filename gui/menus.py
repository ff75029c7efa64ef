"""The menu bar: all actions, the pages and the colours."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from gui.rail import PAGES
from gui.theme import MODES, Mode
from gui.theme import theme as current_theme


def fill_menu_bar(
    bar: QMenuBar,
    actions: dict[str, QAction],
    *,
    stop: QMenu,
    pages: Callable[[str], None],
    theme: Callable[[Mode], None],
) -> QMenu:
    """Make all menus; ``pages`` opens a page by its key, ``theme`` chooses the colours.

    Returns:
        The menu of recent profiles, which is filled when it opens.
    """
    profile = bar.addMenu("&Profile")
    profile.addActions([actions["new"], actions["open"]])
    recent = profile.addMenu("&Recent")
    profile.addActions([actions["save"], actions["save_as"]])
    profile.addSeparator()
    profile.addActions([actions["practice"], actions["quit"]])
    edit = bar.addMenu("&Edit")
    edit.addActions([actions["undo"], actions["redo"]])
    edit.addActions([actions["add_node"], actions["import_hosts"]])
    run = bar.addMenu("&Run")
    for name in ("connect", "disconnect", "check", "launch", "stop"):
        actions[name].setIconVisibleInMenu(False)  # it may be drawn for an accented button
        run.addAction(actions[name])
    run.addMenu(stop)
    run.addSeparator()
    run.addActions([actions["study"], actions["sweep"]])
    _fill_view(bar.addMenu("&View"), pages, theme)
    help_menu = bar.addMenu("&Help")
    help_menu.addActions([actions["keys"], actions["about"]])
    return recent


def _fill_view(view: QMenu, pages: Callable[[str], None], theme: Callable[[Mode], None]) -> None:
    for number, (key, title) in enumerate(PAGES, start=1):
        action = view.addAction(title)
        action.setShortcut(QKeySequence(f"Ctrl+{number}"))
        action.triggered.connect(lambda _=False, k=key: pages(k))
    view.addSeparator()
    group = QActionGroup(view)
    for mode in MODES:
        name = "Follow the system" if mode == "system" else f"{mode.capitalize()} colours"
        choice = view.addAction(name)
        choice.setCheckable(True)
        choice.setChecked(mode == current_theme().mode)
        choice.triggered.connect(lambda _=False, m=mode: theme(m))
        group.addAction(choice)
