"""Whether a window can be shown here, found without Qt."""

from __future__ import annotations

import os
import sys

NO_DISPLAY = (
    "There is no display here for the window (DISPLAY and WAYLAND_DISPLAY are not set). "
    "Without one: clew run PROFILE, or clew demo --headless; clew --help has the rest."
)


def has_display() -> bool:
    """A window system, or a platform that Qt was told to use in its place."""
    if sys.platform in ("win32", "darwin"):
        return True
    named = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return any(os.environ.get(name) for name in named)
