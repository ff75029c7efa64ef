"""All keys, by where they work: those of the actions, and those of pages and tables."""

from __future__ import annotations

from PySide6.QtGui import QAction

from gui.actions import SPECS, plain_text
from gui.rail import PAGES

Rows = list[tuple[str, str]]
_GROUPS = ("Profile", "Edit", "Run", "View", "Help")
_PLACES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Everywhere",
        (
            ("Tab, Shift+Tab", "To the next control, to the one before"),
            ("Esc", "Dismiss all notices; close a dialog"),
            ("F10, Alt", "The menus"),
            ("Space", "Press the button that has the keyboard"),
        ),
    ),
    (
        "Cluster",
        (
            ("F2, Enter", "Edit the cell of the node table"),
            ("Esc", "Leave the cell as it was"),
            ("Ctrl+C", "Copy the findings of a check"),
        ),
    ),
    (
        "Training, on the board",
        (
            ("Arrows, Tab", "To another task or free device"),
            ("M, Enter", "Pick a task up; again: drop it; Esc: leave it"),
            ("W, P", "Add a worker, add a ps"),
            ("Del", "Remove the task"),
            ("Ctrl+C", "Copy what the plan means for the task"),
        ),
    ),
    (
        "Live",
        (
            ("F", "Follow the newest values"),
            ("L", "Logarithmic loss"),
            ("Shift+F10", "The menu of a chart: save as picture"),
        ),
    ),
    (
        "Logs",
        (
            ("Ctrl+F", "Search"),
            ("F3, Enter", "The next find"),
            ("Shift+F3, Shift+Enter", "The find before"),
            ("End", "The newest line"),
            ("Ctrl+C", "Copy lines"),
        ),
    ),
    (
        "Runs",
        (
            ("Enter", "Open the run"),
            ("Del, Ctrl+Z", "Delete, bring back"),
            ("C", "Compare the chosen runs"),
            ("Alt+Left", "Leave the comparison"),
            ("F2, T", "Edit the note, the tags"),
            ("Ctrl+F", "Filter"),
            ("Shift+F10", "The menu of a run: export and more"),
        ),
    ),
)


def key_groups(actions: dict[str, QAction]) -> list[tuple[str, Rows]]:
    """Groups of keys and what they do; a group's keys are in the order of its menu."""
    groups: list[tuple[str, Rows]] = []
    for group in _GROUPS:
        rows: Rows = []
        for name, spec in SPECS.items():
            keys = ", ".join(sequence.toString() for sequence in actions[name].shortcuts())
            if spec.group == group and keys:
                rows.append((keys, plain_text(actions[name].text())))
        if group == "View":
            rows += [(f"Ctrl+{n}", title) for n, (_, title) in enumerate(PAGES, start=1)]
        groups.append((group, rows))
    return [*groups, *((place, list(rows)) for place, rows in _PLACES)]
