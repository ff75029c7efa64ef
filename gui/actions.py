"""The window's actions, with their names, keys and icons: menus, toolbar and tests share them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from gui.icons import glyph
from gui.language import tr
from gui.theme import colors


class _Spec(NamedTuple):
    text: str
    keys: str
    icon: str
    tip: str
    group: str = tr("Run")
    """The menu that it is in."""


SPECS = {
    "new": _Spec(tr("&New profile"), "Ctrl+N", "new", tr("Start an empty profile"), tr("Profile")),
    "open": _Spec(
        tr("&Open…"), "Ctrl+O", "open", tr("Open a profile or a run bundle"), tr("Profile")
    ),
    "save": _Spec(tr("&Save"), "Ctrl+S", "save", tr("Save the profile"), tr("Profile")),
    "save_as": _Spec(
        tr("Save &as…"),
        "Ctrl+Shift+S",
        "",
        tr("Save the profile under another name"),
        tr("Profile"),
    ),
    "practice": _Spec(
        tr("&Practice on this computer"),
        "",
        "practice",
        tr("Start three practice nodes"),
        tr("Profile"),
    ),
    "quit": _Spec(tr("&Quit"), "Ctrl+Q", "", tr("Close the window"), tr("Profile")),
    "undo": _Spec(
        tr("&Undo"), "Ctrl+Z", "undo", tr("Take back the last change of the profile"), tr("Edit")
    ),
    "redo": _Spec(tr("&Redo"), "Ctrl+Shift+Z, Ctrl+Y", "", tr("Make the change again"), tr("Edit")),
    "add_node": _Spec(
        tr("&Add node"), "Ctrl+Shift+N", "add", tr("Add a node to the profile"), tr("Edit")
    ),
    "import_hosts": _Spec(
        tr("&Import from SSH config…"),
        "Ctrl+I",
        "",
        tr("Add nodes from the hosts of ~/.ssh/config"),
        tr("Edit"),
    ),
    "add_slurm": _Spec(
        tr("Add a S&lurm cluster…"),
        "",
        "",
        tr("Where one logs in, and Slurm gives the nodes"),
        tr("Edit"),
    ),
    "connect": _Spec(tr("&Connect"), "Ctrl+K", "connect", tr("Connect to all nodes, or try again")),
    "disconnect": _Spec(tr("&Disconnect"), "", "disconnect", tr("Let go of the nodes; runs go on")),
    "check": _Spec(
        tr("C&heck"), "Ctrl+Shift+K", "", tr("Check the nodes and the ways between them")
    ),
    "launch": _Spec(
        tr("&Launch"), "Ctrl+Return", "launch", tr("Start a run on the connected nodes")
    ),
    "stop": _Spec(tr("S&top"), "Ctrl+.", "stop", tr("Stop the run on all nodes; asks how deep")),
    "sweep": _Spec(
        tr("Leftovers on the &nodes…"), "", "", tr("Find and remove what runs have left")
    ),
    "study": _Spec(tr("Scaling st&udy…"), "Ctrl+Shift+Return", "", tr("Run it in several sizes")),
    "palette": _Spec(
        tr("&Find anything…"),
        "Ctrl+P, Ctrl+Shift+P",
        "",
        tr("Actions, pages, profiles, logs and runs"),
        tr("View"),
    ),
    "tray": _Spec(
        tr("Icon in the &tray"),
        "",
        "",
        tr("Show in the desktop's tray what the run does"),
        tr("View"),
    ),
    "notify": _Spec(
        tr("&Notifications"),
        "",
        "",
        tr("Tell of a run's end, failure and stall when Clew is not in front"),
        tr("View"),
    ),
    "keys": _Spec(tr("&Keyboard"), "F1", "", tr("Show all keys"), tr("Help")),
    "about": _Spec(tr("&About Clew"), "", "", tr("Show the version and the licence"), tr("Help")),
}


def plain_text(text: str) -> str:
    """The words of a menu's entry: without its mnemonic."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&").rstrip("…")


def make_actions(parent: QWidget, slots: dict[str, Callable[[], object]]) -> dict[str, QAction]:
    """One action for each of SPECS, calling the slot of its name."""
    actions = {}
    for name, spec in SPECS.items():
        action = QAction(spec.text, parent)
        if spec.keys:
            action.setShortcuts([QKeySequence(keys) for keys in spec.keys.split(", ")])
        action.setToolTip(f"{spec.tip}  ({spec.keys})" if spec.keys else spec.tip)
        action.setStatusTip("")
        slot = slots[name]
        action.triggered.connect(lambda _=False, call=slot: call())
        actions[name] = action
    return actions


def paint_icons(actions: dict[str, QAction], primary: str) -> None:
    """Draw the icons in the theme's colours; ``primary`` stands on the accent colour."""
    c = colors()
    for name, spec in SPECS.items():
        if spec.icon:
            shade = c["accent_text"] if name == primary else c["text"]
            actions[name].setIcon(glyph(spec.icon, shade, c["faint"]))
