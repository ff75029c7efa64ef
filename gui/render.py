"""A picture of a run's charts from the history, drawn by the same dashboard as in the window.

python -m gui.render --run RUN --out FILE.png [--data-dir DIR] [--theme light|dark]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

    from gui.models import Models

SIZE = (1600, 1000)
MARGIN = 20


def main(arguments: list[str] | None = None) -> int:
    """Draw one run; returns 0, or 1 with one sentence on standard error."""
    parser = argparse.ArgumentParser(prog="python -m gui.render", description=__doc__)
    parser.add_argument("--run", required=True, help="a run's id, its beginning or end, or last")
    parser.add_argument("--out", required=True, type=Path, help="the PNG to write")
    parser.add_argument("--data-dir", type=Path, help="the folder of history.db")
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    options = parser.parse_args(arguments)
    # Before Qt is loaded: a picture needs no screen.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from remote.errors import ClewError

    try:
        draw(options.run, options.out, options.data_dir, options.theme)
    except ClewError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def draw(run: str, out: Path, data_dir: Path | None = None, colors: str = "light") -> None:
    """Write the picture of ``run`` to ``out`` (1600 x 1000 pixels).

    Raises:
        HistoryError: there is no such run.
        ClewError: the file cannot be written.
    """
    from gui.app import make_application
    from gui.past_run import load_past_run, open_history
    from gui.theme import MODES, Theme
    from remote.errors import ClewError

    history = open_history(data_dir)
    try:
        models = load_past_run(history, run)
    finally:
        history.close()
    app = make_application(["clew"])
    Theme(app, next(mode for mode in MODES if mode == colors))
    if not render_models(models).save(str(out)):
        raise ClewError(f"cannot write {out}", remedy="Choose a folder that can be written to.")


def render_models(models: Models) -> QImage:
    """The dashboard of ``models`` as an image; needs an application."""
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QVBoxLayout, QWidget

    from gui.dashboard import Dashboard

    page = QWidget()
    page.setObjectName("page")
    page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground, True)
    layout = QVBoxLayout(page)
    layout.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
    dashboard = Dashboard(controls=False)
    layout.addWidget(dashboard)
    page.resize(*SIZE)
    dashboard.show_models(models.run, models.shown_devices)
    now = time.time()
    for _ in range(3):  # grabbing lays out what was never shown; axes settle with what is drawn
        dashboard.refresh(now, force=True)
        image = page.grab().toImage()
    page.deleteLater()
    return image


if __name__ == "__main__":
    sys.exit(main())
