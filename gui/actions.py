"""The window's actions, with their names, keys and icons: menus, toolbar and tests share them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from gui.icons import glyph
from gui.theme import colors


class _Spec(NamedTuple):
    text: str
    keys: str
    icon: str
    tip: str
    group: str = "Run"
    """The menu that it is in."""


SPECS = {
    "new": _Spec("&New profile", "Ctrl+N", "new", "Start an empty profile", "Profile"),
    "open": _Spec("&Open…", "Ctrl+O", "open", "Open a profile or a run bundle", "Profile"),
    "save": _Spec("&Save", "Ctrl+S", "save", "Save the profile", "Profile"),
    "save_as": _Spec(
        "Save &as…", "Ctrl+Shift+S", "", "Save the profile under another name", "Profile"
    ),
    "practice": _Spec(
        "&Practice on this computer", "", "practice", "Start three practice nodes", "Profile"
    ),
    "quit": _Spec("&Quit", "Ctrl+Q", "", "Close the window", "Profile"),
    "undo": _Spec("&Undo", "Ctrl+Z", "undo", "Take back the last change of the profile", "Edit"),
    "redo": _Spec("&Redo", "Ctrl+Shift+Z, Ctrl+Y", "", "Make the change again", "Edit"),
    "add_node": _Spec("&Add node", "Ctrl+Shift+N", "add", "Add a node to the profile", "Edit"),
    "import_hosts": _Spec(
        "&Import from SSH config…",
        "Ctrl+I",
        "",
        "Add nodes from the hosts of ~/.ssh/config",
        "Edit",
    ),
    "add_slurm": _Spec(
        "Add a S&lurm cluster…", "", "", "Where one logs in, and Slurm gives the nodes", "Edit"
    ),
    "connect": _Spec("&Connect", "Ctrl+K", "connect", "Connect to all nodes, or try again"),
    "disconnect": _Spec("&Disconnect", "", "disconnect", "Let go of the nodes; runs go on"),
    "check": _Spec("C&heck", "Ctrl+Shift+K", "", "Check the nodes and the ways between them"),
    "launch": _Spec("&Launch", "Ctrl+Return", "launch", "Start a run on the connected nodes"),
    "stop": _Spec("S&top", "Ctrl+.", "stop", "Stop the run on all nodes; asks how deep"),
    "sweep": _Spec("Leftovers on the &nodes…", "", "", "Find and remove what runs have left"),
    "study": _Spec("Scaling st&udy…", "Ctrl+Shift+Return", "", "Run it in several sizes"),
    "palette": _Spec(
        "&Find anything…",
        "Ctrl+P, Ctrl+Shift+P",
        "",
        "Actions, pages, profiles, logs and runs",
        "View",
    ),
    "tray": _Spec(
        "Icon in the &tray", "", "", "Show in the desktop's tray what the run does", "View"
    ),
    "notify": _Spec(
        "&Notifications",
        "",
        "",
        "Tell of a run's end, failure and stall when Clew is not in front",
        "View",
    ),
    "keys": _Spec("&Keyboard", "F1", "", "Show all keys", "Help"),
    "about": _Spec("&About Clew", "", "", "Show the version and the licence", "Help"),
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
