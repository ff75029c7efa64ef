"""Makes each page when it is first opened: an idle start loads no charts."""

from __future__ import annotations

from gui.controller import Controller
from gui.pages import Page
from gui.settings import Settings


def make_page(key: str, controller: Controller, settings: Settings) -> Page:
    """The page of a key of :data:`gui.rail.PAGES`."""
    if key == "cluster":
        from gui.cluster_page import ClusterPage

        return ClusterPage(controller, settings)
    if key == "training":
        from gui.training_page import TrainingPage

        return TrainingPage(controller)
    if key == "live":
        from gui.live_page import LivePage

        return LivePage(controller, settings)
    if key == "logs":
        from gui.logs_page import LogsPage

        return LogsPage(controller)
    from gui.runs_page import RunsPage

    return RunsPage(controller, settings)
