"""The context menu of a run: everything that can be done with it, with its key."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu

from gui.exporting import KINDS
from gui.language import tr
from gui.runs_model import NOTE, TAGS

if TYPE_CHECKING:
    from gui.runs_page import RunsPage


def run_menu(page: RunsPage) -> QMenu:
    """A menu for the chosen runs; what cannot be done is grey and says why."""
    menu = QMenu(page)
    menu.setToolTipsVisible(True)
    many = len(page.selected()) > 1
    one = tr("Choose a single run for this.") if many else ""
    opening = page.open_button
    _add(
        menu,
        tr("Open\tEnter"),
        page.open_chosen,
        one or _why(opening.isEnabled(), opening.toolTip()),
    )
    attach = page.attach_button
    _add(
        menu,
        tr("Follow live"),
        page.follow_chosen,
        one or _why(attach.isEnabled(), attach.toolTip()),
    )
    _add(menu, tr("Compare\tC"), page.compare_chosen, page.why_not_compare())
    menu.addSeparator()
    _add(menu, tr("Edit note\tF2"), lambda: page.table.edit_cell(NOTE), one)
    _add(menu, tr("Edit tags\tT"), lambda: page.table.edit_cell(TAGS), one)
    menu.addSeparator()
    export = menu.addMenu(tr("Export"))
    export.setEnabled(not many)
    for kind, (name, _, _) in KINDS.items():
        _add(export, name, lambda k=kind: page.export_chosen(k), "")  # type: ignore[misc]
    _add(menu, tr("Copy the run's id"), lambda: _copy(page), "")
    menu.addSeparator()
    given_up = one or page.withdrawing.why_not(page.chosen())
    _add(menu, tr("Give up nodes…"), lambda: page.withdrawing.ask(page.chosen()), given_up)
    _add(menu, tr("Delete\tDel"), page.delete_chosen, page.why_not_delete())
    menu.aboutToHide.connect(menu.deleteLater)
    return menu


def _copy(page: RunsPage) -> None:
    QGuiApplication.clipboard().setText("\n".join(page.selected()))


def _why(enabled: bool, tip: str) -> str:
    return "" if enabled else tip


def _add(menu: QMenu, text: str, call: Callable[[], object], reason: str) -> QAction:
    action = menu.addAction(text)
    action.triggered.connect(lambda *_: call())
    action.setEnabled(not reason)
    action.setToolTip(reason)
    return action
