"""Whether a window can be shown here, found without Qt."""

from __future__ import annotations

import os
import sys

NO_DISPLAY = (
    "There is no display here for the window (DISPLAY and WAYLAND_DISPLAY are not set). "
    "Without one: clew run PROFILE, or clew demo --headless; clew --help has the rest."
)


def has_display() -> bool:
    """Whether somebody would see a window."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def can_open_window() -> bool:
    """Whether Qt can start: on a display, or on a platform that it was told to use instead."""
    return has_display() or bool(os.environ.get("QT_QPA_PLATFORM"))
