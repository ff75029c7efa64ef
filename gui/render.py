"""A picture of a run's charts from the history, drawn by the same dashboard as in the window.

python -m gui.render --run RUN --out FILE [--chart NAME] [--format png|svg] [--data-dir DIR]
    [--theme light|dark]
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
    from PySide6.QtWidgets import QWidget

    from gui.dashboard import Dashboard
    from gui.models import Models

SIZE = (1600, 1000)
MARGIN = 20
CHART_SIZE = (1100, 700)
CHARTS = ("loss", "accuracy", "throughput", "time", "utilization")


def main(arguments: list[str] | None = None) -> int:
    """Draw one run; returns 0, or 1 with one sentence on standard error."""
    parser = argparse.ArgumentParser(prog="python -m gui.render", description=__doc__)
    parser.add_argument("--run", required=True, help="a run's id, its beginning or end, or last")
    parser.add_argument("--out", required=True, type=Path, help="the PNG to write")
    parser.add_argument("--data-dir", type=Path, help="the folder of history.db")
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--chart", choices=CHARTS, help="draw this one only")
    parser.add_argument("--format", choices=("png", "svg"), default="png")
    options = parser.parse_args(arguments)
    # Before Qt is loaded: a picture needs no screen.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from remote.errors import ClewError

    try:
        draw(
            options.run,
            options.out,
            options.data_dir,
            options.theme,
            chart=options.chart,
            kind=options.format,
        )
    except ClewError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def draw(
    run: str,
    out: Path,
    data_dir: Path | None = None,
    colors: str = "light",
    *,
    chart: str | None = None,
    kind: str = "png",
) -> None:
    """Write the picture of ``run`` to ``out`` (1600 x 1000 pixels), or of one chart of it.

    Raises:
        HistoryError: there is no such run.
        ClewError: the file cannot be written.
    """
    from gui.app import make_application
    from gui.past_run import load_past_run, open_history
    from gui.picture import as_image, as_png, as_svg
    from gui.theme import MODES, Theme
    from remote.export.atomic import written_whole

    history = open_history(data_dir)
    try:
        models = load_past_run(history, run)
    finally:
        history.close()
    app = make_application(["clew"])
    Theme(app, next(mode for mode in MODES if mode == colors))
    page, dashboard = dashboard_page(models, chart)
    widget = page if chart is None else dashboard.charts[chart]
    with written_whole(out) as part:
        if kind == "svg":
            part.write_bytes(as_svg(widget))
        elif chart is None:
            as_image(widget, 1.0).save(str(part), "PNG")  # type: ignore[call-overload]
        else:
            part.write_bytes(as_png(widget))
    page.deleteLater()


def render_models(models: Models) -> QImage:
    """The dashboard of ``models`` as an image; needs an application."""
    page, _ = dashboard_page(models)
    image = page.grab().toImage()
    page.deleteLater()
    return image


def dashboard_page(models: Models, chart: str | None = None) -> tuple[QWidget, Dashboard]:
    """The dashboard of ``models``, or one chart of it, laid out and drawn though never shown."""
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
    page.resize(*(SIZE if chart is None else CHART_SIZE))
    if chart is not None:
        dashboard.chooser.choose([chart])
    dashboard.show_models(models.run, models.shown_devices)
    now = time.time()
    for _ in range(3):  # grabbing lays out what was never shown; axes settle with what is drawn
        dashboard.refresh(now, force=True)
        page.grab()
    return page, dashboard


if __name__ == "__main__":
    sys.exit(main())
