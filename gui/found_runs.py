"""Runs that the connected nodes have on record, whoever started them: known here from then on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gui.background import run_in_background
from gui.controller import Controller
from gui.language import plural, tr
from gui.notices import Notice

if TYPE_CHECKING:
    from remote.session import ClusterSession, FoundRun

_UNDER_WAY = ("disconnected", "connecting", "checking")
OFFER = tr("Follow live")


class FoundRuns(QObject):
    """Looks once after each connecting; what is live is offered, what is new is recorded.

    Args:
        controller: the window's.
        waiting: the run that is about to be followed anyway; empty: none.
    """

    def __init__(self, controller: Controller, waiting: Callable[[], str]) -> None:
        super().__init__(controller)
        self._controller = controller
        self._waiting = waiting
        self._looked_at: ClusterSession | None = None
        controller.ticked.connect(self._look)

    def _look(self) -> None:
        controller, session = self._controller, self._controller.session
        if session is None or session is self._looked_at or controller.busy:
            return
        states = [status.state for status in controller.models.nodes.nodes.values()]
        if any(state in _UNDER_WAY for state in states):
            return
        self._looked_at = session

        def work() -> tuple[list[FoundRun], int]:
            found, new = session.runs(), 0
            for run in found:
                new += session.history.run(run.run_id) is None
                session.adopt(run)
            return found, new

        run_in_background(controller.bridge, work, self._show, lambda _: None, name="found runs")

    def _show(self, result: tuple[list[FoundRun], int]) -> None:
        """Say what was not known here; nothing where the user is at a run already."""
        found, new = result
        controller = self._controller
        live = [run for run in found if run.alive]
        if live and not controller.run_active and not self._waiting():
            run, more = live[0], len(live) - 1
            rest = tr("{more} more go on there; the Runs page has them.", more=more) if more else ""
            controller.notices.dismiss_action(OFFER)
            controller.notices.add(
                Notice(
                    "info",
                    tr("Run {run_id} goes on on these nodes.", run_id=run.run_id),
                    rest,
                    action=OFFER,
                    run_action=lambda: controller.follow_asked.emit(run.run_id),
                )
            )
        elif new:
            controller.notices.info(
                plural(
                    "A run that was started elsewhere: see the Runs page.",
                    "{n} runs that were started elsewhere: see the Runs page.",
                    new,
                )
            )
