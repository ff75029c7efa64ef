"""All keys, by where they work: those of the actions, and those of pages and tables."""

from __future__ import annotations

from PySide6.QtGui import QAction

from gui.actions import SPECS, plain_text
from gui.language import tr
from gui.rail import PAGES

Rows = list[tuple[str, str]]
_GROUPS = (tr("Profile"), tr("Edit"), tr("Run"), tr("View"), tr("Help"))
_PLACES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        tr("Everywhere"),
        (
            ("Tab, Shift+Tab", tr("To the next control, to the one before")),
            ("Esc", tr("Dismiss all notices; close a dialog")),
            ("F10, Alt", tr("The menus")),
            (tr("Space"), tr("Press the button that has the keyboard")),
        ),
    ),
    (
        tr("Cluster"),
        (
            ("F2, Enter", tr("Edit the cell of the node table")),
            ("Esc", tr("Leave the cell as it was")),
            ("Ctrl+C", tr("Copy the findings of a check")),
        ),
    ),
    (
        tr("Training, on the board"),
        (
            (tr("Arrows, Tab"), tr("To another task or free device")),
            (tr("M, Enter"), tr("Pick a task up; again: drop it; Esc: leave it")),
            ("W, P", tr("Add a worker, add a ps")),
            ("Del", tr("Remove the task")),
            ("Ctrl+C", tr("Copy what the plan means for the task")),
        ),
    ),
    (
        tr("Live"),
        (
            ("F", tr("Follow the newest values")),
            ("L", tr("Logarithmic loss")),
            ("Shift+F10", tr("The menu of a chart: save as picture")),
        ),
    ),
    (
        tr("Logs"),
        (
            ("Ctrl+F", tr("Search")),
            ("F3, Enter", tr("The next find")),
            ("Shift+F3, Shift+Enter", tr("The find before")),
            (tr("End"), tr("The newest line")),
            ("Ctrl+C", tr("Copy lines")),
        ),
    ),
    (
        tr("Runs"),
        (
            (tr("Enter"), tr("Open the run")),
            ("Del, Ctrl+Z", tr("Delete, bring back")),
            ("C", tr("Compare the chosen runs")),
            ("Alt+Left", tr("Leave the comparison")),
            ("F2, T", tr("Edit the note, the tags")),
            ("Ctrl+F", tr("Filter")),
            ("Shift+F10", tr("The menu of a run: export and more")),
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
        if group == tr("View"):
            rows += [(f"Ctrl+{n}", title) for n, (_, title) in enumerate(PAGES, start=1)]
        groups.append((group, rows))
    return [*groups, *((place, list(rows)) for place, rows in _PLACES)]
