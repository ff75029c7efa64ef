"""Which actions can be used now, and what to say about those that cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QAction

from gui.language import tr
from gui.slurm_data import NO_ADDING

if TYPE_CHECKING:
    from gui.controller import Controller
    from gui.document import Document

WHY = "why"
"""The property of an action that says why it is disabled; empty: it is not."""
_NO_PROFILE = tr("Open a profile first.")
_READ_ONLY = tr("This profile was made by a newer Clew: it can be used, and not edited.")


def enable_actions(controller: Controller, actions: dict[str, QAction]) -> None:
    """Enable each action, or say in its tooltip why it cannot be used."""
    document = controller.document
    reasons = {
        "connect": controller.why_not_connect(),
        "launch": controller.why_not_launch(),
        "check": controller.why_not_check(),
        "stop": "" if controller.run_active else tr("No run is going on."),
        "sweep": "" if controller.connected else tr("Connect to the nodes first."),
        "disconnect": _why_not_disconnect(controller),
        "save": _why_not_save(document, "" if document.dirty else tr("Nothing has changed.")),
        "save_as": _why_not_save(document, _READ_ONLY if document.read_only else ""),
        "undo": _why_not_edit(document, "" if document.can_undo else tr("Nothing was changed.")),
        "redo": _why_not_edit(document, "" if document.can_redo else tr("Nothing was taken back.")),
        "add_node": _why_not_edit(document, NO_ADDING if document.slurm is not None else ""),
        "import_hosts": _why_not_import(document),
        "add_slurm": tr("A run is going on.") if controller.run_active else "",
    }
    for name, reason in reasons.items():
        enable(actions[name], reason)
    actions["connect"].setText(tr("Re&connect") if controller.connected else tr("&Connect"))


def enable(action: QAction, problem: str) -> None:
    """Enable ``action``, or say in its tooltip why it cannot be used."""
    action.setEnabled(not problem)
    tip = action.property("tip") or action.toolTip()
    action.setProperty("tip", tip)
    action.setProperty(WHY, problem)
    action.setToolTip(f"{tip}\n{problem}" if problem else str(tip))


def _why_not_disconnect(controller: Controller) -> str:
    if not controller.connected:
        return tr("No nodes are connected.")
    return tr("A run is going on. Stop it first.") if controller.run_active else ""


def _why_not_save(document: Document, rest: str) -> str:
    if not document.is_open:
        return _NO_PROFILE
    return rest if document.profile is not None else tr("Fix the profile's mistakes first.")


def _why_not_edit(document: Document, rest: str = "") -> str:
    if not document.is_open:
        return _NO_PROFILE
    return _READ_ONLY if document.read_only else rest


def _why_not_import(document: Document) -> str:
    if document.read_only:
        return _READ_ONLY
    return NO_ADDING if document.slurm is not None else ""
