"""The menu bar: all actions, the pages and the colours."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from gui.language import LANGUAGES, Language, language_title, tr
from gui.rail import PAGES
from gui.theme import MODES, Mode
from gui.theme import theme as current_theme

_COLOURS: dict[Mode, str] = {
    "system": tr("&System colours"),
    "light": tr("&Light colours"),
    "dark": tr("&Dark colours"),
}


def fill_menu_bar(
    bar: QMenuBar,
    actions: dict[str, QAction],
    *,
    stop: QMenu,
    pages: Callable[[str], None],
    theme: Callable[[Mode], None],
    language: tuple[Language, Callable[[Language], None]],
    recent: tuple[Callable[[], list[str]], Callable[[str], object]],
) -> None:
    """Make all menus; ``pages`` opens a page by its key, ``theme`` chooses the colours.

    ``language`` is the one that is chosen, and chooses another.

    ``recent`` says which profiles were open lately, when that menu opens, and opens one of them.
    """
    profile = bar.addMenu(tr("&Profile"))
    profile.addActions([actions["new"], actions["open"]])
    lately = profile.addMenu(tr("&Recent"))
    lately.aboutToShow.connect(lambda: _fill_recent(lately, *recent))
    profile.addActions([actions["save"], actions["save_as"]])
    profile.addSeparator()
    profile.addActions([actions["practice"], actions["quit"]])
    edit = bar.addMenu(tr("&Edit"))
    edit.addActions([actions["undo"], actions["redo"]])
    edit.addActions([actions["add_node"], actions["import_hosts"], actions["add_slurm"]])
    run = bar.addMenu(tr("&Run"))
    for name in ("connect", "disconnect", "check", "launch", "stop"):
        actions[name].setIconVisibleInMenu(False)  # it may be drawn for an accented button
        run.addAction(actions[name])
    run.addMenu(stop)
    run.addSeparator()
    run.addActions([actions["study"], actions["sweep"]])
    view = bar.addMenu(tr("&View"))
    view.addAction(actions["palette"])
    view.addSeparator()
    _fill_view(view, pages, theme)
    _add_languages(view.addMenu(tr("Lan&guage")), *language)
    view.addSeparator()
    view.addActions([actions["notify"], actions["tray"]])
    help_menu = bar.addMenu(tr("&Help"))
    help_menu.addActions([actions["keys"], actions["about"]])


def _fill_view(view: QMenu, pages: Callable[[str], None], theme: Callable[[Mode], None]) -> None:
    for number, (key, title) in enumerate(PAGES, start=1):
        action = view.addAction(f"&{number} {title}")
        action.setShortcut(QKeySequence(f"Ctrl+{number}"))
        action.triggered.connect(lambda _=False, k=key: pages(k))
    view.addSeparator()
    group = QActionGroup(view)
    for mode in MODES:
        choice = view.addAction(_COLOURS[mode])
        choice.setCheckable(True)
        choice.setChecked(mode == current_theme().mode)
        choice.triggered.connect(lambda _=False, m=mode: theme(m))
        group.addAction(choice)


def _add_languages(menu: QMenu, now: Language, choose: Callable[[Language], None]) -> None:
    group = QActionGroup(menu)
    for language in LANGUAGES:
        choice = menu.addAction(language_title(language))
        choice.setCheckable(True)
        choice.setChecked(language == now)
        choice.triggered.connect(lambda _=False, one=language: choose(one))
        group.addAction(choice)


def _fill_recent(
    menu: QMenu, paths: Callable[[], list[str]], open_path: Callable[[str], object]
) -> None:
    menu.clear()
    for path in paths():
        action = menu.addAction(path.replace("&", "&&"))
        action.triggered.connect(lambda _=False, p=path: open_path(p))
    if menu.isEmpty():
        menu.addAction(tr("No recent profiles")).setEnabled(False)
